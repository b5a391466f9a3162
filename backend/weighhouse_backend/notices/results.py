"""How an attempt to deliver ended."""

from dataclasses import dataclass

from weighhouse_backend.notices.kinds import AttemptOutcome


@dataclass(frozen=True)
class Result:
    """How one attempt ended."""

    outcome: AttemptOutcome
    status_code: int | None = None
    """Of HTTP, where there was an answer."""
    detail: str = ""
    """For people; nothing secret."""
    for_good: bool = False
    """Trying again is of no use."""
