"""The tables of transitions, and the one method that walks them."""

import itertools
from typing import Any

import pytest
from weighhouse_backend.campaigns.transitions import checked
from weighhouse_backend.runs.errors import TransitionRefused
from weighhouse_backend.runs.states import (
    ATTEMPT_TRANSITIONS,
    CAMPAIGN_TRANSITIONS,
    FINISHED_RUNS,
    MEMBER_TRANSITIONS,
    RUN_TRANSITIONS,
    AttemptStatus,
    CampaignStatus,
    MemberStatus,
    RunStatus,
)

TABLES = [
    (CAMPAIGN_TRANSITIONS, CampaignStatus),
    (RUN_TRANSITIONS, RunStatus),
    (ATTEMPT_TRANSITIONS, AttemptStatus),
    (MEMBER_TRANSITIONS, MemberStatus),
]


@pytest.mark.parametrize(("table", "states"), TABLES)
def test_every_pair_is_either_in_the_table_or_refused(table: Any, states: Any) -> None:
    assert set(table) == set(states)
    for now, wanted in itertools.product(states, states):
        if wanted in table[now]:
            assert checked(table, now, wanted) is wanted
        else:
            with pytest.raises(TransitionRefused, match=str(wanted)):
                checked(table, now, wanted)


@pytest.mark.parametrize(("table", "states"), TABLES)
def test_every_state_can_be_reached_and_every_open_one_can_end(table: Any, states: Any) -> None:
    first = next(iter(states))

    def reached(start: Any) -> set[Any]:
        seen, todo = {start}, [start]
        while todo:
            for after in table[todo.pop()] - seen:
                seen.add(after)
                todo.append(after)
        return seen

    assert reached(first) == set(states)
    ends = {state for state in states if not table[state]}
    for state in states:
        assert reached(state) & ends


def test_a_run_that_ended_well_changes_only_with_its_block() -> None:
    # Its machine was lost before the block was complete, and none alike was there.
    assert RUN_TRANSITIONS[RunStatus.COMPLETED] == {RunStatus.QUEUED}
    assert RUN_TRANSITIONS[RunStatus.CANCELLED] == frozenset()
    # Asked for again by a person, or a lost attempt's result came after all.
    assert RUN_TRANSITIONS[RunStatus.FAILED] == {RunStatus.QUEUED, RunStatus.SETTLING}
    assert RunStatus.SETTLING not in FINISHED_RUNS
