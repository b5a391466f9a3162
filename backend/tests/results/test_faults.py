"""What a fault cost: before, during and after, by the marks of the timeline and the intervals."""

from uuid import UUID

import pytest
from sqlalchemy import delete, select
from weighhouse_backend.faults.fault_course import costs, episodes
from weighhouse_backend.faults.marks import Mark
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.measurements import models
from weighhouse_backend.measurements.packed_intervals import OK, Outcome, StoredInterval
from weighhouse_judging.arithmetic.histograms import Histogram
from weighhouse_protocol.redistribution import amount_label

from .laboratory import experiment
from .reports import START_US, ended, histogram, interval, latencies, numbered, raw, recorded

SECOND = 1_000_000
QUIET, SLOW = latencies(1, 100, 100), latencies(2, 100, 900)


def mark(kind: str, label: str, second: float, member: int = 0) -> Mark:
    return Mark(kind, label, round(second * SECOND), member)


def verb(label: str, begin: float, end: float, became: str = "done") -> list[Mark]:
    kind = "fault_done" if became == "done" else "fault_failed"
    return [mark("fault", label, begin), mark(kind, became, end)]


def course(told: dict[int, dict[str, Outcome]], seconds: int) -> list[StoredInterval]:
    """A second each: what is told of it, else 100 quick successes."""
    usual = {OK: Outcome(100, 0, raw(histogram(QUIET)))}
    return [
        StoredInterval("measure", 2, n * SECOND, SECOND, {"read": told.get(n, usual)})
        for n in range(seconds)
    ]


DOWN = {"error:connection": Outcome(40)}
BACK = {OK: Outcome(100, 0, raw(histogram(SLOW)))}


def test_before_during_and_after_of_one_fault():
    told = {10: DOWN, 11: DOWN, 12: DOWN, 13: BACK, 14: BACK}
    intervals = course(told, 30)
    marks = verb("kill node 1", 10.0, 10.1) + verb("start node 1", 12.0, 12.8)
    found = costs(iter(intervals), marks)
    (only,) = found.faults
    assert (only.label, only.begin_seconds, only.end_seconds) == ("kill node 1", 10.0, 12.8)
    assert only.mended
    before, during, after = only.stretches
    assert (before.begin_seconds, before.end_seconds, before.intervals) == (0, 10, 10)
    assert (during.begin_seconds, during.end_seconds, during.intervals) == (10, 13, 3)
    assert (after.begin_seconds, after.end_seconds, after.intervals) == (13, 30, 17)
    assert (during.operations["all"].ok, during.operations["all"].failed) == (0, 120)
    assert during.operations["all"].p99_us is None
    merged = Histogram.merged([raw(histogram(SLOW))] * 2 + [raw(histogram(QUIET))] * 15)
    (p50, p99) = merged.quantiles_us([0.5, 0.99])
    assert (after.operations["read"].p50_us, after.operations["all"].p99_us) == (p50, p99)
    old = Histogram.merged([raw(histogram(QUIET))]).quantiles_us([0.99])[0]
    assert found.late_us == 2 * old
    late = 2 * sum(value > found.late_us * 1000 for value in SLOW)
    assert late > 20
    assert (before.late, during.late, after.late) == (0, 0, late)
    recovery = only.recovery
    assert recovery.detected_seconds == 0.0
    assert recovery.without_success_seconds == 3.0
    assert recovery.first_success_seconds == 3.0
    assert recovery.returned_seconds == 5.0
    assert (recovery.operations_failed, recovery.operations_missing) == (120, 300)
    assert (recovery.operations_late, recovery.old_latency_us) == (late, old)
    assert recovery.outcome == "returned"


def test_every_fault_is_held_against_the_time_before_the_first():
    told = {6: DOWN, 14: DOWN, **dict.fromkeys(range(15, 25), BACK)}
    intervals = course(told, 25)
    marks = verb("pause node 1", 6, 6) + verb("resume node 1", 7, 7)
    marks += verb("kill node 2", 14, 14) + verb("start node 2", 15, 15)
    first, second = costs(iter(intervals), marks).faults
    assert first.stretches[0] == second.stretches[0]
    assert (first.stretches[2].begin_seconds, first.stretches[2].end_seconds) == (7, 14)
    assert first.recovery.returned_seconds == 1.0
    assert (second.label, second.stretches[2].end_seconds) == ("kill node 2", 25)
    assert second.recovery.outcome == "not_returned"
    assert second.recovery.operations_failed == 40


