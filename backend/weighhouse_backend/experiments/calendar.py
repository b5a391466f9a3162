"""Dates of a schedule: cron expression and time zone to instants. Pure.

Daylight saving follows Debian's cron, as `cronsim` implements it: a job set for a time that the
clock skips runs right after the gap, one set for a time that comes twice runs once; jobs whose
minute or hour is `*` simply go on.
"""

import datetime
import itertools
import zoneinfo
from collections.abc import Iterator
from dataclasses import dataclass

from cronsim import CronSim, CronSimError

FIELDS = 5
COUNTED = 1000
"""More dates than these are not counted one by one."""
_SPANS = (datetime.timedelta(hours=1), datetime.timedelta(days=1), datetime.timedelta(days=32))


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
    found = list(itertools.islice(_ascending(_dates(cron, time_zone, after), after), count))
    if not found:
        raise InvalidSchedule("cron", f"{cron!r} has no date to come", "a date that exists")
    return found


@dataclass(frozen=True)
class Passed:
    """Dates that went by."""

    first: datetime.datetime
    before_last: datetime.datetime | None
    """None when there is only one."""
    last: datetime.datetime
    count: int
    """At most `COUNTED`; that many or more."""


def passed(cron: str, time_zone: str, first: datetime.datetime, until: datetime.datetime) -> Passed:
    """The dates of a schedule in a stretch of time; quick even when it is years of minutes.

    :param first: the first of them.
    :param until: the end of the stretch, itself included; not before `first`.
    :raises InvalidSchedule: when either part cannot be read.
    """
    before = first - datetime.timedelta(seconds=1)
    dates = _ascending(_dates(cron, time_zone, before), before)
    counted = [first, *_until(dates, until, COUNTED)]
    # `first` is a date by what was believed when it was set; rules of time zones change.
    known = sorted(set(counted))[:COUNTED]
    last, before_last = known[-1], known[-2] if len(known) > 1 else None
    if len(known) == COUNTED:
        before_last, last = _last_two(cron, time_zone, until) or (before_last, last)
    return Passed(first, before_last, last, len(known))


def _last_two(
    cron: str, time_zone: str, until: datetime.datetime
) -> tuple[datetime.datetime, datetime.datetime] | None:
    for span in _SPANS:
        after = until - span
        found = list(_until(_ascending(_dates(cron, time_zone, after), after), until))
        if len(found) > 1:
            return found[-2], found[-1]
    return None


def _until(
    dates: Iterator[datetime.datetime], until: datetime.datetime, most: int | None = None
) -> Iterator[datetime.datetime]:
    return itertools.islice(itertools.takewhile(lambda date: date <= until, dates), most)


def _dates(cron: str, time_zone: str, after: datetime.datetime) -> CronSim:
    zone = _zone(time_zone)
    if len(cron.split()) != FIELDS:
        raise InvalidSchedule(
            "cron", f"{cron!r} has {len(cron.split())} fields", "five fields, e.g. '30 2 * * *'"
        )
    # An hour is taken off, and earlier dates are dropped by `_ascending`, so that the second pass
    # of an hour that comes twice is seen from its beginning.
    start = (after - datetime.timedelta(hours=1)).astimezone(zone)
    try:
        return CronSim(cron, start)
    except CronSimError as error:
        raise InvalidSchedule("cron", str(error), "five fields, e.g. '30 2 * * *'") from error


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
