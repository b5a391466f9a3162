"""The states of campaigns, runs and attempts, and which may follow which.

The tables below are the whole truth; `transitions.py` is the only writer of a status.
"""

from collections.abc import Mapping
from enum import StrEnum


class CampaignStatus(StrEnum):
    """Where a campaign stands; *paused* is a flag beside it."""

    QUEUED = "queued"
    RUNNING = "running"
    SETTLING = "settling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


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
    """Where one try at a run stands."""

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
    NO_BASELINE = "no_baseline"


class Trigger(StrEnum):
    """Who asked for a campaign."""

    PERSON = "person"
    SCHEDULE = "schedule"
    API = "api"


class CancelMode(StrEnum):
    """What an attempt is told about stopping."""

    NONE = "none"
    GRACEFUL = "graceful"
    KILL = "kill"


CAMPAIGN_TRANSITIONS: Mapping[CampaignStatus, frozenset[CampaignStatus]] = {
    CampaignStatus.QUEUED: frozenset({CampaignStatus.RUNNING, CampaignStatus.CANCELLED}),
    CampaignStatus.RUNNING: frozenset({CampaignStatus.SETTLING, CampaignStatus.CANCELLED}),
    CampaignStatus.SETTLING: frozenset(
        {CampaignStatus.COMPLETED, CampaignStatus.FAILED, CampaignStatus.CANCELLED}
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
    RunStatus.SETTLING: frozenset({RunStatus.COMPLETED, RunStatus.FAILED}),
    RunStatus.COMPLETED: frozenset(),
    # A person asks for the failed runs again.
    RunStatus.FAILED: frozenset({RunStatus.QUEUED}),
    RunStatus.CANCELLED: frozenset(),
}

ATTEMPT_TRANSITIONS: Mapping[AttemptStatus, frozenset[AttemptStatus]] = {
    AttemptStatus.OFFERED: frozenset(
        {
            AttemptStatus.CLAIMED,
            AttemptStatus.CANCELLED,
            AttemptStatus.LOST,
            AttemptStatus.SUPERSEDED,
        }
    ),
    AttemptStatus.CLAIMED: frozenset(
        {
            AttemptStatus.RUNNING,
            AttemptStatus.FAILED,
            AttemptStatus.CANCELLED,
            AttemptStatus.LOST,
            AttemptStatus.SUPERSEDED,
        }
    ),
    AttemptStatus.RUNNING: frozenset(
        {
            AttemptStatus.COMPLETED,
            AttemptStatus.FAILED,
            AttemptStatus.CANCELLED,
            AttemptStatus.LOST,
            AttemptStatus.SUPERSEDED,
        }
    ),
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

OPEN_CAMPAIGNS = (CampaignStatus.QUEUED, CampaignStatus.RUNNING, CampaignStatus.SETTLING)
"""A campaign in one of these goes on by itself."""

FINISHED_CAMPAIGNS = (CampaignStatus.COMPLETED, CampaignStatus.FAILED, CampaignStatus.CANCELLED)
"""A campaign in one of these stands still."""

FINISHED_RUNS = (RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED)
"""A run in one of these has ended."""

LIVE_ATTEMPTS = (AttemptStatus.OFFERED, AttemptStatus.CLAIMED, AttemptStatus.RUNNING)
"""An attempt in one of these occupies its agent."""

INFRASTRUCTURE_RETRIES = 2
"""How often a run is queued again after a failure that is no result."""
