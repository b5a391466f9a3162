"""Dates of schedules, the two days of the year that clocks change included."""

import datetime

import pytest
from weighhouse_backend.experiments.calendar import COUNTED, InvalidSchedule, passed, upcoming


def at(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)


def texts(dates: list[datetime.datetime]) -> list[str]:
    return [date.strftime("%Y-%m-%d %H:%M") for date in dates]


def test_dates_are_instants_in_utc_and_follow_the_zone() -> None:
    dates = upcoming("30 2 * * *", "Europe/Vienna", at("2026-01-01T00:00:00+00:00"), 2)

    assert texts(dates) == ["2026-01-01 01:30", "2026-01-02 01:30"]
    assert all(date.tzinfo is datetime.UTC for date in dates)


def test_a_time_the_clock_skips_runs_right_after_the_gap() -> None:
    # On 2026-03-29 Vienna goes from 02:00 to 03:00, which is 01:00 UTC.
    dates = upcoming("30 2 * * *", "Europe/Vienna", at("2026-03-28T12:00:00+00:00"), 2)

    assert texts(dates) == ["2026-03-29 01:00", "2026-03-30 00:30"]


def test_a_time_that_comes_twice_runs_once() -> None:
    # On 2026-10-25 Vienna goes from 03:00 back to 02:00.
    dates = upcoming("30 2 * * *", "Europe/Vienna", at("2026-10-24T12:00:00+00:00"), 2)

    assert texts(dates) == ["2026-10-25 00:30", "2026-10-26 01:30"]


def test_within_the_second_pass_nothing_of_the_first_comes_again() -> None:
    dates = upcoming("30 2 * * *", "Europe/Vienna", at("2026-10-25T01:10:00+00:00"), 1)

    assert texts(dates) == ["2026-10-26 01:30"]


def test_every_hour_goes_on_through_both_changes() -> None:
    autumn = upcoming("0 * * * *", "Europe/Vienna", at("2026-10-24T23:30:00+00:00"), 4)
    spring = upcoming("0 * * * *", "Europe/Vienna", at("2026-03-28T23:30:00+00:00"), 3)

    assert texts(autumn) == [
        "2026-10-25 00:00", "2026-10-25 01:00", "2026-10-25 02:00", "2026-10-25 03:00",
    ]  # fmt: skip
    assert texts(spring) == ["2026-03-29 00:00", "2026-03-29 01:00", "2026-03-29 02:00"]


def test_every_quarter_of_an_hour_goes_on_through_the_hour_that_comes_twice() -> None:
    dates = upcoming("*/15 * * * *", "Europe/Vienna", at("2026-10-25T00:00:00+00:00"), 8)

    assert len({date.timestamp() for date in dates}) == 8
    assert dates[-1] - dates[0] == datetime.timedelta(minutes=105)


@pytest.mark.parametrize("zone", ["America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"])
@pytest.mark.parametrize("cron", ["30 2 * * *", "0 * * * *", "15 1,2,3 * * SUN", "*/20 2 * * *"])
def test_dates_ascend_and_do_not_depend_on_where_one_starts(zone: str, cron: str) -> None:
    dates = upcoming(cron, zone, at("2026-03-01T00:00:00+00:00"), 400)

    assert dates == sorted(set(dates))
    for before, date in zip(dates[::7], dates[1::7], strict=False):
        assert upcoming(cron, zone, before, 1) == [date]


@pytest.mark.parametrize(
    ("cron", "zone", "field"),
    [
        ("30 2 * *", "UTC", "cron"),
        ("0 30 2 * * *", "UTC", "cron"),
        ("61 2 * * *", "UTC", "cron"),
        ("0 0 30 2 *", "UTC", "cron"),
        ("30 2 * * *", "Europe/Wien", "time_zone"),
        ("30 2 * * *", "../etc/passwd", "time_zone"),
        ("30 2 * * *", "", "time_zone"),
    ],
)
def test_what_cannot_be_read_is_refused_by_field(cron: str, zone: str, field: str) -> None:
    with pytest.raises(InvalidSchedule) as refused:
        upcoming(cron, zone, at("2026-01-01T00:00:00+00:00"))

    assert refused.value.field == field
    assert refused.value.expected


def test_dates_that_went_by_are_counted_with_both_ends() -> None:
    first, until = at("2026-01-01T01:30:00+00:00"), at("2026-01-04T01:30:00+00:00")

    gone = passed("30 2 * * *", "Europe/Vienna", first, until)

    assert (gone.first, gone.last, gone.count) == (first, until, 4)
    assert gone.before_last == at("2026-01-03T01:30:00+00:00")


def test_a_single_date_that_went_by_has_none_before() -> None:
    first = at("2026-01-01T01:30:00+00:00")

    gone = passed("30 2 * * *", "Europe/Vienna", first, first)

    assert (gone.last, gone.before_last, gone.count) == (first, None, 1)


@pytest.mark.parametrize(
    ("first", "until", "last", "count"),
    [
        # The night of 2026-03-29 has no 02:30 in Vienna: it is right after the gap.
        ("2026-03-28T01:30:00+00:00", "2026-03-29T12:00:00+00:00", "2026-03-29 01:00", 2),
        # The night of 2026-10-25 has 02:30 twice: once is enough.
        ("2026-10-24T00:30:00+00:00", "2026-10-25T12:00:00+00:00", "2026-10-25 00:30", 2),
        # Looked at within the second pass.
        ("2026-10-24T00:30:00+00:00", "2026-10-25T01:40:00+00:00", "2026-10-25 00:30", 2),
    ],
)
def test_dates_that_went_by_while_clocks_changed(
    first: str, until: str, last: str, count: int
) -> None:
    gone = passed("30 2 * * *", "Europe/Vienna", at(first), at(until))

    assert texts([gone.last]) == [last]
    assert gone.count == count


def test_every_hour_that_went_by_counts_the_repeated_one_too() -> None:
    first, until = at("2026-10-24T22:00:00+00:00"), at("2026-10-25T03:00:00+00:00")

    gone = passed("0 * * * *", "Europe/Vienna", first, until)

    assert (gone.count, gone.last) == (6, until)


def test_years_of_minutes_are_not_counted_one_by_one() -> None:
    first, until = at("2020-01-01T00:00:00+00:00"), at("2026-10-25T00:00:30+00:00")

    gone = passed("* * * * *", "Europe/Vienna", first, until)

    assert gone.count == COUNTED
    assert gone.last == at("2026-10-25T00:00:00+00:00")
    assert gone.before_last == at("2026-10-24T23:59:00+00:00")


def test_many_rare_dates_end_with_the_latest_all_the_same() -> None:
    first, until = at("2020-01-01T00:00:00+00:00"), at("2026-12-31T00:00:00+00:00")

    gone = passed("0 0 * * *", "UTC", first, until)

    assert (gone.count, gone.last) == (COUNTED, until)
    assert gone.before_last == until - datetime.timedelta(days=1)


def test_a_first_date_that_is_none_any_more_counts_as_one() -> None:
    first = at("2026-01-01T01:17:00+00:00")

    gone = passed("30 2 * * *", "Europe/Vienna", first, at("2026-01-01T01:20:00+00:00"))

    assert (gone.last, gone.count) == (first, 1)
