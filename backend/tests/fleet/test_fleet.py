"""Enrolment and sessions of agents."""

import datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, update
from weighhouse_backend.app.overviews import router as overviews
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.fleet.endpoints import agent_router, router
from weighhouse_backend.fleet.errors import AgentRefused, SecondSession
from weighhouse_backend.fleet.models import Agent, RegistrationToken
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.identity.models import AuditEntry
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work

FACTS = {
    "hostname": "host", "machine_id": "m", "cpu_model": "cpu", "cores": 2,
    "memory_bytes": 1 << 30, "kernel": "6", "operating_system": "os", "architecture": "x86_64",
}  # fmt: skip
MANIFEST = {
    "id": "redis", "version": "0.1.0", "name": "Redis", "vendor": "Redis Ltd.",
    "licence": "BSD-3-Clause", "architecture": "in memory", "colour": "#D55E00", "mark": "●",
    "operations": ["read", "update"], "deployments": ["process"], "default_deployment": "process",
    "driver": {"id": "resp"},
    "benchmark_clause": {
        "policy": "open", "text": "none", "source": "licence", "checked_on": "2026-11-20",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, agent_router, overviews)


def enrol(client, tenant, instance=None, **body):
    token = client.post(
        "/api/v1/agent-registration-tokens", json=body, headers=tenant.headers
    ).json()["token"]
    return token, register(client, token, instance or uuid4())


def register(client, token, instance):
    registration = {"name": "local", "instance_id": str(instance), "facts": FACTS}
    headers = {"Authorization": f"Bearer {token}"}
    return client.post("/agent/v1/register", json=registration, headers=headers)


def session_body(instance, **changes):
    return {
        "instance_id": str(instance), "process_id": str(uuid4()), "agent_version": "0.1.0",
        "manifests": [MANIFEST], "facts": FACTS, "policy": {}, **changes,
    }  # fmt: skip


def test_a_registration_token_enrols_one_machine(client, tenants):
    instance = uuid4()
    token, answer = enrol(client, tenants[0], instance, labels={"rack": "a"})
    assert answer.status_code == 201
    first = answer.json()
    again = register(client, token, instance).json()
    assert again["agent_id"] == first["agent_id"]
    assert again["agent_token"] != first["agent_token"]
    refused = register(client, token, uuid4())
    assert refused.status_code == 401
    assert refused.json()["type"].endswith("registration-refused")


def test_a_machine_that_comes_again_is_what_its_last_session_saw(client, tenants):
    instance = uuid4()
    token, answer = enrol(client, tenants[0], instance)
    headers = {"Authorization": f"Bearer {answer.json()['agent_token']}"}
    looked = {**FACTS, "versions": {"driver resp": "0.2.0"}, "storage": {"device": "vda"}}
    opened = session_body(instance, home="first", facts=looked)
    assert client.put("/agent/v1/session", json=opened, headers=headers).status_code == 200
    address = f"/api/v1/agents/{answer.json()['agent_id']}"
    seen = client.get(address, headers=tenants[0].headers).json()["facts"]
    assert register(client, token, instance).status_code == 201
    assert seen.pop("home") == "first"
    assert client.get(address, headers=tenants[0].headers).json()["facts"] == seen
    elsewhere = session_body(instance, home="restored", facts=looked)
    again = {"Authorization": f"Bearer {register(client, token, instance).json()['agent_token']}"}
    assert client.put("/agent/v1/session", json=elsewhere, headers=again).status_code == 200


def test_an_old_registration_token_is_worthless(client, tenants, session_factory):
    made = client.post("/api/v1/agent-registration-tokens", json={}, headers=tenants[0].headers)
    past = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=1)
    with unit_of_work(session_factory) as session:
        session.execute(
            update(RegistrationToken)
            .where(RegistrationToken.used_at.is_(None))
            .values(expires_at=past)
        )
    assert register(client, made.json()["token"], uuid4()).status_code == 401


def test_a_session_brings_plugins_and_learns_the_timings(
    client, tenants, session_factory, settings
):
    instance = uuid4()
    _, answer = enrol(client, tenants[0], instance)
    headers = {"Authorization": f"Bearer {answer.json()['agent_token']}"}
    opened = client.put("/agent/v1/session", json=session_body(instance), headers=headers)
    assert opened.status_code == 200
    assert opened.json()["timings"]["heartbeat_seconds"] == settings.heartbeat_seconds
    again = client.put("/agent/v1/session", json=session_body(instance), headers=headers)
    assert again.status_code == 200, "the same home may begin again after a crash"
    copied = client.put("/agent/v1/session", json=session_body(uuid4()), headers=headers)
    assert copied.status_code == 409
    with unit_of_work(session_factory) as session:
        assert (
            CatalogService(session, SystemClock()).manifest([tenants[0].project_id], "redis").name
            == "Redis"
        )


