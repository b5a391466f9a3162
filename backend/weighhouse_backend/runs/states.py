"""The states of campaigns, runs, attempts and their members, and which may follow which.

The tables below are the whole truth; `transitions.py` is the only writer of a status.
"""

from collections.abc import Mapping
from enum import StrEnum


class CampaignStatus(StrEnum):
    """How far a campaign is; whether it is paused is a flag beside it."""

    QUEUED = "queued"
    RUNNING = "running"
    SETTLING = "settling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class CampaignState(StrEnum):
    """Where a campaign stands, in one word: its status, or that it is paused."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    """No more runs are given out until somebody resumes it."""
    SETTLING = "settling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


def state_of(status: str, *, paused: bool) -> CampaignState:
    """Where a campaign stands; the one place that decides when it is called paused.

    :param paused: the flag, which stays when the runs that were under way end the campaign.
    """
    if paused and status in {CampaignStatus.QUEUED, CampaignStatus.RUNNING}:
        return CampaignState.PAUSED
    return CampaignState(status)


class RunStatus(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    ALLOCATED = "allocated"
    RUNNING = "running"
    SETTLING = "settling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class AttemptStatus(StrEnum):
    """Where one try at a run, by all its members together, stands."""

    PREPARING = "preparing"
    READY = "ready"
    """Of a gang: the system is formed, its drivers connect."""
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"
    SUPERSEDED = "superseded"


class MemberStatus(StrEnum):
    """Where one agent's part in an attempt stands."""

    OFFERED = "offered"
    CLAIMED = "claimed"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"
    SUPERSEDED = "superseded"


class Verdict(StrEnum):
    """What a campaign says against its base."""

    PASSED = "passed"
    EQUIVALENT = "equivalent"
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"
    INFRASTRUCTURE = "infrastructure"
    REFUSED = "refused"
    NO_BASELINE = "no_baseline"
    NOT_COMPARABLE = "not_comparable"


BASE_VERDICTS = frozenset(
    {Verdict.PASSED, Verdict.EQUIVALENT, Verdict.INCONCLUSIVE, Verdict.NO_BASELINE}
)
"""Of campaigns that may be a base as they stand; others have to be accepted. The first campaign has
no base, and is the beginning. Inconclusive ones count: those alone that pass lie higher than their
level, and each makes the next look worse. What they lose a little at a time, the anchor holds."""
NOTHING_TO_ACCEPT = BASE_VERDICTS - {Verdict.INCONCLUSIVE}
"""Of campaigns against which nothing stands."""


class Trigger(StrEnum):
    """Who asked for a campaign."""

    PERSON = "person"
    SCHEDULE = "schedule"
    API = "api"


class LookDecision(StrEnum):
    """What followed from a look at a campaign's figures."""

    MORE = "more"
    """Undecided cells get one more block."""
    ENOUGH = "enough"
    """No cell gets more: decided, at its limit, or beyond what repeats can tell."""
    ASKED = "asked"
    """Nobody looked: somebody asked for more repeats."""
    AGAIN = "again"
    """Cells that seem worse are measured once more before the verdict."""


class CellCourse(StrEnum):
    """Where a cell stands after a look."""

    UNDECIDED = "undecided"
    """It gets one more block."""
    DECIDED = "decided"
    AT_MOST = "at_most"
    """Undecided, and at the most repetitions it may get."""
    HOPELESS = "hopeless"
    """More repeats would tell nothing: it cannot be measured, or whole campaigns differ by more."""


class CancelMode(StrEnum):
    """What an attempt is told about stopping."""

    NONE = "none"
    GRACEFUL = "graceful"
    KILL = "kill"


CAMPAIGN_TRANSITIONS: Mapping[CampaignStatus, frozenset[CampaignStatus]] = {
    CampaignStatus.QUEUED: frozenset({CampaignStatus.RUNNING, CampaignStatus.CANCELLED}),
    CampaignStatus.RUNNING: frozenset({CampaignStatus.SETTLING, CampaignStatus.CANCELLED}),
    # Settling to running: the late result of a lost attempt arrives.
    CampaignStatus.SETTLING: frozenset(
        {
            CampaignStatus.RUNNING,
            CampaignStatus.COMPLETED,
            CampaignStatus.FAILED,
            CampaignStatus.CANCELLED,
        }
    ),
    # Failed runs may be tried again by a person; the campaign is then open once more.
    CampaignStatus.COMPLETED: frozenset({CampaignStatus.RUNNING}),
    CampaignStatus.FAILED: frozenset({CampaignStatus.RUNNING}),
    CampaignStatus.CANCELLED: frozenset(),
}

