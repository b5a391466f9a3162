"""What servers counted of an attempt: which looks belong together, and what becomes figures."""

from types import SimpleNamespace
from typing import Any, cast

from weighhouse_backend.measurements.records import AttemptRecord
from weighhouse_backend.results.counts import (
    counted_row,
    counts_of_link,
    figures_counted,
    noted,
    reconciliation_of,
    served_in,
)
from weighhouse_backend.results.failures import phases_told
from weighhouse_judging.findings.counted import BEGAN_ANEW, NOT_TOLD, Served
from weighhouse_protocol.counts import CommandCount, CountsMoment, NodeCounts
from weighhouse_protocol.report import ServerCounted
from weighhouse_protocol.workload import Workload
from weighhouse_sdk.registry import load_plugin

LOAD = {"phase": "load", "duration_us": 1, "operations": {"insert": {"ok": 1000}}}
MEASURE = {"phase": "measure", "duration_us": 1, "operations": {"read": {"ok": 600}}}
WORKLOAD = Workload(name="w", record_count=1000)


def record(
    phases: list[dict[str, Any]], *looks: tuple[CountsMoment, str, dict[str, int]], **more: int
) -> AttemptRecord:
    """Of one member whose one node told its counters at those moments."""
    counts: dict[str, Any] = {}
    for moment, life, calls in looks:
        commands = {name: CommandCount(calls=n, us=3 * n) for name, n in calls.items()}
        node = NodeCounts(node="a", life=life, commands=commands, **more)
        event = ServerCounted(sequence=0, at_us=0, moment=moment, nodes=(node,))
        counts = noted(counts, event, 0 if moment != "after" else 1)
    member = SimpleNamespace(counts=counts)
    return cast("AttemptRecord", SimpleNamespace(members=(member,), phases=phases))


def calls(found: Served | str) -> dict[str, int]:
    assert isinstance(found, Served), found
    return {name: one.calls for name, one in found.commands.items()}


def served(one: AttemptRecord) -> Served | str:
    return served_in(one, phases_told(one))


def test_a_restart_takes_two_more_looks() -> None:
    looks: list[tuple[CountsMoment, str, dict[str, int]]] = [
        ("before", "1", {"set": 5}),
        ("before_restart", "1", {"set": 1005}),
        ("after_restart", "2", {"info": 1}),
        ("measure", "2", {"info": 1}),
        ("after", "2", {"get": 600, "info": 1}),
    ]
    whole = record([LOAD, MEASURE], *looks)
    assert calls(served(whole)) == {"set": 1000, "get": 600}
    assert served(record([LOAD, MEASURE], looks[0], *looks[3:])) == BEGAN_ANEW
    told = reconciliation_of(whole, load_plugin("redis").manifest, WORKLOAD)
    assert told is not None
    assert [(row.name, row.client.asked, row.served) for row in told.rows] == [
        ("reads", 600, 600), ("writes", 1000, 1000),
    ]  # fmt: skip


def test_only_the_first_link_of_a_chain_has_its_restart() -> None:
    counts = {
        "before": [1], "before_restart": [2], "after_restart": [3], "after": [4], "after 2": [5],
    }  # fmt: skip
    assert counts_of_link(counts, 0) == {
        "before": [1], "before_restart": [2], "after_restart": [3], "after": [4],
    }  # fmt: skip
    assert counts_of_link(counts, 1) == {"before": [4], "after": [5]}


def told_of(written: int, read: int, **more: int) -> dict[str, Any]:
    commands = {"number.keys.written": {"calls": written}, "number.keys.read": {"calls": read}}
    return {"counted": {"commands": commands, **more}}


def test_a_system_in_the_driver_counts_by_phases() -> None:
    manifest = load_plugin("rocksdb").manifest
    sizes = {"received_bytes": 0, "sent_bytes": 60_000}
    measured = MEASURE | told_of(0, 600, hits=450, misses=150, **sizes)
    inside = record([LOAD | told_of(1000, 0, hits=0, misses=0, **sizes), measured])
    assert calls(served(inside)) == {"number.keys.written": 1000, "number.keys.read": 600}
    assert figures_counted(inside, manifest)["hit_ratio"] == 75
    assert served(record([LOAD, measured])) == NOT_TOLD, "one phase did not tell"


def test_figures_are_of_the_measured_phase() -> None:
    looks: list[tuple[CountsMoment, str, dict[str, int]]] = [
        ("before", "1", {}), ("measure", "1", {"set": 1000}),
        ("after", "1", {"set": 1000, "get": 600}),
    ]  # fmt: skip
    assert figures_counted(record([LOAD, MEASURE], *looks), load_plugin("redis").manifest) == {
        "server_call_us": 3
    }


def test_what_is_not_counted_is_not_none_served() -> None:
    alone = {"counted": {"commands": {"number.keys.written": {"calls": 1000}},
                         "lacking": ["number.keys.read"]}}  # fmt: skip
    inside = record([LOAD | alone, MEASURE | alone])
    told = reconciliation_of(inside, load_plugin("rocksdb").manifest, WORKLOAD)
    assert told is not None
    reads, writes = map(counted_row, told.rows)
    assert (reads.asked, reads.served, reads.difference) == (600, None, None)
    assert reads.why_not == "RocksDB counts what is read with statistics: true alone"
    assert (writes.asked, writes.served) == (1000, 2000)
