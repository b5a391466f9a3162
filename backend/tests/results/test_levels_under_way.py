"""Levels of long runs while they are measured: merged by workers, beside intake and settlement."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from uuid import UUID

import pytest
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.measurements import level_service
from weighhouse_backend.measurements.level_repository import LevelRepository
from weighhouse_backend.measurements.level_service import (
    BUILT_FROM,
    FIRST,
    WANTED_EVERY,
    LevelService,
)
from weighhouse_backend.measurements.levels import WIDTHS, closed
from weighhouse_backend.measurements.points import packed_points
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.results.ingestion import EventService

from .test_levels import advance, long_run, plain, sample_windows_of, told, windows_of


def test_samples_of_a_run_under_way_are_drawn_to_the_last(laboratory):
    laboratory.campaign(plain("samples-under-way"))
    order, events = laboratory.begin(), long_run()[:1400]
    laboratory.send(order, events[:700])
    laboratory.send(order, events[700:])
    advance(laboratory, order)
    resources = laboratory.get(f"/runs/{order['run_id']}/series", points=50)["resources"]
    told = [one["resident_bytes"] for one in events if one["kind"] == "sample"]
    with unit_of_work(laboratory.sessions) as session:
        rows = sample_windows_of(session, UUID(order["attempt_id"]))
    closed_by_then = [row for row in rows if row.width == 16]
    assert len(told) % 16, "the last one is not closed"
    assert len(closed_by_then) == len(told) // 16
    assert resources["resident_bytes"] == [
        max(told[begin : begin + 16]) for begin in range(0, len(told), 16)
    ]
    laboratory.complete(order, len(events))
    laboratory.settle(order["run_id"])


def test_levels_are_wanted_now_and_then_not_with_each_batch(laboratory):
    laboratory.campaign(plain("wanted"))
    order, events = laboratory.begin(), long_run()
    attempt_id = UUID(order["attempt_id"])
    for begin in range(0, len(events), 20):
        parsed = laboratory.parsed(events[begin : begin + 20])
        laboratory.work(
            lambda services, those=parsed: services.get(EventService).store(attempt_id, those)
        )
    wanted = [job for name, job in laboratory.ledger.jobs if name == "results.advance_levels"]
    assert wanted == [{"attempt_id": order["attempt_id"], "member": 0}] * (
        len(events) // WANTED_EVERY - BUILT_FROM // WANTED_EVERY
    )
    with unit_of_work(laboratory.sessions) as session:
        assert not windows_of(session, attempt_id)
        assert not sample_windows_of(session, attempt_id)
    laboratory.complete(order, len(events))
    laboratory.settle(order["run_id"])


def test_several_may_build_beside_intake_and_settlement(laboratory):
    laboratory.campaign(plain("several"))
    order, events = laboratory.begin(), long_run()
    attempt_id, ends = UUID(order["attempt_id"]), Event()

    def build():
        while not ends.is_set():
            advance(laboratory, order)

    with ThreadPoolExecutor() as pool:
        building = [pool.submit(build) for _ in range(3)]
        try:
            for begin in range(0, len(events), 90):
                laboratory.send(order, events[begin : begin + 90])
            laboratory.complete(order, len(events))
            laboratory.settle(order["run_id"])
        finally:
            ends.set()
    for each in building:
        each.result()
    with unit_of_work(laboratory.sessions) as session:
        levels = LevelRepository(session)
        pieces = list(levels.reported(attempt_id, 0, FIRST))
        rows = windows_of(session, attempt_id)
    for width in (one for one in WIDTHS if one >= 4):
        windows = list(closed(pieces, width, None, final=True))
        assert [
            (row.sequence, row.last_sequence, row.merged, row.figures)
            for row in rows
            if row.width_seconds == width
        ] == [
            (
                one.piece.sequence,
                one.piece.last_sequence,
                one.piece.merged,
                packed_points(one.window)[0],
            )
            for one in windows
        ]
        pieces = [one.piece for one in windows]


def test_levels_that_are_broken_off_leave_nothing_and_are_built_again(laboratory, monkeypatch):
    laboratory.campaign(plain("broken-off"))
    order, events = laboratory.begin(), long_run()[:1200]
    attempt_id = UUID(order["attempt_id"])
    laboratory.send(order, events[:800])
    advance(laboratory, order)
    with unit_of_work(laboratory.sessions) as session:
        before = [told(row) for row in windows_of(session, attempt_id)]
    assert before
    laboratory.send(order, events[800:])

    class Killed(Exception):
        pass

    def killed(services):
        services.get(LevelService).advance(attempt_id, 0)
        session = services.get(ResultRepository).session
        assert len(windows_of(session, attempt_id)) > len(before)
        raise Killed

    with pytest.raises(Killed):
        laboratory.work(killed)
    with unit_of_work(laboratory.sessions) as session:
        assert [told(row) for row in windows_of(session, attempt_id)] == before
    # As much as a transaction should hold, again and again: the same windows.
    monkeypatch.setattr(level_service, "READ_AT_ONCE", 40)
    assert advance(laboratory, order) > 3
    with unit_of_work(laboratory.sessions) as session:
        levels = LevelRepository(session)
        pieces = list(levels.reported(attempt_id, 0, FIRST))
        for width in WIDTHS[2:]:
            rows = [row for row in windows_of(session, attempt_id) if row.width_seconds == width]
            windows = list(closed(pieces, width, None, final=False))
            assert [(row.sequence, row.last_sequence, row.merged) for row in rows] == [
                (one.piece.sequence, one.piece.last_sequence, one.piece.merged) for one in windows
            ]
            pieces = [one.piece for one in windows]
    laboratory.complete(order, len(events))
    laboratory.settle(order["run_id"])
    with unit_of_work(laboratory.sessions) as session:
        rows = windows_of(session, attempt_id)
        pieces = list(LevelRepository(session).reported(attempt_id, 0, FIRST))
        as_settled = [told(row) for row in rows]
    assert sum(row.merged for row in rows if row.width_seconds == 4) == len(pieces)
    # A job that comes late changes nothing.
    laboratory.work(lambda services: services.get(LevelService).advance(attempt_id, 0))
    with unit_of_work(laboratory.sessions) as session:
        assert [told(row) for row in windows_of(session, attempt_id)] == as_settled
