"""Studies over the API: what is listed, started, and said of claims once it was measured."""

from uuid import UUID

import pytest
from weighhouse_backend.gates.settlement import CampaignSettlementService

from backend.tests.people import router as identity
from backend.tests.results.laboratory import ROUTERS, Laboratory
from backend.tests.results.reports import whole_run
from backend.tests.studies.folder import document, write_study

RATES = {"redis": 400, "memcached": 200}


@pytest.fixture(scope="module")
def settings(settings, tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiments")
    write_study(folder)
    return settings.model_copy(update={"experiments_dir": folder})


@pytest.fixture(scope="module")
def laboratory(make_client, session_factory, settings, tenants):
    client = make_client(*ROUTERS, identity)
    client.app.state.settings = settings
    made = Laboratory(client, session_factory, settings, tenants[0].headers)
    made.enrol()
    return made


def told(order):
    rate = RATES[order["target"]["name"]]
    return whole_run(seed=order["seed"] % 5, rate=rate + order["seed"] % 3)


def run(laboratory, **body):
    return laboratory.client.post(
        "/api/v1/studies/tiny/campaigns", json=body, headers=laboratory.headers
    )


def verdicts(study):
    return {one["id"]: one["verdict"] for one in study["claims"]}


def test_before_anything_is_measured_print_alone_is_judged(laboratory):
    study = laboratory.get("/studies/tiny")
    assert verdicts(study) == {
        "redis-first": "not_measured", "memcached-first": "not_measured",
        "garnet-first": "not_measured", "impossible": "cannot_be_true_as_printed",
    }  # fmt: skip
    assert study["scale"] == "small"
    assert not any(side["measured"] for side in study["sides"])
    assert all(side["because"] for side in study["sides"])
    assert study["source"]["sponsor"] == "a vendor"
    (listed,) = laboratory.get("/studies")["items"]
    assert listed["measured"] is False
    assert {one["verdict"]: one["claims"] for one in listed["verdicts"]}["not_measured"] == 3


def test_a_study_that_is_not_there_is_refused_with_those_that_are(laboratory):
    for method in ("GET", "POST"):
        path = "/api/v1/studies/other" + ("" if method == "GET" else "/campaigns")
        answer = laboratory.client.request(method, path, json={}, headers=laboratory.headers)
        assert answer.status_code == 404
        assert "those there are: tiny" in answer.json()["detail"]


def test_a_side_of_another_study_is_refused(laboratory):
    answer = run(laboratory, sides=["keydb"])
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "sides"
    assert "redis, memcached, garnet" in answer.json()["detail"]


def test_without_a_plugin_nothing_is_started_and_the_reason_is_given(laboratory):
    answer = run(laboratory, sides=["garnet"])
    assert answer.status_code == 422
    assert "Garnet: no agent of this project has brought its plugin" in answer.json()["detail"]
    assert laboratory.get("/campaigns")["items"] == []


def test_a_study_is_measured_and_judged_claim_by_claim(laboratory, tenants):
    started = run(laboratory)
    assert started.status_code == 201, started.text
    (campaign,) = started.json()["campaigns"]
    assert [one["side"] for one in started.json()["not_measured"]] == ["garnet"]
    assert laboratory.get("/studies/tiny")["campaigns"][0]["under_way"] == campaign["campaign_id"]
    laboratory.measure(told, campaign["runs"])
    ended = UUID(campaign["campaign_id"])
    laboratory.work(lambda services: services.get(CampaignSettlementService).settle_campaign(ended))
    study = laboratory.get("/studies/tiny")
    assert verdicts(study) == {
        "redis-first": "holds_here", "memcached-first": "does_not_hold_here",
        "garnet-first": "not_measured", "impossible": "cannot_be_true_as_printed",
    }  # fmt: skip
    sides = {side["name"]: side for side in study["sides"]}
    assert sides["redis"]["measured"]
    assert sides["garnet"]["because"] == "no agent of this project has brought its plugin"
    (of_campaign,) = study["campaigns"]
    assert of_campaign["campaign_id"] == campaign["campaign_id"]
    assert not of_campaign["changed"]
    assert of_campaign["caveats"], "no figure without what must stand beside it"
    assert of_campaign["caveats"] == laboratory.get(f"/campaigns/{campaign['campaign_id']}/caveats")
    printed = next(one for one in study["figures"] if one["printed"] == "1,000 ops/s")
    assert printed["ours"]["median"] == pytest.approx(400, rel=0.02)
    assert printed["value"] == 1000
    theirs = laboratory.client.get("/api/v1/studies/tiny", headers=tenants[1].headers).json()
    assert not any(side["measured"] for side in theirs["sides"])
    assert theirs["campaigns"][0]["campaign_id"] is None


def test_a_changed_file_is_said_so(laboratory):
    changed = document("tiny-small")
    changed["targets"] = changed["targets"][:2]
    changed["phases"] = {"warmup_seconds": 1, "measure_seconds": 4}
    laboratory.carry_out(changed, told)
    assert laboratory.get("/studies/tiny")["campaigns"][0]["changed"]
