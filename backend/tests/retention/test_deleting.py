"""Campaigns that are deleted on request, and those that cannot be."""

from uuid import UUID

import pytest
from sqlalchemy import select
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.retention.enforcement import CarryingOutService
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.series.models import Series, SeriesPoint

from backend.tests.results.laboratory import experiment, steady

BECAUSE = {"because": "measured with the wrong build"}


def delete(laboratory, campaign_id):
    return laboratory.client.post(
        f"/api/v1/campaigns/{campaign_id}/deletion", json=BECAUSE, headers=laboratory.headers
    )


def carry_out(laboratory, campaign_id):
    laboratory.work(lambda services: services.get(CarryingOutService).delete(UUID(campaign_id)))


def sent_again(laboratory):
    """Campaigns whose deletion is sent again."""
    before = len(laboratory.ledger.jobs)
    laboratory.work(lambda services: services.get(CarryingOutService).send_open())
    return [job[1]["campaign_id"] for job in laboratory.ledger.jobs[before:]]


def points(laboratory, campaign_id):
    with unit_of_work(laboratory.sessions) as session:
        mine = select(SeriesPoint.series_id).where(SeriesPoint.campaign_id == UUID(campaign_id))
        return set(session.scalars(mine))


def exists(laboratory, campaign_id):
    with unit_of_work(laboratory.sessions) as session:
        return session.get(Campaign, UUID(campaign_id)) is not None


@pytest.fixture(scope="module")
def two(laboratory):
    """Two campaigns of one experiment; the verdict of the later rests on the earlier."""
    document = experiment("twice", targets=[{"name": "redis", "system": "redis"}], repetitions=5)
    first = laboratory.carry_out(document, steady)
    return first, laboratory.carry_out(document, steady)


def test_what_something_rests_on_stays(laboratory, two):
    first, second = two
    number = laboratory.get(f"/campaigns/{second}")["number"]
    keeping = laboratory.get(f"/campaigns/{first}/keeping")
    assert keeping["held_because"] == [f"the verdict of campaign № {number} rests on it"]
    assert keeping["may_delete"]
    refused = delete(laboratory, first)
    assert refused.status_code == 409
    assert refused.json()["type"].endswith("campaign-held")
    assert f"campaign № {number}" in refused.json()["detail"]
    kept = laboratory.client.put(
        f"/api/v1/campaigns/{second}/keeping", json={"because": "  the talk "},
        headers=laboratory.headers,
    ).json()  # fmt: skip
    assert kept["kept"]["because"] == "the talk"
    assert "the talk" in delete(laboratory, second).json()["detail"]
    laboratory.client.delete(f"/api/v1/campaigns/{second}/keeping", headers=laboratory.headers)
    for wrong in ({}, {"because": ""}, {"because": "  "}, {"because": "x" * 501}):
        answer = laboratory.client.post(
            f"/api/v1/campaigns/{second}/deletion", json=wrong, headers=laboratory.headers
        )
        assert answer.status_code == 422, wrong


def test_an_open_campaign_is_not_deleted(laboratory):
    document = experiment("open", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    campaign_id = laboratory.campaign(document)
    assert "it has not ended" in delete(laboratory, campaign_id).json()["detail"]
    laboratory.measure(steady, 1)


def test_deleted_is_deleted_with_all_it_measured(laboratory, two):
    first, second = two
    number, highest = (laboratory.get(f"/campaigns/{one}")["number"] for one in two)
    run_id = laboratory.get("/runs", campaign_id=second)["items"][0]["id"]
    series = points(laboratory, second)
    assert series == points(laboratory, first)
    asked = delete(laboratory, second)
    assert asked.status_code == 202, asked.text
    assert delete(laboratory, second).status_code == 202, "asked twice is asked once"
    assert (
        laboratory.get(f"/campaigns/{second}/keeping")["deletion"]["because"]
        == (BECAUSE["because"])
    )
    assert sent_again(laboratory) == [second], "what was cut short is sent again by the sweep"
    carry_out(laboratory, second)
    carry_out(laboratory, second)

    assert not exists(laboratory, second)
    assert sent_again(laboratory) == []
    gone = laboratory.client.get(f"/api/v1/campaigns/{second}", headers=laboratory.headers)
    assert gone.status_code == 404
    assert f"campaign № {highest} of Twice was deleted" in gone.json()["detail"]
    assert BECAUSE["because"] in gone.json()["detail"]
    assert laboratory.client.get(
        f"/api/v1/runs/{run_id}", headers=laboratory.headers
    ).status_code == 404  # fmt: skip
    assert points(laboratory, second) == set()
    detecting = [job for job in laboratory.ledger.jobs if job[0] == "alerts.detect_changes"]
    assert set(detecting[-1][1]["series_ids"]) == {str(one) for one in series}

    carry_out_first = delete(laboratory, first)
    assert carry_out_first.status_code == 202, "nothing rests on it any more"
    carry_out(laboratory, first)
    with unit_of_work(laboratory.sessions) as session:
        assert not session.scalars(select(Series.id).where(Series.id.in_(series))).all()
    document = experiment("twice", targets=[{"name": "redis", "system": "redis"}], repetitions=1)
    again = laboratory.campaign(document)
    assert laboratory.get(f"/campaigns/{again}")["number"] > max(number, highest)
    laboratory.measure(steady, 1)


def test_what_came_to_rest_on_it_meanwhile_keeps_it(laboratory):
    document = experiment("meanwhile", targets=[{"name": "redis", "system": "redis"}])
    campaign_id = laboratory.carry_out(document, steady)
    assert delete(laboratory, campaign_id).status_code == 202
    laboratory.carry_out(document, steady)
    carry_out(laboratory, campaign_id)
    assert exists(laboratory, campaign_id)
    told = laboratory.get(f"/campaigns/{campaign_id}/keeping")["deletion"]
    assert "rests on it" in told["refused_because"]
    later = laboratory.get("/campaigns")["items"][0]["id"]
    assert delete(laboratory, later).status_code == 202
    carry_out(laboratory, later)
    assert delete(laboratory, campaign_id).json()["refused_because"] is None, "asked for again"
    carry_out(laboratory, campaign_id)
    assert not exists(laboratory, campaign_id)
