"""Levels of long runs: what is drawn from them is what their intervals say, whatever happens."""

import math
import random
from uuid import UUID

import pytest
from sqlalchemy import delete, select
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.measurements import models
from weighhouse_backend.measurements.charts import (
    heat_map,
    merge_and_draw,
    merge_neighbours,
    series,
)
from weighhouse_backend.measurements.interval_rows import interval_row
from weighhouse_backend.measurements.level_repository import LevelRepository
from weighhouse_backend.measurements.level_service import (
    FIRST,
    LevelService,
)
from weighhouse_backend.measurements.levels import WIDTHS, Piece, closed, lowest_width, reported
from weighhouse_backend.measurements.packed_intervals import OK, Outcome, StoredInterval
from weighhouse_backend.measurements.points import packed_points
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.measurements.sample_levels import WIDTHS as SAMPLE_WIDTHS
from weighhouse_backend.measurements.samples import SampleService
from weighhouse_backend.measurements.summaries import sum_phases
from weighhouse_backend.results.settlement import summary_row

from .laboratory import experiment
from .reports import ended, histogram, interval, latencies, numbered, raw, recorded

SECONDS = 1500


def plain(slug):
    """One target, one repetition."""
    return experiment(slug, targets=[{"name": "redis", "system": "redis"}], repetitions=1)


def long_run():
    """A load phase, a warm-up, and 1,500 intervals of four operations, some of which fail; between
    them samples, and a gap where nothing was reported.
    """
    drawn = [recorded(latencies(seed, 20, 100 + 40 * seed)) for seed in range(8)]
    slow = {"count": 2, "response": histogram([9_000_000, 30_000_000])}
    events = [{
        "kind": "interval",
        "interval": interval(number, {"insert": {"ok": drawn[0]}}, phase="load", index=0),
    } for number in range(7)]  # fmt: skip
    events += [{
        "kind": "interval",
        "interval": interval(number, {"read": {"ok": drawn[1]}}, phase="warmup", index=1),
    } for number in range(7, 12)]  # fmt: skip
    for number in range(12, 12 + SECONDS):
        operations = {
            "read": {"ok": drawn[number % 8]}, "update": {"ok": drawn[number % 7]},
            "insert": {"ok": drawn[number % 5]}, "scan": {"ok": drawn[number % 3]},
        }  # fmt: skip
        if number % 11 == 0:
            operations["read"]["errors"] = {"timeout": slow}
        if number % 13 == 0:
            operations["update"]["not_found"] = {"count": 3}
        if number % 400 > 390:
            operations = {}
        use = {"cpu_us": 400_000 + number, "steal_percent": number % 9, "reconnects": number % 2}
        at = number + (5 if number > 900 else 0)
        events.append({"kind": "interval", "interval": interval(at, operations, driver=use)})
        if number % 2:
            events.append({
                "kind": "sample", "cpu_percent": float(number % 17), "resident_bytes": number,
                "metrics": {"keys": number} if number % 3 else {},
            })  # fmt: skip
    events.append(ended("measure", {}))
    return numbered(events)


def windows_of(session, attempt_id):
    rows = session.scalars(
        select(models.LevelWindow)
        .where(models.LevelWindow.attempt_id == attempt_id)
        .order_by(models.LevelWindow.width_seconds, models.LevelWindow.sequence)
    )
    return list(rows)


def told(row):
    return {
        column.name: getattr(row, column.name)
        for column in row.__table__.columns
        if column.name != "attempt_id"
    }


def advance(laboratory, order):
    """Merge what was reported so far, as a worker would; in how many transactions."""
    turns, left = 0, True
    while left:
        with laboratory.begun() as services:
            left = services.get(LevelService).advance(UUID(order["attempt_id"]), 0)
        turns += 1
    return turns


@pytest.fixture(scope="module")
def sent(laboratory):
    """The order of a long run that was delivered as badly as a network can: in batches of any size,
    repeated, and with gaps, with a worker that was late, and whose page was open meanwhile.
    """
    draw = random.Random(5)
    laboratory.campaign(plain("levels"))
    order, events = laboratory.begin(), long_run()
    following = 0
    while following < len(events):
        begin = max(0, following - draw.choice([0, 0, 30]))
        size = draw.randint(1, 240)
        if draw.random() < 0.2:  # what comes too early is not stored
            assert laboratory.send(order, events[following + 5 : following + 9]) == following
        following = laboratory.send(order, events[begin : following + size])
        if draw.random() < 0.3:
            advance(laboratory, order)
        if draw.random() < 0.4:
            _draws_all_there_is(laboratory, order)
    laboratory.complete(order, len(events))
    _draws_all_there_is(laboratory, order)
    laboratory.settle(order["run_id"])
    return order


