"""OPTIONS as a target, and what of it is never taken."""

from pathlib import Path

import pytest
from weighhouse_plugin_rocksdb import PLUGIN
from weighhouse_protocol.compatibility.targets import target_errors
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.registry import discover
from weighhouse_sdk.testkit.orders import order_for
from weighhouse_sdk.testkit.settings_testing import (
    check_kinds_of_lines,
    check_never,
    check_not_taken,
    check_said_no,
    check_words,
    left_of,
    refused,
    running,
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
  compression_opts={level=3;window_bits=-14;use_it={deep=1;};}
  memtable_factory={id=SkipListFactory;lookahead=0;}
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
    assert found.settings == {
        "CFOptions.num_levels": 5,
        "CFOptions.compression_opts.level": 3,
        "CFOptions.compression_opts.window_bits": -14,
    }
    assert left_of(found) == {
        (2, "Version.rocksdb_version"): "agent",
        (5, "DBOptions.wal_dir"): "never",
        (10, "CFOptions.compression_opts.use_it.deep"): "unknown",
        (11, "CFOptions.memtable_factory.id"): "never",
        (11, "CFOptions.memtable_factory.lookahead"): "never",
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
    check_never(PLUGIN, DANGEROUS.split())
    check_words(PLUGIN)
    assert "is the parameter" in refused(PLUGIN, "CFOptions.write_buffer_size")


def test_settings_beside_parameters_are_what_rocksdb_writes_down(tmp_path: Path) -> None:
    settings = {
        "CFOptions.num_levels": 5,
        "CFOptions.compression_opts.level": 3,
        "DBOptions.max_open_files": 500,
        "DBOptions.unordered_write": True,
        "TableOptions.BlockBasedTable.block_restart_interval": 8,
    }
    parameters = {"block_bytes": 16384, "rate_limit_bytes_per_second": 1_000_000}
    document = {
        "name": "r",
        "system": "rocksdb",
        "parameters": parameters,
        "settings": {**settings},
    }
    with running(PLUGIN, tmp_path / "a", document) as told:
        ours = {name: each for name, each in told.items() if each.source == "experiment"}
        opts = ours.pop("cf.compression_opts").value
        assert "level=3;" in opts
        assert {name: each.value for name, each in ours.items()} == {
            "cf.num_levels": "5",
            "db.max_open_files": "500",
            "db.unordered_write": "true",
            "table.block_restart_interval": "8",
            "table.block_size": "16384",
            "db.rate_limit_bytes_per_second": "1000000",
        }
        assert told["table.block_cache.capacity"].source == "default"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"CFOptions.num_levels": "many"}, "RocksDB: Invalid argument"),
        ({"CFOptions.compression_opts.window_bits": "wide"}, "RocksDB: Invalid argument"),
    ],
)
def test_what_rocksdb_refuses_is_told_in_its_own_words(
    settings: dict[str, str], words: str, tmp_path: Path
) -> None:
    check_said_no(PLUGIN, tmp_path / "a", settings, words)


def test_it_is_read_however_an_editor_left_it() -> None:
    check_kinds_of_lines(PLUGIN, OURS)


def own_file(folder: Path) -> str:
    """What RocksDB writes of itself when a database is opened."""
    context = Context.open(Target(name="r", system="rocksdb", deployment="in_process"), folder)
    deployed = PLUGIN.deploy(context)
    options = PLUGIN.driver_options(context.target)
    order = order_for(deployed.endpoints, options, records=10)
    with DriverRun(PLUGIN.manifest.driver.id, order, context) as run:
        assert list(run.events())
    (file,) = context.data_directory.glob("OPTIONS-*[0-9]")
    text = file.read_text(encoding="utf-8")
    PLUGIN.clean_up(context)
    return text


def test_the_file_that_rocksdb_writes_is_carried_out_as_it_is(tmp_path: Path) -> None:
    target = translated(PLUGIN, own_file(tmp_path / "first"))
    assert len(target.settings) > len(target.parameters) > 1
    assert not [one for one in target.left if one.reason == "value"]
    with running(PLUGIN, tmp_path / "second", target.document()) as told:
        ours = [each for each in told.values() if each.source == "experiment"]
        assert len(ours) > len(target.parameters)
        assert [(each.name, each.value) for each in ours if each.value != each.default] == []


def test_a_tool_that_would_leave_them_out_is_refused() -> None:
    manifests = {name: each.manifest for name, each in discover()[0].items()}
    target = Target.model_validate(
        {
            "name": "r",
            "system": "rocksdb",
            "deployment": "in_process",
            "tool": "db-bench",
            "settings": {"CFOptions.num_levels": 5},
        }
    )
    told = {error.path: error.message for error in target_errors(target, manifests)}
    assert "has nothing for them" in told["settings"]
