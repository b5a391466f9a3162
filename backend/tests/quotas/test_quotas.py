"""What is refused or waits beyond a quota, also when two ask at once."""

import datetime
from uuid import UUID

import pytest
from sqlalchemy import text
from weighhouse_backend.execution.allocation import Allocator
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.quotas.kinds import month_of

from backend.tests.quotas.limited import (
    EVERYTHING,
    ask,
    at_once,
    enrol,
    limit,
    other_project,
    put,
    refused,
    register,
    use,
)  # fmt: skip
from backend.tests.results.laboratory import Laboratory, experiment, steady


def test_no_machine_is_enrolled_beyond_the_quota(laboratory, session_factory, tenant):
    limit(session_factory, tenant, agents=2)
    assert enrol(laboratory).status_code == 201
    answer = refused(enrol(laboratory), "agents")
    assert (answer.headers["Quota-Limit"], answer.headers["Quota-Used"]) == ("2", "3")
    assert "revoke a machine" in answer.json()["detail"]
    agents = laboratory.get("/agents")["items"]
    assert len(agents) == 2
    gone = laboratory.client.post(
        f"/api/v1/agents/{agents[0]['id']}/revoke", headers=laboratory.headers
    )
    assert gone.status_code == 200, gone.text
    assert enrol(laboratory).status_code == 201, "there is room again"


def test_of_two_machines_at_once_one_gets_the_last_place(laboratory, session_factory, tenant):
    limit(session_factory, tenant, agents=3)
    tokens = [
        laboratory.client.post(
            "/api/v1/agent-registration-tokens", json={}, headers=laboratory.headers
        ).json()["token"]
        for _ in range(6)
    ]
    answers = at_once(*(lambda one=one: register(laboratory, one) for one in tokens))
    assert sorted(answer.status_code for answer in answers) == [201, 201, 409, 409, 409, 409]
    assert use(laboratory)["agents"]["used"] == 3


def test_no_campaign_is_kept_beyond_the_quota(laboratory, session_factory, tenant):
    limit(session_factory, tenant, campaigns=2)
    laboratory.campaign(experiment("kept", repetitions=1))
    answers = at_once(*(lambda: ask(laboratory, "kept"),) * 4)
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    refused(ask(laboratory, "kept"), "campaigns")
    assert len(laboratory.get("/campaigns")["items"]) == 2


def test_a_spent_month_starts_nothing_and_stops_nothing(laboratory, session_factory, tenant):
    document = experiment("spent", repetitions=1)
    campaign_id = laboratory.campaign(document)
    limit(session_factory, tenant, machine_hours=0)
    answer = refused(ask(laboratory, "spent"), "machine_hours")
    left = int(answer.headers["Quota-Reset"])
    now = datetime.datetime.now(datetime.UTC)
    assert left == pytest.approx((month_of(now)[1] - now).total_seconds(), abs=120)
    assert "Retry-After" not in answer.headers
    laboratory.measure(steady, 2)
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign_id))
    )
    found = laboratory.get(f"/campaigns/{campaign_id}")
    assert (found["status"], found["runs"]["completed"]) == ("completed", 2)
    again = laboratory.client.post(
        f"/api/v1/campaigns/{campaign_id}/repeats", json={"count": 1}, headers=laboratory.headers
    )
    refused(again, "machine_hours")
    assert laboratory.get(f"/campaigns/{campaign_id}")["status"] == "completed"


def test_what_was_measured_is_taken_in_though_storage_is_full(
    laboratory, session_factory, tenant
):  # fmt: skip
    laboratory.campaign(experiment("full", repetitions=1))
    limit(session_factory, tenant, result_bytes=1, artifact_bytes=1)
    (order, *_) = laboratory.measure(steady, 2)
    assert laboratory.get(f"/runs/{order['run_id']}")["status"] == "completed"
    refused(ask(laboratory, "full"), "result_bytes")