def _draws_all_there_is(laboratory, order) -> None:
    """A run under way is drawn up to its last interval, in as many points as were asked for."""
    with unit_of_work(laboratory.sessions) as session:
        stored = ResultRepository(session).intervals(order["attempt_id"])
    whole = sum(
        outcomes[OK].count for one in stored for outcomes in one.operations.values()
    )  # fmt: skip
    for columns in (10, 50):
        heat = laboratory.get(f"/runs/{order['run_id']}/heatmap", columns=columns)
        assert sum(map(sum, heat["counts"])) == whole
        line = laboratory.get(f"/runs/{order['run_id']}/series", points=columns)["operations"]
        if line:
            every = line["all"]
            drawn = zip(every["t"], every["until"], every["throughput"], strict=True)
            assert sum((until - t) * rate for t, until, rate in drawn) == pytest.approx(whole)
            assert every["t"] == sorted(every["t"])


def test_every_window_is_its_intervals_merged(laboratory, sent):
    with unit_of_work(laboratory.sessions) as session:
        rows = windows_of(session, UUID(sent["attempt_id"]))
        pieces = list(LevelRepository(session).reported(UUID(sent["attempt_id"]), 0, FIRST))
    assert len(pieces) == SECONDS + 12
    assert {row.width_seconds for row in rows} == {one for one in WIDTHS if one >= 4}
    for width in (one for one in WIDTHS if one >= 4):
        level = [row for row in rows if row.width_seconds == width]
        inside = [
            [one for one in pieces if row.sequence <= one.sequence <= row.last_sequence]
            for row in level
        ]
        assert sum(map(len, inside)) == len(pieces), "each interval is in one window"
        for row, members in zip(level, inside, strict=True):
            merged, window = merge_and_draw([one.interval for one in members])
            assert (row.figures, row.heat) == packed_points(window)
            assert row.merged == len(members)
            length = (merged.start_us, merged.duration_us)
            assert length[1] == row.duration_us
            assert {one.interval.phase for one in members} == {row.phase}
            assert row.duration_us <= width * 1_000_000


def test_figures_of_the_run_are_those_of_its_intervals(laboratory, sent):
    """They are summed from the widest windows."""
    with unit_of_work(laboratory.sessions) as session:
        repository = ResultRepository(session)
        attempt_id = UUID(sent["attempt_id"])
        phases = sum_phases(repository.intervals(attempt_id))
        summaries = repository.summaries([attempt_id])[attempt_id]
        assert {row.phase for row in summaries} == {"load", "warmup", "measure"}
        for row in summaries:
            phase = phases[row.phase]
            operation = (
                phase.everything() if row.operation == "all" else phase.operations[row.operation]
            )
            wanted = summary_row(attempt_id, row.project_id, phase, row.operation, operation)
            for name in wanted.keys() - {"histogram", "service_histogram", "asked_histogram"}:
                assert getattr(row, name) == wanted[name], (row.phase, row.operation, name)
        driver = repository.record(attempt_id).driver
    measured = phases["measure"]
    assert driver["cpu_percent"] == measured.cpu_percent
    assert driver["steal_percent"] == measured.steal_percent == 8
    assert driver["steal_percent_mean"] == pytest.approx(measured.steal_percent_mean)
    assert driver["reconnects"] == measured.reconnects
    asked = {row.operation: row.asked for row in summaries if row.phase == "measure"}
    assert asked["read"]["max_us"] > 29_000, "failed ones were timed, and are in it"
    assert asked["update"] is None, "some were not timed"


def test_charts_from_levels_are_charts_from_intervals(laboratory, sent):
    attempt_id, run = UUID(sent["attempt_id"]), f"/runs/{sent['run_id']}"
    with unit_of_work(laboratory.sessions) as session:
        pieces = LevelRepository(session).reported(attempt_id, 0, FIRST)
        drawn = [one.window for one in closed(pieces, 8, None, final=True)]
    origin = drawn[0].start_us
    lines = series(drawn, origin).operations
    shown = laboratory.get(f"{run}/series", points=200)
    assert shown["detail"] == {"point_seconds": 8.0, "extremes_seconds": 1.0}
    assert shown["operations"] == {name: vars(line) for name, line in lines.items()}
    assert len(shown["operations"]["all"]["t"]) <= 200
    assert laboratory.get(f"{run}/heatmap", columns=200) == vars(heat_map(drawn, origin))
    fine = laboratory.get(f"{run}/series")
    assert fine["detail"] == {"point_seconds": 1.0, "extremes_seconds": None}


def samples_of(session, attempt_id):
    return session.scalars(
        select(models.ResourceSample)
        .where(models.ResourceSample.attempt_id == attempt_id)
        .order_by(models.ResourceSample.sequence)
    ).all()


def sample_windows_of(session, attempt_id):
    rows = session.scalars(
        select(models.SampleWindow)
        .where(models.SampleWindow.attempt_id == attempt_id)
        .order_by(models.SampleWindow.width, models.SampleWindow.slot)
    )
    return list(rows)


