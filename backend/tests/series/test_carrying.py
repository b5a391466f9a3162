"""Series from before identities: keyed by what was measured, with the figures they had."""

from uuid import UUID

import pytest
from sqlalchemy import text
from weighhouse_backend.series.history import HistoryService

from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run

MERGED = """
WITH mine AS (SELECT * FROM series WHERE experiment_id = CAST(:experiment AS uuid)),
oldest AS (SELECT mine.id, mine.metric FROM mine JOIN series_points ON series_id = mine.id
           WHERE campaign_id = CAST(:first AS uuid))
UPDATE series_points SET series_id = oldest.id, place = NULL FROM mine JOIN oldest USING (metric)
WHERE series_points.series_id = mine.id;
DELETE FROM series WHERE experiment_id = CAST(:experiment AS uuid)
    AND NOT EXISTS (SELECT FROM series_points WHERE series_id = series.id);
UPDATE series SET cell_identity = NULL, side_family = NULL
WHERE experiment_id = CAST(:experiment AS uuid);
INSERT INTO change_points (id, project_id, series_id, campaign_id, at, before, after, relative,
    p_value, autocorrelation, kind, status, found_at, confirmed_at)
SELECT gen_random_uuid(), project_id, id, CAST(:first AS uuid), now(), 1, 2, 1, 0, 0, 'step',
    'confirmed', now(), now()
FROM series WHERE experiment_id = CAST(:experiment AS uuid) AND metric = 'throughput'
"""
"""Series by name, as they were before."""


def points_of(laboratory, experiment_id):
    """Metric → the points of each of its series, by campaign."""
    found = {}
    for one in laboratory.get("/series", experiment_id=experiment_id, limit=100)["items"]:
        series = laboratory.get(f"/series/{one['id']}")
        points = [
            (point["campaign_id"], point["value"], point["low"], point["high"], point["repeats"])
            for point in series["points"]
        ]
        found.setdefault(one["metric"], []).append(points)
    return {metric: sorted(series) for metric, series in found.items()}


def carry(laboratory, experiment_id):
    laboratory.work(
        lambda services: services.get(HistoryService).carrying.carry(UUID(experiment_id))
    )


@pytest.fixture(scope="module")
def by_name(laboratory):
    """Three campaigns of a workload, then two of another one under its name."""
    document = experiment("carried", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    ids = []
    for number, records in enumerate((50, 50, 50, 80, 80)):
        document["workloads"][0]["record_count"] = records
        ids.append(
            laboratory.carry_out(
                document, lambda _, rate=100 + number: whole_run(rate=rate, seconds=1)
            )
        )
    experiment_id = laboratory.get(f"/campaigns/{ids[0]}")["experiment"]["id"]
    keyed = points_of(laboratory, experiment_id)
    with laboratory.sessions.begin() as session:
        for statement in MERGED.split(";"):
            session.execute(text(statement), {"experiment": experiment_id, "first": ids[0]})
    return experiment_id, ids, keyed


def test_a_name_that_stood_for_two_measurements_becomes_two_series(laboratory, by_name):
    experiment_id, ids, keyed = by_name
    merged = points_of(laboratory, experiment_id)
    assert all(len(series) == 1 for series in merged.values())
    assert [point[0] for point in merged["throughput"][0]] == ids

    carry(laboratory, experiment_id)

    assert points_of(laboratory, experiment_id) == keyed
    assert [[point[0] for point in series] for series in keyed["throughput"]] == [ids[:3], ids[3:]]
    found = laboratory.get("/series", experiment_id=experiment_id, metric="throughput")["items"]
    read = [laboratory.get(f"/series/{one['id']}") for one in found]
    (marked,) = [series for series in read if series["change_points"]]
    assert marked["change_points"][0]["status"] == "confirmed"
    assert [point["campaign_id"] for point in marked["points"]] == ids[:3]
    carry(laboratory, experiment_id)
    assert points_of(laboratory, experiment_id) == keyed


def test_a_series_goes_on_under_another_name(laboratory):
    document = experiment("called", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    laboratory.carry_out(document, lambda _: whole_run(rate=100, seconds=1))
    document["workloads"][0]["name"] = "otherwise"
    last = laboratory.carry_out(document, lambda _: whole_run(rate=101, seconds=1))
    experiment_id = laboratory.get(f"/campaigns/{last}")["experiment"]["id"]
    (series,) = laboratory.get("/series", experiment_id=experiment_id, metric="throughput")["items"]
    assert (series["workload"], series["points_count"]) == ("otherwise", 2)