@pytest.mark.parametrize("characters", [10, 100_000], ids=["small", "recognized-first"])
def test_a_copied_home_is_refused_while_the_first_is_at_work(
    client, tenants, session_factory, characters
):
    instance = uuid4()
    _, answer = enrol(client, tenants[0], instance)
    headers = {"Authorization": f"Bearer {answer.json()['agent_token']}"}
    told = {**MANIFEST, "documentation": "x" * characters}
    copy = session_body(instance, facts={**FACTS, "machine_id": "other"}, manifests=[told])
    client.put("/agent/v1/session", json=session_body(instance), headers=headers)
    refused = client.put("/agent/v1/session", json=copy, headers=headers)
    assert refused.status_code == 409
    assert refused.json()["type"].endswith("second-session")
    long_ago = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
    with unit_of_work(session_factory) as session:
        session.execute(update(Agent).values(seen_at=long_ago))
    moved = client.put("/agent/v1/session", json=copy, headers=headers)
    assert moved.status_code == 200, "the home may move once its old machine is silent"


def test_a_copied_home_on_the_same_machine_is_refused_too(
    client, tenants, session_factory, settings
):
    instance = uuid4()
    _, answer = enrol(client, tenants[0], instance)
    headers = {"Authorization": f"Bearer {answer.json()['agent_token']}"}
    first = session_body(instance, home="first")
    assert client.put("/agent/v1/session", json=first, headers=headers).status_code == 200
    refused = client.put(
        "/agent/v1/session", json=session_body(instance, home="copy"), headers=headers
    )
    assert refused.status_code == 409
    assert "home was copied" in refused.json()["detail"]
    again = session_body(instance, home="first")
    assert client.put("/agent/v1/session", json=again, headers=headers).status_code == 200, (
        "the same home may begin again after a crash"
    )
    with unit_of_work(session_factory) as session:
        fleet = FleetService(
            session, SystemClock(), settings, CatalogService(session, SystemClock())
        )
        agent = fleet.agent(UUID(answer.json()["agent_id"]))
        fleet.require_session(agent, UUID(again["process_id"]))
        with pytest.raises(SecondSession):
            fleet.require_session(agent, UUID(first["process_id"]))


def test_an_agent_at_rest_is_given_no_work(client, tenants, session_factory, settings):
    instance = uuid4()
    _, answer = enrol(client, tenants[0], instance)
    headers = {"Authorization": f"Bearer {answer.json()['agent_token']}"}
    agent_id = UUID(answer.json()["agent_id"])

    def given() -> bool:
        with unit_of_work(session_factory) as session:
            catalog = CatalogService(session, SystemClock())
            fleet = FleetService(session, SystemClock(), settings, catalog)
            return agent_id in {agent.id for agent in fleet.candidates(tenants[0].project_id)}

    rests = session_body(instance, resting="its disk is full")
    assert client.put("/agent/v1/session", json=rests, headers=headers).status_code == 200
    assert not given()
    goes_on = {**rests, "resting": None}
    assert client.put("/agent/v1/session", json=goes_on, headers=headers).status_code == 200
    assert given()


def test_a_revoked_agents_attempts_end_with_it(client, tenants, session_factory, settings):
    _, answer = enrol(client, tenants[0])
    agent_id = UUID(answer.json()["agent_id"])

    def touch():
        with unit_of_work(session_factory) as session:
            catalog = CatalogService(session, SystemClock())
            FleetService(session, SystemClock(), settings, catalog).touch(agent_id, spool_bytes=7)

    touch()
    listed = client.post(f"/api/v1/agents/{agent_id}/revoke", headers=tenants[0].headers)
    assert listed.json()["spool_bytes"] == 7
    with pytest.raises(AgentRefused):
        touch()


def test_a_revoked_agent_is_refused(client, tenants):
    instance = uuid4()
    _, answer = enrol(client, tenants[0], instance)
    made = answer.json()
    theirs = client.post(f"/api/v1/agents/{made['agent_id']}/revoke", headers=tenants[1].headers)
    assert theirs.status_code == 404, "another tenant's agent does not exist"
    ours = client.post(f"/api/v1/agents/{made['agent_id']}/revoke", headers=tenants[0].headers)
    assert ours.json()["status"] == "revoked"
    headers = {"Authorization": f"Bearer {made['agent_token']}"}
    refused = client.put("/agent/v1/session", json=session_body(instance), headers=headers)
    assert refused.status_code == 401


