"""Campaigns and attempts over real HTTP: long polls, keys, and whose is whose."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest
from weighhouse_backend.campaigns.endpoints import router
from weighhouse_backend.execution.endpoints import router as agent_router
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.settings import Settings
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.waits import until

from .served import CALLS, LONGEST_SECONDS, Served, Tenant, claim


@pytest.fixture(scope="module")
def settings(database_url: str, own_redis: OwnRedis) -> Settings:
    return Settings(
        database_url=database_url,
        redis_url=f"redis://127.0.0.1:{own_redis.port}/0",
        long_poll_seconds=LONGEST_SECONDS,
    )


def test_a_campaign_over_http(tenant: Tenant) -> None:
    world = tenant.world
    agent = world.agent()
    experiment_id = world.experiment(repetitions=1)

    made = tenant.request("POST", "/api/v1/campaigns", json={"experiment_id": str(experiment_id)})

    assert made.status_code == 201, made.text
    campaign = made.json()
    assert made.headers["Location"] == campaign["links"]["self"]
    assert (campaign["trigger"], campaign["requested_by"]) == ("api", "ci")
    assert campaign["runs"] == {
        "total": 2, "queued": 2, "running": 0, "completed": 0, "failed": 0, "cancelled": 0,
    }  # fmt: skip
    assert [cell["target"] for cell in campaign["cells"]] == ["redis", "mc"]
    assert campaign["targets"][0]["label"] == "Redis"
    world.finish_everything(agent)
    shown = tenant.request("GET", campaign["links"]["self"]).json()
    assert shown["status"] == "settling"
    assert shown["runs"]["completed"] == 2
    assert shown["agents"] == [{"id": str(agent), "name": "one"}], "it took part"
    run = shown["cells"][0]["runs"][0]
    assert (run["status"], run["throughput"], run["p99_us"]) == ("completed", 1000.0, 500.0)
    listed = tenant.request("GET", "/api/v1/campaigns?status=settling").json()["items"]
    assert [one["id"] for one in listed] == [campaign["id"]]


def test_an_experiment_is_named_by_its_slug_too(tenant: Tenant) -> None:
    experiment_id = tenant.world.experiment(slug="by-name")

    made = tenant.request("POST", "/api/v1/campaigns", json={"experiment": "by-name"})
    unknown = tenant.request("POST", "/api/v1/campaigns", json={"experiment": "nobody"})
    both = tenant.request(
        "POST", "/api/v1/campaigns", json={"experiment": "a", "experiment_id": str(uuid4())}
    )

    assert made.json()["experiment"]["id"] == str(experiment_id)
    assert unknown.status_code == 404
    assert both.status_code == 422


def test_a_repeated_request_makes_one_campaign(tenant: Tenant) -> None:
    body = {"experiment_id": str(tenant.world.experiment())}
    headers = {"Idempotency-Key": "push-1"}

    def post(_: int) -> httpx.Response:
        return tenant.request("POST", "/api/v1/campaigns", json=body, headers=headers)

    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(post, range(5)))
    other = tenant.request(
        "POST", "/api/v1/campaigns", json=body | {"revision": 1}, headers=headers
    )

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert other.status_code == 422
    assert other.json()["type"].endswith("idempotency-key-reused")
    assert tenant.request("GET", "/api/v1/campaigns").json()["items"][1:] == []


def test_a_plugin_that_is_gone_refuses_the_campaign(tenant: Tenant) -> None:
    experiment_id = tenant.world.experiment()
    with tenant.world.transaction() as services:
        revision = services.get(ExperimentService).revision(experiment_id, 1)
        document = json.loads(json.dumps(revision.document))
        document["targets"][0]["system"] = "gone"
        revision.document = document

    answer = tenant.request("POST", "/api/v1/campaigns", json={"experiment_id": str(experiment_id)})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "targets[0].system"


def test_actions_are_accepted_and_refused(tenant: Tenant) -> None:
    campaign_id = tenant.world.start()
    base = f"/api/v1/campaigns/{campaign_id}"

    paused = tenant.request("POST", f"{base}/pause")
    resumed = tenant.request("POST", f"{base}/resume")
    cancelled = tenant.request("POST", f"{base}/cancel")
    again = tenant.request("POST", f"{base}/cancel")
    late = tenant.request("POST", f"{base}/pause")

    assert (paused.status_code, paused.json()["paused"]) == (202, True)
    assert (resumed.status_code, resumed.json()["paused"]) == (202, False)
    assert (cancelled.status_code, cancelled.json()["status"]) == (202, "cancelled")
    assert again.status_code == 202
    assert late.status_code == 409
    assert late.json()["type"] == "/docs/problems/transition-refused"


def test_a_paused_campaign_is_called_so_wherever_it_is_told_of(tenant: Tenant) -> None:
    campaign_id = tenant.world.start()
    base = f"/api/v1/campaigns/{campaign_id}"

    def told() -> set[str]:
        campaign, campaigns, experiments = (
            tenant.request("GET", path).json()
            for path in (base, "/api/v1/campaigns", "/api/v1/experiments")
        )
        listed, card = campaigns["items"][0], experiments["items"][0]["last_campaign"]
        return {campaign["state"], listed["state"], card["state"]}

    assert told() == {"queued"}
    tenant.request("POST", f"{base}/pause")
    assert told() == {"paused"}
    assert ", paused, at " in tenant.request("GET", base).json()["completeness"]["words"]
    tenant.request("POST", f"{base}/resume")
    assert told() == {"queued"}
    # What ends while it is paused is not paused: nobody could resume it.
    tenant.request("POST", f"{base}/pause")
    tenant.request("POST", f"{base}/cancel")
    assert tenant.request("GET", base).json()["paused"]
    assert told() == {"cancelled"}


# Agents


def test_a_long_poll_ends_as_soon_as_there_is_work(tenant: Tenant, served: Served) -> None:
    world = tenant.world
    agent = world.agent()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(claim, tenant, agent, LONGEST_SECONDS)
        until("somebody listens", lambda: served.app.state.waiting_room.waits(agent))
        campaign_id = world.start()
        world.allocate()
        claimed = answer.result().json()

    assert claimed["order"]["campaign_id"] == str(campaign_id)


def test_a_long_poll_without_work_ends_empty_and_is_repeatable(tenant: Tenant) -> None:
    agent = tenant.world.agent()
    claim_id = str(uuid4())

    empty = {"order": None, "directives": [], "update": None}
    assert claim(tenant, agent, 0.2, claim_id).json() == empty
    tenant.world.start()
    tenant.world.allocate()
    first, again = claim(tenant, agent, 5, claim_id), claim(tenant, agent, 5, claim_id)

    assert first.json()["order"] is not None
    assert first.json() == again.json()


def test_long_polls_hold_no_database_connection(tenant: Tenant, served: Served) -> None:
    world = tenant.world
    agents = [world.agent(f"agent-{number}") for number in range(8)]
    with ThreadPoolExecutor(len(agents)) as pool:
        polls = [pool.submit(claim, tenant, agent, 4) for agent in agents]
        for agent in agents:
            until("it waits", lambda a=agent: served.app.state.waiting_room.waits(a))
        until("none is held while all wait", lambda: served.connections_in_use() == 0)
        assert not any(poll.done() for poll in polls)
        assert {poll.result().status_code for poll in polls} == {200}


def test_an_attempt_from_claim_to_completion(tenant: Tenant) -> None:
    world = tenant.world
    agent = world.agent()
    world.start()
    world.allocate()
    order = claim(tenant, agent).json()["order"]
    base = f"{tenant.url}/agent/v1/attempts/{order['attempt_id']}"
    headers = {"Authorization": f"Bearer {order['attempt_token']}"}

    def post(what: str, **body: Any) -> httpx.Response:
        return CALLS.post(f"{base}/{what}", json=body, headers=headers)

    assert post("start", fence=1).status_code == 204
    beat = post("heartbeat", fence=1, phase="load", progress=0.2, spool_bytes=77)
    assert beat.json()["cancel"] == "none"
    assert beat.json()["received_at_us"] <= beat.json()["answered_at_us"]
    assert world.agent_row(agent).spool_bytes == 77
    state = CALLS.get(base, headers=headers).json()
    assert (state["status"], state["next_sequence"]) == ("running", 0)
    early = post("complete", fence=1, outcome="completed", events_count=5)
    assert early.status_code == 409
    assert early.json()["type"] == "/docs/problems/events-missing"
    stale = post("heartbeat", fence=2, phase="load")
    assert stale.status_code == 409
    done = post("complete", fence=1, outcome="completed", events_count=0)
    assert done.json() == {"result": "accepted"}
    assert world.agent_row(agent).spool_bytes == 0, "all of it is here now"
    assert post("complete", fence=1, outcome="completed", events_count=0).json() == {
        "result": "already_accepted"
    }


def test_an_attempts_token_is_good_for_that_attempt_alone(tenant: Tenant) -> None:
    world = tenant.world
    first, second = world.agent("first"), world.agent("second")
    world.start()
    world.allocate()
    mine, other = (claim(tenant, agent).json()["order"] for agent in (first, second))
    wrong = {
        "another attempt's": other["attempt_token"],
        "the agent's": world.tokens[first],
        "a person's": tenant.token,
        "nobody's": "wht_" + "0" * 64,
    }
    for whose, token in wrong.items():
        headers = {"Authorization": f"Bearer {token}"}
        base = f"{tenant.url}/agent/v1/attempts/{mine['attempt_id']}"
        answers = [
            CALLS.get(base, headers=headers),
            CALLS.post(f"{base}/start", json={"fence": 1}, headers=headers),
            CALLS.post(f"{base}/heartbeat", json={"fence": 1, "phase": "load"}, headers=headers),
            CALLS.post(f"{base}/complete", headers=headers,
                       json={"fence": 1, "outcome": "cancelled", "events_count": 0}),
        ]  # fmt: skip
        assert {answer.status_code for answer in answers} == {401}, whose
    for token in (mine["attempt_token"], tenant.token):
        headers = {"Authorization": f"Bearer {token}"}
        body = {"claim_id": str(uuid4()), "process_id": str(uuid4())}
        refused = CALLS.post(f"{tenant.url}/agent/v1/claims", json=body, headers=headers)
        assert refused.status_code == 401


# Tenants and roles


def test_no_tenant_reaches_anothers_campaign(new_tenant) -> None:
    ours, theirs = new_tenant(), new_tenant()
    experiment_id = ours.world.experiment(slug="ours-alone")
    campaign_id = ours.world.campaign_of(experiment_id)
    base = f"/api/v1/campaigns/{campaign_id}"
    answers = [
        theirs.request("GET", base),
        theirs.request("GET", f"{base}/events"),
        *(theirs.request("POST", f"{base}/{action}")
          for action in ("cancel", "pause", "resume", "retry-failed")),
        theirs.request("POST", "/api/v1/campaigns", json={"experiment_id": str(experiment_id)}),
        theirs.request("POST", "/api/v1/campaigns", json={"experiment": "ours-alone"}),
        theirs.request("GET", f"/api/v1/campaigns?project_id={ours.world.project_id}"),
    ]  # fmt: skip

    assert {answer.status_code for answer in answers} == {404}
    assert theirs.request("GET", "/api/v1/campaigns").json()["items"] == []
    by_experiment = theirs.request("GET", f"/api/v1/campaigns?experiment_id={experiment_id}")
    assert by_experiment.json()["items"] == []
    own = str(theirs.world.experiment())
    stolen = theirs.request(
        "POST", "/api/v1/campaigns", json={"experiment_id": own, "base_campaign_id":
                                           str(campaign_id)},
    )  # fmt: skip
    assert stolen.status_code == 422
    assert ours.world.campaign(campaign_id).status == "queued"


def test_a_viewer_looks_and_changes_nothing(new_tenant) -> None:
    viewer = new_tenant(Role.VIEWER)
    campaign_id = viewer.world.start()
    experiment_id = viewer.world.campaign(campaign_id).experiment_id
    base = f"/api/v1/campaigns/{campaign_id}"

    assert viewer.request("GET", base).status_code == 200
    refused = [
        *(viewer.request("POST", f"{base}/{action}")
          for action in ("cancel", "pause", "resume", "retry-failed")),
        viewer.request("POST", "/api/v1/campaigns", json={"experiment_id": str(experiment_id)}),
    ]  # fmt: skip
    assert {answer.status_code for answer in refused} == {403}


def test_nobody_gets_in_without_a_token(served: Served) -> None:
    claim_body = {"claim_id": str(uuid4()), "process_id": str(uuid4())}
    for route in [*router.routes, *agent_router.routes]:
        path = route.path.replace("{campaign_id}", str(uuid4()))
        path = path.replace("{attempt_id}", str(uuid4()))
        for method in route.methods:
            answer = CALLS.request(method, served.url + path, json=claim_body)
            assert answer.status_code == 401, (method, path, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
