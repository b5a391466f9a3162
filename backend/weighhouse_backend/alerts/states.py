"""What an alert can be, and what can become of it."""

from enum import StrEnum


class AlertKind(StrEnum):
    """What an alert tells of."""

    CHANGE = "change"
    """Series of an experiment stepped or drifted."""
    MISSED_RUN = "missed_run"
    """Dates of a schedule on which nothing was started."""
    NO_RESULT = "no_result"
    """Campaigns of an experiment that ended without a figure."""
    SILENT_AGENT = "silent_agent"
    """Nobody hears of an agent that is waited for."""


class AlertState(StrEnum):
    """What people say of an alert."""

    UNTRIAGED = "untriaged"
    """Nobody has looked at it."""
    ACKNOWLEDGED = "acknowledged"
    """Somebody looks into it."""
    NOISE = "noise"
    """Nothing happened: the measurement scatters."""
    INFRASTRUCTURE = "infrastructure"
    """The machine or the network, not what is measured."""
    EXPECTED = "expected"
    """It was meant to be so."""
    DOWNSTREAM = "downstream"
    """Another alert explains it."""
    WONT_FIX = "wont_fix"
    """It is true, and stays so."""
    FIXED = "fixed"
    """It was mended."""


OPEN = frozenset({AlertState.UNTRIAGED, AlertState.ACKNOWLEDGED})
"""States in which something is still to be done."""

CONTRADICTED = frozenset(
    {
        AlertState.NOISE,
        AlertState.INFRASTRUCTURE,
        AlertState.EXPECTED,
        AlertState.WONT_FIX,
        AlertState.FIXED,
    }
)
"""States that later campaigns can contradict."""


class EventKind(StrEnum):
    """What a line of an alert's history tells."""

    RAISED = "raised"
    TRIAGED = "triaged"
    """Somebody said something of it."""
    REPEATED = "repeated"
    """It happened again, while it goes on."""
    REOPENED = "reopened"
    """Later campaigns contradict what was said."""
    EXPLAINED = "explained"
    """It turned out to have the cause of another one."""
    ENDED = "ended"
    """It is over by itself."""
