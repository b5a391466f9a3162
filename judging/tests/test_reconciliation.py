"""Client and server side by side: what follows from their counts, and what does not."""

from dataclasses import replace
from typing import Any

import pytest
from weighhouse_judging.findings.counted import (
    BEGAN_ANEW,
    NOT_TOLD,
    OTHER_NODES,
    Asked,
    Served,
    between,
    in_stretch,
    reconciled,
    together,
)
from weighhouse_judging.findings.reconciliation import reconciliation
from weighhouse_protocol.counts import CommandCount, Counting, Counts, NodeCounts

from .observations import SOUND
from .reconciling import counted

COUNTING = Counting.model_validate({
    "source": "INFO",
    "beside": ["info", "config|*"],
    "resets": ["config|resetstat"],
    "rows": [
        {"name": "reads", "operations": ["read", "read_modify_write"], "commands": ["get", "mget"],
         "also": ["scan"], "found": True},
        {"name": "writes", "operations": ["update", "read_modify_write"], "commands": ["set"]},
    ],
})  # fmt: skip


def node(life: str = "1", name: str = "a", **calls: int) -> NodeCounts:
    return NodeCounts(
        node=name,
        life=life,
        commands={
            each.replace("__", "|"): CommandCount(calls=n, us=2 * n) for each, n in calls.items()
        },
    )


def served(**calls: int) -> Served:
    found = between([node()], [node(**calls)])
    assert isinstance(found, Served)
    return found


@pytest.mark.parametrize(
    ("run", "severity", "words"),
    [
        (counted(), None, ""),
        (counted(served=1005), None, ""),
        (counted(served=1009), "caution", "0.9 % were asked by somebody else"),
        (counted(served=1100), "error", "9.1 % were asked by somebody else"),
        (counted(served=900), "error", "10.0 % of the answers did not come from it"),
        (counted(Asked(found=980, unanswered=20)), "error", "20 (2.0 %) were lost on the way"),
        # Errors are answers; a server need not count what it refused.
        (counted(Asked(found=900, failed=100)), None, ""),
        (counted(Asked(found=900, failed=100), served=900), None, ""),
        (counted(Asked(found=100, not_found=900), misses=900), None, ""),
        (counted(misses=900), "error", "900 answers without a record were counted as found"),
        (counted(lpush=200, llen=1), "error", "200 lpush, 1 llen: they were asked"),
        (counted(llen=5), None, ""),
    ],
)  # fmt: skip
def test_what_differs_is_told_with_its_likely_cause(
    run: Any, severity: str | None, words: str
) -> None:
    found = reconciliation(run)
    assert (None if found is None else found.severity) == severity, found
    assert found is None or words in found.message.replace("\u2009", " "), found


def test_a_read_modify_write_is_a_read_and_a_write() -> None:
    client = {"read": Asked(found=10), "update": Asked(found=5), "read_modify_write": Asked(3)}
    found = reconciled(COUNTING, client, served(get=13, set=8, info=4, config__get=1))
    assert [(row.name, row.client.asked, row.served) for row in found.rows] == [
        ("reads", 13, 13), ("writes", 8, 8),
    ]  # fmt: skip
    assert found.strangers == {}
    assert found.rows[0].us == 26


def test_operations_that_send_as_many_as_they_need_leave_nothing_to_compare() -> None:
    client = {"read": Asked(found=10), "scan": Asked(found=5)}
    (reads,) = reconciled(COUNTING, client, served(get=60)).rows
    assert reads.why_not.startswith("scan sends")


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        ([], [], NOT_TOLD),
        ([node(get=1)], [], NOT_TOLD),
        ([node(get=1)], [node(get=2, name="b")], OTHER_NODES),
        ([node(get=9)], [node(get=2)], BEGAN_ANEW),
        ([node(get=9)], [node(set=2)], BEGAN_ANEW),
        ([node(get=1)], [node(get=2, life="2")], BEGAN_ANEW),
        # A counter of 32 bits that wrapped.
        ([node(get=2**32 - 100)], [node(get=900)], BEGAN_ANEW),
        ([node(get=1, set=9)], [node(get=500, set=8)], BEGAN_ANEW),
        ([node(get=1), node(name="b", get=9)], [node(get=5), node(name="b", get=2)], BEGAN_ANEW),
    ],
)
def test_counters_that_do_not_belong_together_say_nothing(
    before: list[NodeCounts], after: list[NodeCounts], word: str
) -> None:
    assert between(before, after) == word


def test_counters_that_are_set_back_again_and_again_are_no_answers_of_others() -> None:
    found = reconciled(COUNTING, {"read": Asked(found=10)}, served(get=7, config__resetstat=1))
    assert (found.why_not, found.rows) == (BEGAN_ANEW, ())


def test_nodes_add_up() -> None:
    found = between([node(get=1), node(name="b", get=2)], [node(get=5), node(name="b", get=9)])
    assert isinstance(found, Served)
    assert found.commands["get"] == CommandCount(calls=11, us=22)


def test_what_was_served_on_both_sides_of_a_restart_adds_up() -> None:
    first = between([node()], [node(set=900, get=1)])
    second = between([node("2")], [node("2", get=600)])
    found = together([first, second])
    assert isinstance(found, Served)
    assert {name: one.calls for name, one in found.commands.items()} == {"set": 900, "get": 601}
    assert found.commands["get"].us == 1202
    assert together([first, between([node("2", get=9)], [node("2", get=2)])]) == BEGAN_ANEW
    assert together([]) == NOT_TOLD


def test_what_is_not_counted_as_it_is_set_up_is_not_compared() -> None:
    counts = Counts(commands={"set": CommandCount(calls=800)}, lacking=("get",))
    client = {"read": Asked(found=1000), "update": Asked(found=800)}
    found = reconciled(COUNTING, client, together([in_stretch(counts)]))
    assert {row.name: row.why_not for row in found.rows} == {
        "reads": "the system does not count them as it is set up", "writes": "",
    }  # fmt: skip
    run = replace(SOUND, reconciled=found)
    assert reconciliation(run) is None
    lost = replace(found, rows=[replace(row, served=500) for row in found.rows])
    assert reconciliation(replace(run, reconciled=lost)) is not None
