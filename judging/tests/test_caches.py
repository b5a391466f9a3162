"""Caches of which nobody said anything, where that matters, and where it cannot."""

from dataclasses import replace
from typing import Any

import pytest
from weighhouse_judging.findings.caches import caches_unsaid

from .test_run_checks import SOUND

READS = replace(
    SOUND, reads=True, reads_disk=True, record_bytes=1000, records_asked=1_000_000,
    machine_memory_bytes=8 * 10**9,
)  # fmt: skip


def test_reads_through_caches_that_the_load_filled_are_told() -> None:
    found = caches_unsaid(READS)
    assert found is not None
    assert found.severity == "caution"
    assert found.message.startswith("Records of 953.7 MiB on each node were read through caches")
    assert found.numbers["memory_bytes"] == 8 * 10**9


@pytest.mark.parametrize(
    "changes",
    [
        {"caches": "warm"},
        {"caches": "restarted"},
        {"caches": "dropped"},
        {"reads": False},
        {"reads_disk": False},
        {"records_asked": 33_000_000},
        {"memory_limit_bytes": 240 * 10**6},
    ],
)
def test_nothing_is_said_where_somebody_did_or_it_cannot_matter(changes: dict[str, Any]) -> None:
    assert caches_unsaid(replace(READS, **changes)) is None


def test_a_node_has_its_part_of_all_copies() -> None:
    spread = replace(READS, records_asked=33_000_000, nodes=3, copies=1)
    assert caches_unsaid(spread) is not None
    assert caches_unsaid(replace(spread, copies=3)) is None


def test_of_records_that_were_there_nobody_knows() -> None:
    found = caches_unsaid(replace(READS, data="keep"))
    assert found is not None
    assert found.title == "Nobody said whether caches were cold"
