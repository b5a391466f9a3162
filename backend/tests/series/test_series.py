"""Series over real rows: points, segments, who sees them."""

import datetime
from uuid import UUID

import pytest
from sqlalchemy.orm import Session
from weighhouse_backend.experiments.models import ScheduleOccurrence
from weighhouse_backend.runs.models import Campaign

from backend.tests.results.histories import history
from backend.tests.results.laboratory import ROUTERS, Laboratory, experiment, manifest
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
    mine = str(tenants[0].project_id)
    assert laboratory.get("/series", project_id=mine) == laboratory.get("/series")
    for headers, project in ((laboratory.headers, tenants[1]), (tenants[1].headers, tenants[0])):
        asked = {"project_id": str(project.project_id)}
        assert (
            laboratory.client.get("/api/v1/series", params=asked, headers=headers).status_code
            == 404
        )
    answer = laboratory.client.get(f"/api/v1/series/{series['id']}", headers=tenants[1].headers)
    assert answer.status_code == 404


def test_a_campaign_without_a_figure_and_a_date_without_a_campaign_are_gaps(laboratory):
    ids, series = history(laboratory, [100], "with-gaps")
    name = series["experiment"]["id"]
    document = experiment(
        "with-gaps", targets=[{"name": "redis", "system": "redis"}], repetitions=1
    )
    begun = laboratory.get(f"/campaigns/{laboratory.campaign(document)}")
    ended = laboratory.client.post(
        f"/api/v1/campaigns/{begun['id']}/cancel", headers=laboratory.headers
    )
    assert ended.is_success, ended.text
    start = datetime.datetime.now(tz=datetime.UTC)

    def miss(services):
        project = services.get(Session).get_one(Campaign, UUID(ids[0])).project_id
        for outcome, reason in (("missed", ""), ("started", ""), ("skipped", "in the way")):
            services.get(Session).add(
                ScheduleOccurrence(
                    project_id=project,
                    experiment_id=UUID(name),
                    first_at=start,
                    scheduled_for=start + datetime.timedelta(days=1),
                    dates_count=2,
                    outcome=outcome,
                    reason=reason,
                    noted_at=start,
                )
            )

    laboratory.work(miss)
    gaps = laboratory.get(f"/series/{series['id']}")["gaps"]
    assert [(gap["kind"], gap["dates_count"]) for gap in gaps] == [
        ("no_result", 1),
        ("not_started", 2),
        ("not_started", 2),
    ]
    assert gaps[0]["campaign_id"] == begun["id"]
    assert gaps[0]["reason"] == f"campaign № {begun['number']} was cancelled"
    assert [gap["reason"] for gap in gaps[1:]] == ["missed: the platform was not up", "in the way"]


def test_a_campaign_that_did_not_plan_the_cell_is_no_gap(laboratory):
    _, series = history(laboratory, [100], "without-gaps")
    document = experiment(
        "without-gaps",
        targets=[{"name": "another", "system": "redis"}],
        repetitions=1,
    )
    begun = laboratory.carry_out(document, lambda _: whole_run(seed=1, rate=100, seconds=1))
    assert begun
    assert laboratory.get(f"/series/{series['id']}")["gaps"] == []


def test_statements_beside_a_series_concern_what_was_measured(
    make_client, session_factory, settings, tenants
):
    laboratory = Laboratory(make_client(*ROUTERS), session_factory, settings, tenants[1].headers)
    logged = {"id": "logged", "title": "Only with a log", "text": "It is written."}
    spread = {"id": "spread", "title": "Only with several nodes", "text": "They may fail."}
    conditional = [
        {"id": "note", "title": "Always", "text": "Mind this."},
        {**logged, "when": {"parameters": {"appendonly": [True]}}},
        {**spread, "when": {"several_nodes": True}},
    ]
    laboratory.enrol(manifest("redis", disclaimers=conditional))
    plain = {"name": "plain", "system": "redis"}
    careful = {"name": "careful", "system": "redis", "parameters": {"appendonly": True}}
    document = experiment("set-up", targets=[plain, careful], repetitions=1)
    laboratory.carry_out(document, lambda _: whole_run(seed=1, rate=100, seconds=1))
    beside = {
        one["target"]: {said["title"] for said in laboratory.get(f"/series/{one['id']}")["caveats"]}
        for one in laboratory.get("/series", metric="throughput")["items"]
    }
    assert {"Always", "Only with a log", "Only with several nodes"} & beside["plain"] == {"Always"}
    assert "Only with a log" in beside["careful"]
    assert "Only with several nodes" not in beside["careful"]
