"""What quotas are of: how each is called, counted, and mended. Pure."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

NEAR = 0.8
"""Share of a limit from which on people are warned."""
SECONDS_PER_HOUR = 3600
DECEMBER = 12


class Kind(StrEnum):
    """What a quota is of."""

    AGENTS = "agents"
    """Machines that are enrolled and not revoked."""
    CONCURRENT_RUNS = "concurrent_runs"
    """Runs that machines hold at one time."""
    MACHINE_HOURS = "machine_hours"
    """How long machines were held in the calendar month, by UTC."""
    RESULT_BYTES = "result_bytes"
    """Rows of results in the database."""
    ARTIFACT_BYTES = "artifact_bytes"
    """Files that runs left."""
    CAMPAIGNS = "campaigns"
    """Campaigns that are kept."""


Unit = Literal["count", "hours", "bytes"]
Level = Literal["unlimited", "fine", "near", "reached"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """A kind in words."""

    name: str
    unit: Unit
    effect: str
    """What follows when the limit is reached."""
    mend: str
    """What makes room."""


MEANINGS: Mapping[Kind, Meaning] = {
    Kind.AGENTS: Meaning(
        "Agents", "count", "no further machine is enrolled", "revoke a machine that is not needed"
    ),
    Kind.CONCURRENT_RUNS: Meaning(
        "Concurrent runs",
        "count",
        "further runs wait in the queue until one ends; nothing fails",
        "wait, or cancel what is not needed",
    ),
    Kind.MACHINE_HOURS: Meaning(
        "Machine-hours this month",
        "hours",
        "no campaign starts, is repeated or retried until the month is over (UTC); those that have "
        "started go on",
        "wait for the next month",
    ),
    Kind.RESULT_BYTES: Meaning(
        "Stored results",
        "bytes",
        "no campaign starts, is repeated or retried; what is being measured is taken in all the "
        "same",
        "keep intervals and logs for fewer days (Settings → Retention), delete campaigns, or use "
        "another project that has room",
    ),
    Kind.ARTIFACT_BYTES: Meaning(
        "Stored artefacts",
        "bytes",
        "files of runs are refused; the runs go on, and their figures are kept",
        "let runs leave fewer files, or keep them for fewer days (Settings → Retention)",
    ),
    Kind.CAMPAIGNS: Meaning(
        "Campaigns kept",
        "count",
        "no campaign starts",
        "repeat a campaign that is there, or delete one",
    ),
}
SPENT = (Kind.MACHINE_HOURS, Kind.RESULT_BYTES)
"""What a campaign uses while it runs: how much of it is not known when it starts."""


def month_of(now: datetime.datetime) -> tuple[datetime.datetime, datetime.datetime]:
    """The calendar month that an instant is in, by UTC: its beginning, and the next one's."""
    begin = now.astimezone(datetime.UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    later = (begin.year + 1, 1) if begin.month == DECEMBER else (begin.year, begin.month + 1)
    return begin, begin.replace(year=later[0], month=later[1])


def level_of(used: float, limit: float | None) -> Level:
    """How a use stands to its limit."""
    if limit is None:
        return "unlimited"
    if used >= limit:
        return "reached"
    return "near" if used >= NEAR * limit else "fine"


def words(value: float, unit: Unit) -> str:
    """An amount as people read it."""
    if unit == "hours":
        return f"{value:,.1f} h"
    if unit == "count":
        return f"{value:,.0f}"
    for name in ("B", "kB", "MB", "GB"):
        if value < 1000:  # noqa: PLR2004
            return f"{value:,.0f} {name}" if name == "B" else f"{value:,.1f} {name}"
        value /= 1000
    return f"{value:,.1f} TB"
