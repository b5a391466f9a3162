"""Dates of a schedule: cron expression and time zone to instants. Pure.

Daylight saving follows Debian's cron, as `cronsim` implements it: a job set for a time that the
clock skips runs right after the gap, one set for a time that comes twice runs once; jobs whose
minute or hour is `*` simply go on.
"""

import datetime
import itertools
import zoneinfo
from collections.abc import Iterator

from cronsim import CronSim, CronSimError

FIELDS = 5


class InvalidSchedule(ValueError):
    """A cron expression or time zone that cannot be used."""

    def __init__(self, field: str, message: str, expected: str) -> None:
        """:param field: `cron` or `time_zone`."""
        self.field = field
        self.message = message
        self.expected = expected
        super().__init__(f"{field}: {message}")


def upcoming(
    cron: str, time_zone: str, after: datetime.datetime, count: int = 5
) -> list[datetime.datetime]:
    """The next dates of a schedule.

    :param cron: five fields: minute, hour, day of month, month, day of week.
    :param time_zone: IANA name, for example `Europe/Vienna`.
    :param after: an aware instant; only later dates are returned.
    :param count: how many dates at most.
    :returns: instants in UTC, ascending, each once; fewer than `count` when no more will come.
    :raises InvalidSchedule: when either part cannot be read or no date will ever come.
    """
    zone = _zone(time_zone)
    if len(cron.split()) != FIELDS:
        raise InvalidSchedule(
            "cron", f"{cron!r} has {len(cron.split())} fields", "five fields, e.g. '30 2 * * *'"
        )
    # An hour is taken off, and earlier dates dropped below, so that the second pass of an hour
    # that comes twice is seen from its beginning.
    start = (after - datetime.timedelta(hours=1)).astimezone(zone)
    try:
        dates = CronSim(cron, start)
    except CronSimError as error:
        raise InvalidSchedule("cron", str(error), "five fields, e.g. '30 2 * * *'") from error
    found = list(itertools.islice(_ascending(dates, after), count))
    if not found:
        raise InvalidSchedule("cron", f"{cron!r} has no date to come", "a date that exists")
    return found


def _ascending(dates: CronSim, after: datetime.datetime) -> Iterator[datetime.datetime]:
    last = after.astimezone(datetime.UTC)
    for date in dates:
        instant = date.astimezone(datetime.UTC)
        if instant > last:
            last = instant
            yield instant


def _zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidSchedule(
            "time_zone", f"{name!r} is no time zone", "an IANA name, e.g. 'Europe/Vienna'"
        ) from error
