"""Series over real rows: points, segments, who sees them."""

import pytest

from backend.tests.results.histories import history
from backend.tests.results.laboratory import experiment
from backend.tests.results.reports import whole_run


@pytest.fixture(scope="module")
def grown(laboratory):
    """Three campaigns of one experiment."""
    return history(laboratory, [100, 102, 98], "grown")


def test_a_series_has_a_point_a_campaign(grown):
    ids, series = grown
    assert [point["campaign_id"] for point in series["points"]] == ids
    assert series["points"][0]["value"] == 100.0
    assert series["points"][0]["repeats"] == [100.0]
    assert series["points"][0]["version"] == "7.0.15"
    assert series["points_count"] == 3
    assert series["last_value"] == 98.0
    assert len(series["segments"]) == 1
    assert "Some CPU, 4 cores" in series["segments"][0]["label"]
    assert series["caveats"]


def test_a_point_tells_the_commit_of_its_campaign(laboratory):
    document = experiment("built", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    git = {"commit": "ABCDEF1234", "branch": "main", "repository": "git@github.com:team/store.git"}
    for wanted in ({}, {"git": git}):
        laboratory.carry_out(document, lambda _: whole_run(seed=1, rate=100, seconds=1), **wanted)
    name = laboratory.get("/campaigns", commit="abcdef1")["items"][0]["experiment"]["id"]
    (series,) = laboratory.get("/series", experiment_id=name, metric="throughput")["items"]
    before, after = laboratory.get(f"/series/{series['id']}")["points"]
    assert before["git"] is None
    assert after["git"]["commit_url"] == "https://github.com/team/store/commit/abcdef1234"
    assert after["git"]["branch"] == "main"


def test_series_are_filtered_and_private(grown, laboratory, tenants):
    _, series = grown
    assert laboratory.get("/series", system_id="redis", metric="p99_us")["items"]
    assert laboratory.get("/series", system_id="unknown")["items"] == []
    theirs = laboratory.client.get("/api/v1/series", headers=tenants[1].headers).json()
    assert theirs["items"] == []
    answer = laboratory.client.get(f"/api/v1/series/{series['id']}", headers=tenants[1].headers)
    assert answer.status_code == 404