RUN_TRANSITIONS: Mapping[RunStatus, frozenset[RunStatus]] = {
    # Queued or allocated to settling: the late result of a lost attempt arrives.
    # Queued or allocated to running: a lost agent is back and still measuring.
    RunStatus.QUEUED: frozenset(
        {
            RunStatus.ALLOCATED,
            RunStatus.RUNNING,
            RunStatus.SETTLING,
            RunStatus.FAILED,
            RunStatus.CANCELLED,
        }
    ),
    RunStatus.ALLOCATED: frozenset(
        {
            RunStatus.QUEUED,
            RunStatus.RUNNING,
            RunStatus.SETTLING,
            RunStatus.FAILED,
            RunStatus.CANCELLED,
        }
    ),
    RunStatus.RUNNING: frozenset(
        {RunStatus.QUEUED, RunStatus.SETTLING, RunStatus.FAILED, RunStatus.CANCELLED}
    ),
    # Settling to cancelled: a person asked twice, whatever keeps it from being settled.
    RunStatus.SETTLING: frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED}),
    # Its block is measured again, on other machines.
    RunStatus.COMPLETED: frozenset({RunStatus.QUEUED}),
    # A person asks for the failed runs again; or the late result of an attempt arrives that was
    # lost once too often.
    RunStatus.FAILED: frozenset({RunStatus.QUEUED, RunStatus.SETTLING}),
    RunStatus.CANCELLED: frozenset(),
}

_ENDS = frozenset(
    {
        AttemptStatus.FAILED,
        AttemptStatus.CANCELLED,
        AttemptStatus.LOST,
        AttemptStatus.SUPERSEDED,
    }
)

ATTEMPT_TRANSITIONS: Mapping[AttemptStatus, frozenset[AttemptStatus]] = {
    # Preparing to running: an agent alone has nobody to wait for.
    AttemptStatus.PREPARING: _ENDS | {AttemptStatus.READY, AttemptStatus.RUNNING},
    AttemptStatus.READY: _ENDS | {AttemptStatus.RUNNING},
    AttemptStatus.RUNNING: _ENDS | {AttemptStatus.COMPLETED},
    AttemptStatus.COMPLETED: frozenset(),
    AttemptStatus.FAILED: frozenset(),
    AttemptStatus.CANCELLED: frozenset(),
    # A lost agent may come back: still measuring, or with its result.
    AttemptStatus.LOST: frozenset(
        {
            AttemptStatus.RUNNING,
            AttemptStatus.COMPLETED,
            AttemptStatus.FAILED,
            AttemptStatus.CANCELLED,
            AttemptStatus.SUPERSEDED,
        }
    ),
    AttemptStatus.SUPERSEDED: frozenset(),
}

MEMBER_TRANSITIONS: Mapping[MemberStatus, frozenset[MemberStatus]] = {
    MemberStatus.OFFERED: frozenset(
        {
            MemberStatus.CLAIMED,
            MemberStatus.CANCELLED,
            MemberStatus.LOST,
            MemberStatus.SUPERSEDED,
        }
    ),
    MemberStatus.CLAIMED: frozenset(
        {
            MemberStatus.RUNNING,
            MemberStatus.FAILED,
            MemberStatus.CANCELLED,
            MemberStatus.LOST,
            MemberStatus.SUPERSEDED,
        }
    ),
    MemberStatus.RUNNING: frozenset(
        {
            MemberStatus.COMPLETED,
            MemberStatus.FAILED,
            MemberStatus.CANCELLED,
            MemberStatus.LOST,
            MemberStatus.SUPERSEDED,
        }
    ),
    MemberStatus.COMPLETED: frozenset(),
    MemberStatus.FAILED: frozenset(),
    MemberStatus.CANCELLED: frozenset(),
    MemberStatus.LOST: frozenset(
        {
            MemberStatus.RUNNING,
            MemberStatus.COMPLETED,
            MemberStatus.FAILED,
            MemberStatus.CANCELLED,
            MemberStatus.SUPERSEDED,
        }
    ),
    MemberStatus.SUPERSEDED: frozenset(),
}

OPEN_CAMPAIGNS = (CampaignStatus.QUEUED, CampaignStatus.RUNNING, CampaignStatus.SETTLING)
"""A campaign in one of these goes on by itself."""

FINISHED_CAMPAIGNS = (CampaignStatus.COMPLETED, CampaignStatus.FAILED, CampaignStatus.CANCELLED)
"""A campaign in one of these stands still."""

FINISHED_RUNS = (RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED)
"""A run in one of these has ended."""

LIVE_ATTEMPTS = (AttemptStatus.PREPARING, AttemptStatus.READY, AttemptStatus.RUNNING)
"""An attempt in one of these is under way."""

LIVE_MEMBERS = (MemberStatus.OFFERED, MemberStatus.CLAIMED, MemberStatus.RUNNING)
"""A member in one of these occupies its agent's slot."""

INFRASTRUCTURE_RETRIES = 2
"""How often a run is queued again after a failure that is no result."""
