"""Settling a campaign asks the database the same questions, however many cells and runs it has."""

from uuid import UUID

import pytest
from weighhouse_testing.bench_settlement import settled, unsettle

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
