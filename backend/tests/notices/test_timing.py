"""Quiet hours and digests, by the clock on the wall, through the nights on which it is changed."""

import datetime
import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighhouse_backend.notices.quiet_hours import Hours, goes_out_at, is_time_zone

VIENNA = "Europe/Vienna"


def at(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)


def clock(text: str) -> datetime.time:
    return datetime.time.fromisoformat(text)


NIGHT = Hours(VIENNA, clock("22:00"), clock("07:00"))


@pytest.mark.parametrize(
    ("now", "hours", "then"),
    [
        pytest.param("2026-11-23 12:00", NIGHT, "2026-11-23 12:00", id="by day at once"),
        pytest.param("2026-11-23 21:30", NIGHT, "2026-11-24 06:00", id="in the evening"),
        pytest.param("2026-11-24 05:59", NIGHT, "2026-11-24 06:00", id="in the morning"),
        pytest.param("2026-11-24 06:00", NIGHT, "2026-11-24 06:00", id="when they are over"),
        # On 28 March 2026 clocks go from 02:00 to 03:00, and on 25 October back.
        pytest.param("2026-03-28 22:00", NIGHT, "2026-03-29 05:00", id="a night an hour shorter"),
        pytest.param("2026-10-24 22:00", NIGHT, "2026-10-25 06:00", id="a night an hour longer"),
        pytest.param(
            "2026-03-29 00:30", Hours(VIENNA, clock("22:00"), clock("02:30")),
            "2026-03-29 01:30", id="an end that the clock skips is an hour later",
        ),
        pytest.param(
            "2026-10-25 00:10", Hours(VIENNA, clock("22:00"), clock("02:30")),
            "2026-10-25 00:30", id="an end that comes twice is the first one",
        ),
        pytest.param(
            "2026-10-25 01:10", Hours(VIENNA, clock("22:00"), clock("02:30")),
            "2026-10-25 01:30", id="and the second one in the hour that comes again",
        ),
        pytest.param(
            "2026-11-23 12:00", Hours(VIENNA, clock("12:00"), clock("14:00")),
            "2026-11-23 13:00", id="over noon",
        ),
        pytest.param(
            "2026-11-23 12:00", Hours(VIENNA, clock("09:00"), clock("09:00")),
            "2026-11-23 12:00", id="never quiet",
        ),
        pytest.param(
            "2026-11-23 12:00", Hours(VIENNA, digest_at=clock("08:00")), "2026-11-24 07:00",
            id="a digest on the next morning",
        ),
        pytest.param(
            "2026-03-28 12:00", Hours(VIENNA, digest_at=clock("08:00")), "2026-03-29 06:00",
            id="by the clock on the wall",
        ),
        pytest.param(
            "2026-11-23 12:00", Hours(VIENNA, clock("22:00"), clock("09:00"), clock("08:00")),
            "2026-11-24 08:00", id="a digest in quiet hours waits for their end",
        ),
    ],
)  # fmt: skip
def test_when_mail_goes_out(now, hours, then):
    assert goes_out_at(at(now), hours) == at(then)


TIMES = st.times().map(lambda time: time.replace(second=0, microsecond=0))
ZONES = st.sampled_from(
    [VIENNA, "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]
)


@given(
    now=st.integers(1_700_000_000, 1_900_000_000).map(
        lambda seconds: datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    ),
    zone=ZONES, begin=TIMES, end=TIMES, digest=st.none() | TIMES,
)  # fmt: skip
def test_it_is_never_before_now_never_in_quiet_hours_and_within_days(now, zone, begin, end, digest):
    hours = Hours(zone, begin, end, digest)
    then = goes_out_at(now, hours)
    assert now <= then <= now + datetime.timedelta(days=3)
    assert goes_out_at(then, Hours(zone, begin, end)) == then
    wall = then.astimezone(zoneinfo.ZoneInfo(zone)).time().replace(second=0, microsecond=0)
    if begin < end:
        assert not begin <= wall < end
    elif begin > end:
        assert end <= wall < begin


def test_time_zones_are_known_by_name():
    assert is_time_zone(VIENNA)
    for wrong in ("Europe/Atlantis", "", "Europe", "../etc/passwd", "/etc/passwd", "a\0b"):
        assert not is_time_zone(wrong)


def test_a_time_zone_that_the_machine_knows_no_more_stops_nobodys_mail():
    now = datetime.datetime(2026, 11, 24, 12, tzinfo=datetime.UTC)
    hours = Hours("Europe/Atlantis", datetime.time(11), datetime.time(13))
    assert goes_out_at(now, hours) == now.replace(hour=13)
