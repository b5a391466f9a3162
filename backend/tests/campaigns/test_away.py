"""Who keeps a gang waiting, also where a run loads nothing and a barrier is never come to."""

import datetime
from uuid import uuid4

import pytest
from weighhouse_backend.execution.barriers import away
from weighhouse_backend.execution.orders import planned_phases
from weighhouse_backend.runs.models import Attempt, AttemptMember
from weighhouse_protocol.phases import Phases

NOW = datetime.datetime(2026, 11, 27, tzinfo=datetime.UTC)
LONG = datetime.timedelta(days=1)
BEFORE = ("placed", "up", "formed", "connected")


def member(index: int, *barriers: str) -> AttemptMember:
    at_us = int(NOW.timestamp() * 1e6)
    arrivals = {name: {"at_us": at_us, "payload": {}} for name in barriers}
    return AttemptMember(
        attempt_id=uuid4(), index=index, agent_name=f"scale-{index}", arrivals=arrivals,
        share={"index": index, "of": 2},
    )  # fmt: skip


@pytest.mark.parametrize("loaded", [True, False])
def test_who_does_not_come_to_the_last_barrier_is_away(*, loaded: bool) -> None:
    phases = planned_phases(Phases(), loaded=loaded)
    passed = (*BEFORE, *(f"phase-{index}" for index in range(1, len(phases))))
    attempt = Attempt(releases={name: {"at_us": 0, "begins_at_us": 0} for name in passed})
    members = [member(0, *passed, "measured"), member(1, *passed)]
    # Whoever looks knows the plan alone, not whether the run loads.
    found = away(attempt, members, planned_phases(Phases()), NOW + LONG)
    assert found is not None
    assert (found.barrier, [one.index for one in found.members]) == ("measured", [1])
    assert away(attempt, members, planned_phases(Phases()), NOW) is None


def test_nobody_is_away_while_no_driver_waits() -> None:
    attempt = Attempt(releases={name: {"at_us": 0, "begins_at_us": 0} for name in BEFORE})
    members = [member(0, *BEFORE), member(1, *BEFORE)]
    assert away(attempt, members, planned_phases(Phases()), NOW + LONG) is None