def test_faults_that_overlap_are_one():
    marks = verb("kill node 1", 10, 10) + verb("network node 2: delay 20 ms", 12, 12)
    marks += verb("start node 1", 14, 15) + verb("heal node 2", 16, 16)
    (only,) = costs(iter(course({}, 30)), marks).faults
    assert only.label == "kill node 1 and network node 2: delay 20 ms"
    assert (only.begin_seconds, only.end_seconds, only.mended) == (10, 16, True)
    assert [one.label for one in only.verbs][-1] == "heal node 2"


def test_what_was_not_mended_lasts_to_the_end():
    marks = verb("kill node 1", 10, 10) + verb("start node 1", 14, 20, "start node 1: not ready")
    (only,) = costs(iter(course({}, 30)), marks).faults
    assert (only.end_seconds, only.mended) == (30, False)
    assert only.stretches[2].operations == {}
    assert [(one.done, one.became) for one in only.verbs] == [
        (True, "done"), (False, "start node 1: not ready"),
    ]  # fmt: skip
    (cut,) = costs(iter(course({}, 30)), [mark("fault", "kill node 1", 29.5)]).faults
    assert (cut.verbs[0].end_seconds, cut.mended) == (None, False)


def test_a_restart_mends_itself_and_members_do_their_verbs_by_themselves():
    marks = verb("restart node 1", 10, 13)
    assert [one.end_us for one in episodes(marks)] == [13 * SECOND]
    both = [
        mark("fault", "kill node 1", 10, 0), mark("fault", "kill node 2", 10.5, 1),
        mark("fault_done", "node 1: killed", 11, 0), mark("fault_done", "node 2: killed", 12, 1),
    ]  # fmt: skip
    (only,) = episodes(both)
    assert [(one.label, one.became) for one in only.verbs] == [
        ("kill node 1", "node 1: killed"), ("kill node 2", "node 2: killed"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("marks", "label", "end"),
    [
        (verb("replace node 2", 10, 14), "replace node 2", 14),
        (verb("remove node 2", 10, 14), "remove node 2", 14),
        (
            verb("kill node 2", 10, 10.1) + verb("replace node 2", 12, 15),
            "kill node 2 and replace node 2",
            15,
        ),
        (
            verb("pause node 2", 10, 10) + verb("replace node 2", 12, 15)
            + verb("remove node 2", 20, 21),
            "pause node 2 and replace node 2",
            15,
        ),
    ],
)  # fmt: skip
def test_a_node_that_was_replaced_or_removed_is_mended(marks, label, end):
    first, *_ = costs(iter(course({}, 30)), marks).faults
    assert (first.label, first.end_seconds, first.mended) == (label, end, True)


@pytest.mark.parametrize("kind", ["replace", "remove"])
def test_a_node_that_could_not_be_replaced_or_removed_stays_broken(kind):
    marks = verb(f"{kind} node 2", 10, 14, "not ready") + verb("kill node 1", 16, 16)
    (only,) = costs(iter(course({}, 30)), marks).faults
    assert (only.mended, only.end_seconds) == (False, 30)


def moved(begin: float, end: float | None, size: int, member: int = 0, failed: int = 0):
    began = mark("redistribution_began", "redistribution began", begin, member)
    label = amount_label(size, 2, failed)
    return [began] + ([mark("redistribution_ended", label, end, member)] if end else [])


def test_what_went_from_node_to_node_belongs_to_the_fault_before_it():
    marks = verb("kill node 2", 10, 10.1) + verb("replace node 2", 11, 15)
    marks += verb("remove node 1", 20, 24)
    marks += moved(3, 4, 7) + moved(12, 14, 1000) + moved(12.5, 14.5, 24, member=1, failed=1)
    marks += moved(21, None, 0)
    first, second = costs(iter(course({}, 30)), marks).faults
    assert first.redistribution.model_dump() == {
        "begin_seconds": 12, "end_seconds": 14.5, "moving_seconds": 2.5, "stretches": 1,
        "bytes": 1024, "transfers": 4, "failed": 1,
    }  # fmt: skip
    assert second.redistribution.model_dump() == {
        "begin_seconds": 21, "end_seconds": None, "moving_seconds": None, "stretches": 1,
        "bytes": None, "transfers": None, "failed": 0,
    }  # fmt: skip
    (quiet,) = costs(iter(course({}, 30)), verb("kill node 1", 10, 10)).faults
    assert quiet.redistribution is None


def test_migrations_are_a_redistribution_whose_bytes_nobody_tells():
    marks = verb("kill node 2", 10, 10.1)
    for node, begin, end in ((1, 11, 13), (3, 11.5, 14)):
        marks.append(mark("migration_began", f"node {node}: migration began", begin))
        marks.append(mark("migration_ended", f"node {node}: migration ended", end))
    (only,) = costs(iter(course({}, 30)), marks).faults
    told = only.redistribution
    assert (told.begin_seconds, told.end_seconds, told.bytes) == (11, 14, None)


def migrations(*stretches: tuple[int, float, float]):
    for node, begin, end in stretches:
        yield mark("migration_began", f"node {node}: migration began", begin)
        yield mark("migration_ended", f"node {node}: migration ended", end)


@pytest.mark.parametrize(
    ("stretches", "moving", "times"),
    [
        # Seen on Aerospike: 8 s, a pause, 12 s.
        ([(1, 11, 19), (1, 32, 44)], 20, 2),
        # Others end the pauses of one.
        ([(1, 11, 19), (3, 18, 33), (1, 32, 44)], 33, 1),
        ([(1, 11, 19), (3, 12, 13), (2, 19, 20)], 9, 1),
    ],
)
def test_a_pause_between_two_redistributions_is_none(stretches, moving, times):
    marks = verb("kill node 2", 10, 10.1) + list(migrations(*stretches))
    (only,) = costs(iter(course({}, 50)), marks).faults
    told = only.redistribution
    assert (told.begin_seconds, told.end_seconds) == (11, max(end for *_, end in stretches))
    assert (told.moving_seconds, told.stretches) == (moving, times)


def test_a_pause_counts_in_streams_too():
    marks = verb("kill node 2", 10, 10.1) + moved(12, 14, 1000) + moved(20, 21, 24)
    (only,) = costs(iter(course({}, 30)), marks).faults
    told = only.redistribution
    assert (told.end_seconds, told.moving_seconds, told.stretches) == (21, 3, 2)
    assert told.bytes == 1024


def test_too_little_before_a_fault_is_said():
    (only,) = costs(iter(course({}, 30)), verb("kill node 1", 3, 3)).faults
    assert only.recovery is None
    assert only.not_told == (
        "3 intervals lie before the fault: break nothing before 5 intervals have passed"
    )
    assert only.stretches[0].operations["all"].ok == 300


def test_nothing_of_a_run_that_nobody_broke():
    assert costs(course({}, 5), []).faults == []
    assert costs([], verb("kill node 1", 3, 3)).faults == []


@pytest.fixture(scope="module")
def broken(laboratory):
    """A settled run in whose tenth second the server was killed; its id and attempt's."""
    usual, slow = {"ok": recorded(QUIET)}, {"ok": recorded(SLOW)}
    failed = {"errors": {"connection": {"count": 40}}}
    events = [
        {"kind": "interval", "interval": interval(n, {
            "read": failed if n in {10, 11} else slow if n == 12 else usual,
        })}
        for n in range(25)
    ]  # fmt: skip
    events += [
        {"kind": "mark", "mark": kind, "label": label, "at_us": START_US + round(at * SECOND)}
        for kind, label, at in (
            ("fault", "kill node 1", 10.2), ("fault_done", "node 1: killed", 10.3),
            ("fault", "start node 1", 11.0), ("fault_done", "node 1: serves again", 11.9),
        )
    ]  # fmt: skip
    events = numbered([*events, ended("measure", {})])
    document = experiment("broken", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    laboratory.campaign(document)
    order = laboratory.begin()
    laboratory.send(order, events)
    assert laboratory.get(f"/runs/{order['run_id']}/faults")["faults"] == []
    laboratory.complete(order, len(events))
    laboratory.settle(order["run_id"])
    return order


def test_it_is_kept_when_the_run_is_settled_and_served(laboratory, broken):
    shown = laboratory.get(f"/runs/{broken['run_id']}/faults")
    (only,) = shown["faults"]
    assert only["begin_seconds"] == pytest.approx(10.2)
    assert [one["intervals"] for one in only["stretches"]] == [10, 2, 13]
    assert only["stretches"][1]["operations"]["all"]["failed"] == 80
    assert only["recovery"]["returned_seconds"] == pytest.approx(2.8)
    with unit_of_work(laboratory.sessions) as session:
        query = select(models.FaultCost.body).where(
            models.FaultCost.attempt_id == UUID(broken["attempt_id"])
        )
        assert session.scalars(query).all() == [shown]


def test_of_a_run_from_before_it_is_worked_out_when_it_is_asked_for(laboratory, broken):
    kept = laboratory.get(f"/runs/{broken['run_id']}/faults")
    with unit_of_work(laboratory.sessions) as session:
        session.execute(delete(models.FaultCost))
    assert laboratory.get(f"/runs/{broken['run_id']}/faults") == kept