def test_samples_are_merged_like_intervals(laboratory, sent):
    with unit_of_work(laboratory.sessions) as session:
        attempt_id = UUID(sent["attempt_id"])
        samples, rows = samples_of(session, attempt_id), sample_windows_of(session, attempt_id)
        drawn = SampleService(session).steps(attempt_id, 100)[0]
        every = SampleService(session).steps(attempt_id, SECONDS)[0]
    assert len(samples) == len(every) == SECONDS // 2
    assert {row.width for row in rows} == set(SAMPLE_WIDTHS)
    for row in rows:
        part = samples[row.slot * row.width : (row.slot + 1) * row.width]
        assert row.last_sequence == part[-1].sequence
        assert row.at == part[0].at
        shares = [one.cpu_percent for one in part]
        assert row.figures["cpu_percent"] == [len(part), sum(shares), min(shares), max(shares)]
        keys = [one.metrics["keys"] for one in part if one.metrics]
        wanted = {"keys": [len(keys), sum(keys), min(keys), max(keys)]} if keys else {}
        assert row.metrics == wanted
    for width in SAMPLE_WIDTHS:
        slots = [row.slot for row in rows if row.width == width]
        assert slots == list(range(math.ceil(len(samples) / width)))
    assert [one.figures["resident_bytes"].high for one in drawn] == [
        max(one.resident_bytes for one in samples[begin : begin + 8])
        for begin in range(0, len(samples), 8)
    ]


def test_a_run_from_before_is_read_as_before_until_its_levels_are_built(laboratory, sent):
    attempt_id, run = UUID(sent["attempt_id"]), f"/runs/{sent['run_id']}"
    with unit_of_work(laboratory.sessions) as session:
        as_built = [told(row) for row in windows_of(session, attempt_id)]
        samples_as_built = [told(row) for row in sample_windows_of(session, attempt_id)]
        session.execute(
            delete(models.SampleWindow).where(models.SampleWindow.attempt_id == attempt_id)
        )
        session.execute(
            delete(models.LevelWindow).where(models.LevelWindow.attempt_id == attempt_id)
        )
        repository = ResultRepository(session)
        project_id = as_built[0]["project_id"]
        former = merge_neighbours(repository.intervals(attempt_id), 22)
        rows = [
            interval_row(
                one, attempt_id=attempt_id, member=0, project_id=project_id, sequence=n, span=22
            )
            for n, one in enumerate(former)
        ]
        repository.insert_new(models.Interval, rows)
        session.add(models.LevelsWanted(attempt_id=attempt_id, project_id=project_id))
    shown = laboratory.get(f"{run}/series", points=100)
    assert shown["detail"] == {"point_seconds": 22.0, "extremes_seconds": 1.0}
    assert len(shown["resources"]["t"]) == math.ceil(SECONDS / 2 / 8), "merged as they are read"
    spectrum = laboratory.get(f"{run}/spectrum")

    left: list[bool] = []
    laboratory.work(lambda services: left.append(services.get(LevelService).build_wanted()))
    laboratory.work(lambda services: left.append(services.get(LevelService).build_wanted()))
    assert left == [True, False]
    with unit_of_work(laboratory.sessions) as session:
        assert [told(row) for row in windows_of(session, attempt_id)] == as_built
        again = [told(row) for row in sample_windows_of(session, attempt_id)]
        assert again == samples_as_built
        assert ResultRepository(session).coarsest_span(attempt_id) == 1
    assert laboratory.get(f"{run}/series", points=100)["detail"]["point_seconds"] == 16.0
    assert laboratory.get(f"{run}/spectrum") == spectrum


def second(number: int, seconds: float = 1.0, at: float | None = None) -> Piece:
    begin = round((number if at is None else at) * 1_000_000)
    response = raw(histogram([100_000 + number]))
    return reported(
        number,
        StoredInterval(
            "measure", 2, begin, round(seconds * 1_000_000), {"read": {OK: Outcome(1, 0, response)}}
        ),
    )


def test_a_window_is_closed_by_what_lies_behind_it():
    found = list(closed([second(n) for n in range(9)], 4, None, final=False))
    assert [(one.piece.sequence, one.piece.last_sequence) for one in found] == [(0, 3), (4, 7)]
    rest = list(closed([second(8)], 4, found[-1].place, final=True))
    assert [(one.place.slot, one.piece.merged) for one in rest] == [(2, 1)]


def test_a_clock_that_was_set_back_begins_no_window_anew():
    pieces = [second(n) for n in range(6)] + [second(n, at=n - 5) for n in range(6, 14)]
    found = list(closed(pieces, 4, None, final=True))
    assert sum(one.piece.merged for one in found) == 14
    assert [one.place.slot for one in found] == [0, 1, 2]


def test_the_lowest_level_merges_four_intervals_at_least():
    assert lowest_width([1_000_000]) == 4
    assert lowest_width([100_000]) == 1
    assert lowest_width([500_000, 500_000, 9_000_000]) == 2
    assert lowest_width([3_600_000_000]) == WIDTHS[-1]
