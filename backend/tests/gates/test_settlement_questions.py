"""Settling a campaign asks the database the same questions, however many cells it has: what was
measured is read of a hundred runs at a time.
"""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from sqlalchemy import select, text
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.series.models import Series
from weighhouse_testing.bench_settlement import settled, unsettle
from weighhouse_testing.waits import until

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

CLIENTS = (1, 2, 4, 8, 16, 32)


@pytest.mark.parametrize("keep_points", [False, True])
def test_more_cells_and_runs_ask_no_more_questions(laboratory, keep_points):
    asked, points = [], []
    for levels, repetitions in ((1, 2), (6, 5)):
        document = experiment(
            f"settled-{levels}-{keep_points}".lower(),
            load_levels=[{"model": "closed", "clients": each} for each in CLIENTS[:levels]],
            repetitions=repetitions,
        )
        campaign_id = UUID(
            laboratory.carry_out(document, lambda _: whole_run(seed=1, rate=100, seconds=1))
        )
        unsettle(laboratory.sessions, campaign_id, keep_points=keep_points)
        told = settled(laboratory.sessions, laboratory.settings, campaign_id)
        asked.append(told["questions"])
        found = laboratory.get(f"/campaigns/{campaign_id}")
        assert found["status"] == "completed"
        series = laboratory.get(
            "/series", experiment_id=found["experiment"]["id"], metric="throughput", limit=50
        )["items"]
        assert {one["points_count"] for one in series} == {1}
        points.append(len(series))
    assert points == [2, 12]
    assert asked[1] <= asked[0]


def test_new_series_are_listed_as_the_experiment_names_them(laboratory):
    document = experiment(
        "settled-in-order",
        load_levels=[{"model": "closed", "clients": each} for each in CLIENTS],
    )
    campaign_id = laboratory.carry_out(document, lambda _: whole_run(seed=1, rate=100, seconds=1))
    name = laboratory.get(f"/campaigns/{campaign_id}")["experiment"]["id"]
    asked = {"experiment_id": name, "metric": "throughput", "limit": 50}
    listed = [
        (one["target"], one["load_level"]["label"])
        for one in laboratory.get("/series", **asked)["items"]
    ]
    wanted = [
        (target, "1 client" if clients == 1 else f"{clients} clients")
        for target in ("redis", "memcached")
        for clients in CLIENTS
    ]
    assert listed in (wanted, wanted[::-1])


def test_series_are_locked_in_order_of_their_ids(laboratory):
    """As the watch locks them, which looks at the campaign before meanwhile."""
    document = experiment(
        "settled-beside-the-watch",
        load_levels=[{"model": "closed", "clients": each} for each in CLIENTS],
    )
    campaign_id = UUID(
        laboratory.carry_out(document, lambda _: whole_run(seed=1, rate=100, seconds=1))
    )
    experiment_id = laboratory.get(f"/campaigns/{campaign_id}")["experiment"]["id"]
    unsettle(laboratory.sessions, campaign_id)
    of_it = select(Series.id).where(Series.experiment_id == experiment_id).order_by(Series.id)
    with (
        ThreadPoolExecutor() as beside,
        unit_of_work(laboratory.sessions) as watch,
    ):
        watch.scalar(of_it.limit(1).with_for_update())
        settling = beside.submit(settled, laboratory.sessions, laboratory.settings, campaign_id)
        until("it waits", lambda: settling.done() or waits_for_a_lock(laboratory))
        rest = watch.scalars(of_it.with_for_update(nowait=True)).all()
        watch.commit()
        settling.result()
    assert len(rest) > len(CLIENTS)


def waits_for_a_lock(laboratory):
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND wait_event_type = 'Lock'"
    )
    with unit_of_work(laboratory.sessions) as session:
        return session.scalar(waiting) > 0
