"""Microseconds since 1970, as they travel, and instants, as they are stored. Pure and exact."""

import datetime

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
MICROSECOND = datetime.timedelta(microseconds=1)


def instant(at_us: int) -> datetime.datetime:
    """The instant of a number of microseconds."""
    return EPOCH + datetime.timedelta(microseconds=at_us)


def microseconds(at: datetime.datetime) -> int:
    """The number of microseconds of an instant."""
    return (at - EPOCH) // MICROSECOND
