"""OPTIONS as a target, and what of it is never taken."""

import pytest
from weighhouse_plugin_rocksdb import PLUGIN
from weighhouse_sdk.testkit.settings_testing import (
    check_listed,
    check_not_taken,
    left_of,
    translated,
)

DANGEROUS = """
DBOptions.wal_dir DBOptions.db_log_dir DBOptions.db_paths DBOptions.env DBOptions.wal_filter
CFOptions.cf_paths CFOptions.merge_operator CFOptions.comparator CFOptions.compaction_filter
CFOptions.compaction_filter_factory CFOptions.sst_partitioner_factory DBOptions.listeners
"""
OURS = """\
[Version]
  rocksdb_version=9.0
[DBOptions]
  max_background_jobs=6
  wal_dir=/srv/wal
[CFOptions "default"]
  compression=kZSTD
  write_buffer_size=33554432
  num_levels=5
[TableOptions/BlockBasedTable "default"]
  block_size=16384
  filter_policy=bloomfilter:10:false
"""


def test_a_file_is_a_target_and_every_line_is_told_of() -> None:
    found = translated(PLUGIN, OURS)
    assert found.parameters == {
        "max_background_jobs": 6,
        "compression": "zstd",
        "write_buffer_bytes": 33554432,
        "block_bytes": 16384,
        "bloom_bits_per_key": 10,
    }
    assert left_of(found) == {
        (2, "Version.rocksdb_version"): "agent",
        (5, "DBOptions.wal_dir"): "never",
        (9, "CFOptions.num_levels"): "unknown",
    }
    assert "hush" not in found.model_dump_json()
    PLUGIN.check_target(found.target(PLUGIN.manifest.default_deployment))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[DBOptions]\nx\n", 2, "neither a heading"),
        ('[CFOptions "more"]\n', 1, "one column family"),
        ("[DBOptions\n", 1, "does not end"),
        ("[DBOptions]\na=1\na=2\n", 3, "stands on line 2"),
    ],
)
def test_of_a_file_with_a_bad_line_nothing_is_taken(text: str, line: int, said: str) -> None:
    check_not_taken(PLUGIN, text, line, said)


def test_what_is_dangerous_is_never_taken() -> None:
    check_listed(PLUGIN, DANGEROUS.split())
