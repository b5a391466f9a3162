"""Barriers: how far a gang is, whom it waits for, and for how long. Pure."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_protocol.load import Phase
from weighhouse_protocol.order import BARRIERS_BEFORE, barriers

from weighhouse_backend.runs.models import Attempt, AttemptMember

LEAD_SECONDS = 2.0
"""From the release of a barrier that begins a phase to the phase's begin: every member hears of it
before."""
FORMING_SECONDS = 900.0
"""What the members with nodes may take for placing, starting and forming a system, once a driver
waits for them."""
AWAY_SECONDS = 60.0
"""How long a driver may stay away from the end of a phase beyond what the phase takes."""
LOADING_FACTOR = 2.0
"""A driver may load this many times as long again as the first that was through."""

CONNECTED = "connected"
FORMED = "formed"
MEASURED = "measured"
MICROSECONDS = 1_000_000


@dataclass(frozen=True)
class Away:
    """Members that keep the others waiting."""

    barrier: str
    members: tuple[AttemptMember, ...]
    waited_seconds: float
    limit_seconds: float


def begins_a_phase(name: str) -> bool:
    """Whether what follows a barrier is a phase of the load, which begins everywhere at once."""
    return name == CONNECTED or name.startswith("phase-")


def missing(members: Sequence[AttemptMember], name: str) -> tuple[AttemptMember, ...]:
    """Members that are not at a barrier yet."""
    return tuple(member for member in members if name not in member.arrivals)


def awaited(attempt: Attempt, members: Sequence[AttemptMember], phases: int) -> str | None:
    """The barrier at which a driver waits for the others; None: none does.

    A run whose records are there has a phase less than its plan: nobody comes to one of its
    barriers.

    :param phases: how many the plan of the run has.
    """
    drivers = [member for member in members if member.share is not None]
    return next(
        (
            name
            for name in barriers(phases)
            if name not in attempt.releases and any(name in one.arrivals for one in drivers)
        ),
        None,
    )


def away(
    attempt: Attempt,
    members: Sequence[AttemptMember],
    phases: Sequence[Phase],
    now: datetime.datetime,
) -> Away | None:
    """Who stays away past the limit, counted from the first driver's arrival; None: nobody.

    :param phases: the plan of the run.
    """
    name = awaited(attempt, members, len(phases))
    if name is None:
        return None
    arrived = [
        int(member.arrivals[name]["at_us"])
        for member in members
        if member.share is not None and name in member.arrivals
    ]
    first_us = min(arrived)
    waited = now.timestamp() - first_us / MICROSECONDS
    limit = _limit_seconds(attempt, name, phases, first_us)
    if waited <= limit:
        return None
    return Away(name, missing(members, name), waited, limit)


def _limit_seconds(attempt: Attempt, name: str, phases: Sequence[Phase], first_us: int) -> float:
    if name in BARRIERS_BEFORE:
        return FORMING_SECONDS
    index = len(phases) - 1 if name == MEASURED else int(name.removeprefix("phase-")) - 1
    before = CONNECTED if index == 0 else f"phase-{index}"
    begun_us = attempt.releases.get(before, {}).get("begins_at_us") or first_us
    taken = max(0.0, (first_us - begun_us) / MICROSECONDS)
    planned = phases[index].duration_seconds
    if planned is None:
        return AWAY_SECONDS + LOADING_FACTOR * taken
    return AWAY_SECONDS + max(0.0, planned - taken)
