"""When a person's mail may go out: quiet hours and digests, by the clock on their wall. Pure.

A time that the clock skips in spring counts as the one an hour later; of one that comes twice in
autumn the first is meant, unless it has passed.
"""

import datetime
import zoneinfo
from dataclasses import dataclass

DAY = datetime.timedelta(days=1)
DAYS_AHEAD = 3


@dataclass(frozen=True)
class Hours:
    """When somebody wants mail."""

    time_zone: str
    """IANA name."""
    quiet_from: datetime.time | None = None
    quiet_until: datetime.time | None = None
    """Before `quiet_from` by the clock: on the next day. The same: never quiet."""
    digest_at: datetime.time | None = None
    """Mail goes out at this time alone; None: at once."""


def goes_out_at(now: datetime.datetime, hours: Hours) -> datetime.datetime:
    """The first instant, not before now, at which mail may go out.

    :param now: aware.
    :returns: in UTC. A digest that falls into quiet hours goes out at their end.
    """
    zone = _zone(hours.time_zone)
    found = now.astimezone(datetime.UTC)
    if hours.digest_at is not None:
        found = _next(found, hours.digest_at, zone)
    if _is_quiet(found.astimezone(zone).time(), hours) and hours.quiet_until is not None:
        found = _next(found, hours.quiet_until, zone)
    return found


def _is_quiet(wall: datetime.time, hours: Hours) -> bool:
    begin, end = hours.quiet_from, hours.quiet_until
    if begin is None or end is None or begin == end:
        return False
    if begin < end:
        return begin <= wall < end
    return wall >= begin or wall < end


def _next(now: datetime.datetime, wall: datetime.time, zone: datetime.tzinfo) -> datetime.datetime:
    """The next instant, not before now, at which clocks of a zone show a time."""
    today = now.astimezone(zone).date()
    for ahead in range(DAYS_AHEAD):
        day = today + ahead * DAY
        for fold in (0, 1):
            local = datetime.datetime.combine(day, wall, zone).replace(fold=fold)
            instant = local.astimezone(datetime.UTC)
            shown = instant.astimezone(zone)
            skipped = shown.replace(tzinfo=None, fold=0) != local.replace(tzinfo=None, fold=0)
            if instant >= now and not (skipped and fold == 1):
                return instant
    raise AssertionError(f"no {wall} in {zone} within {DAYS_AHEAD} days")


def _zone(name: str) -> datetime.tzinfo:
    """A time zone; UTC for one that the machine knows no more: nobody's choice stops the others'
    mail.
    """
    return zoneinfo.ZoneInfo(name) if is_time_zone(name) else datetime.UTC


def is_time_zone(name: str) -> bool:
    """Whether there is a time zone of this name."""
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