def test_a_file_beyond_the_quota_is_refused_and_its_run_goes_on(
    laboratory, session_factory, tenant
):  # fmt: skip
    laboratory.campaign(experiment("files", repetitions=1))
    limit(session_factory, tenant, artifact_bytes=10)
    order = laboratory.begin()
    assert put(laboratory, order, b"12345678").status_code == 201
    refused(put(laboratory, order, b"abc"), "artifact_bytes")
    assert put(laboratory, order, b"12345678").status_code == 200, "it is there already"
    assert put(laboratory, order, b"ab").status_code == 201
    events = steady(order)
    laboratory.send(order, events)
    assert laboratory.complete(order, len(events)) == "accepted"
    laboratory.settle(order["run_id"])
    run = laboratory.get(f"/runs/{order['run_id']}")
    assert run["status"] == "completed"


def test_of_two_files_at_once_one_has_room(laboratory, session_factory, tenant):
    laboratory.campaign(experiment("race", repetitions=1))
    limit(session_factory, tenant, artifact_bytes=10)
    order = laboratory.begin()
    answers = at_once(
        *(lambda one=one: put(laboratory, order, one) for one in (b"a" * 8, b"b" * 8, b"c" * 8))
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409]
    assert use(laboratory)["artifact_bytes"]["used"] == 8


def test_runs_beyond_the_quota_wait_and_say_so(laboratory, session_factory, tenant):
    laboratory.enrol()  # a second machine
    campaign_id = laboratory.campaign(experiment("waiting", repetitions=2))
    limit(session_factory, tenant, concurrent_runs=1)
    laboratory.work(lambda services: services.get(Allocator).allocate())
    found = laboratory.get(f"/campaigns/{campaign_id}")
    assert use(laboratory)["concurrent_runs"]["used"] == 1
    assert found["waiting_for"] == (
        "waits for a place: 1 of 1 concurrent runs of the organization are under way (quota)"
    )
    assert found["runs"]["failed"] == 0
    limit(session_factory, tenant, concurrent_runs=2)
    laboratory.work(lambda services: services.get(Allocator).allocate())
    assert use(laboratory)["concurrent_runs"]["used"] == 2
    limit(session_factory, tenant)
    laboratory.work(lambda services: services.get(Allocator).allocate())
    assert "quota" not in (laboratory.get(f"/campaigns/{campaign_id}")["waiting_for"] or "")


def test_allocators_at_once_do_not_give_out_beyond_the_quota(laboratory, session_factory, tenant):
    for _ in range(3):
        laboratory.enrol()
    laboratory.campaign(experiment("allocators", repetitions=3))
    limit(session_factory, tenant, concurrent_runs=2)

    def allocate():
        laboratory.work(lambda services: services.get(Allocator).allocate())

    for _ in range(3):
        at_once(*(allocate,) * 4)
        assert use(laboratory)["concurrent_runs"]["used"] <= 2
    assert use(laboratory)["concurrent_runs"]["used"] == 2


def test_the_lower_one_of_project_and_organization_holds(laboratory, session_factory, tenant):
    limit(session_factory, tenant, agents=5)
    limit(session_factory, tenant, "project", agents=1)
    answer = refused(enrol(laboratory), "agents", "project")
    assert "an owner of the organization may raise it" in answer.json()["detail"]


def test_the_projects_of_an_organization_share_its_quota(
    laboratory, session_factory, tenant, make_client
):  # fmt: skip
    """Also where the caller sees one of them alone."""
    beside = other_project(session_factory, tenant)
    with unit_of_work(session_factory) as session:
        session.execute(
            text("UPDATE agents SET project_id = :beside WHERE project_id = :own"),
            {"beside": beside, "own": tenant.project_id},
        )
    assert use(laboratory)["agents"]["used"] == 1
    assert use(laboratory, "project")["agents"]["used"] == 0
    limit(session_factory, tenant, agents=1)
    refused(enrol(laboratory), "agents")


def test_others_are_not_bound_by_a_quota_that_is_not_theirs(
    laboratory, session_factory, tenant, tenants, make_client, settings
):  # fmt: skip
    limit(session_factory, tenant, agents=0, campaigns=0, concurrent_runs=0)
    theirs = Laboratory(make_client(*EVERYTHING), session_factory, settings, tenants[1].headers)
    theirs.enrol()
    theirs.campaign(experiment("theirs", repetitions=1))
    assert theirs.begin()["run_id"]