def test_a_revoked_machine_cannot_let_itself_in_again(client, tenants):
    instance = uuid4()
    token, answer = enrol(client, tenants[0], instance)
    agent_id = answer.json()["agent_id"]
    client.post(f"/api/v1/agents/{agent_id}/revoke", headers=tenants[0].headers)
    assert register(client, token, instance).status_code == 401, "its old token is spent"
    _, answer = enrol(client, tenants[0], instance)
    assert answer.status_code == 201, "a person may let it in again"
    assert answer.json()["agent_id"] == agent_id


def test_a_users_token_is_no_agents_token(client, tenants):
    answer = client.put("/agent/v1/session", json=session_body(uuid4()), headers=tenants[0].headers)
    assert answer.status_code == 401


def test_work_goes_to_agents_that_call_and_do_not_drain(client, tenants, session_factory, settings):
    instance = uuid4()
    _, answer = enrol(client, tenants[0], instance)
    agent_id = answer.json()["agent_id"]
    headers = {"Authorization": f"Bearer {answer.json()['agent_token']}"}

    def candidates():
        with unit_of_work(session_factory) as session:
            catalog = CatalogService(session, SystemClock())
            fleet = FleetService(session, SystemClock(), settings, catalog)
            return {str(agent.id) for agent in fleet.candidates(tenants[0].project_id)}

    assert agent_id not in candidates(), "enrolled, but without a session"
    client.put("/agent/v1/session", json=session_body(instance), headers=headers)
    assert agent_id in candidates()
    client.post(f"/api/v1/agents/{agent_id}/drain", headers=tenants[0].headers)
    assert agent_id not in candidates()
    client.post(f"/api/v1/agents/{agent_id}/undrain", headers=tenants[0].headers)
    long_ago = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
    with unit_of_work(session_factory) as session:
        session.execute(update(Agent).values(seen_at=long_ago))
    assert agent_id not in candidates(), "silent for an hour"


def test_a_manifest_that_cannot_be_read_keeps_no_session_from_opening(client, tenants):
    instance = uuid4()
    _, answer = enrol(client, tenants[0], instance)
    headers = {"Authorization": f"Bearer {answer.json()['agent_token']}"}
    body = session_body(instance)
    body["manifests"] = [*body["manifests"], {"id": "future", "version": "9", "wings": 2}]
    opened = client.put("/agent/v1/session", json=body, headers=headers)
    assert opened.status_code == 200
    url = f"/api/v1/agents/{answer.json()['agent_id']}"
    plugins = client.get(url, headers=tenants[0].headers).json()["plugins"]
    aside = {one["id"]: one["set_aside"] for one in plugins}
    assert aside["redis"] is None
    assert "wings" in aside["future"] or "name" in aside["future"]


def test_a_plugin_that_the_machine_cannot_use_is_shown_with_its_reason(client, tenants):
    instance = uuid4()
    _, answer = enrol(client, tenants[0], instance)
    headers = {"Authorization": f"Bearer {answer.json()['agent_token']}"}
    broken = {
        "strange": "plugin.toml cannot be used: parameters.a\x1b[2J: " + "x" * 4000,
        "\u200b": "?",
    }
    body = session_body(instance, broken=broken)
    assert client.put("/agent/v1/session", json=body, headers=headers).status_code == 200
    url = f"/api/v1/agents/{answer.json()['agent_id']}"
    plugins = client.get(url, headers=tenants[0].headers).json()["plugins"]
    aside = {one["id"]: one["set_aside"] for one in plugins if one["set_aside"]}
    assert aside.keys() == {"strange"}
    assert aside["strange"].startswith("plugin.toml cannot be used: parameters.a [2J: xxx")
    assert len(aside["strange"]) == 500


def test_labels_are_changed_on_top_of_what_was_seen_and_kept_in_the_audit_log(
    client, tenants, session_factory
):
    _, answer = enrol(client, tenants[0])
    url = f"/api/v1/agents/{answer.json()['agent_id']}"
    ours = tenants[0].headers
    tag = client.get(url, headers=ours).headers["ETag"]

    changed = client.patch(url, json={"labels": {"rack": "b"}}, headers={**ours, "If-Match": tag})
    late = client.patch(url, json={"labels": {"rack": "c"}}, headers={**ours, "If-Match": tag})

    assert changed.status_code == 200, changed.text
    assert changed.json()["labels"] == {"rack": "b"}
    assert changed.headers["ETag"] != tag
    assert late.status_code == 412
    with unit_of_work(session_factory) as session:
        entry = session.scalars(
            select(AuditEntry)
            .where(AuditEntry.action == "agent.labelled")
            .order_by(AuditEntry.at.desc())
        ).first()
        assert entry is not None
        assert entry.details["now"] == {"rack": "b"}
    assert client.patch(url, json={"labels": {}}, headers=tenants[1].headers).status_code == 404
    odd = client.patch(url, json={"labels": {"a b": "c"}}, headers=ours)
    assert odd.status_code == 422
