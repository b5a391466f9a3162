"""Agents are brought up to the platform's version; others are refused by name."""

import datetime
from contextlib import contextmanager
from uuid import uuid4

import pytest
from sqlalchemy import select, update
from weighhouse_backend.app.overviews import router as overviews
from weighhouse_backend.execution.endpoints import router as claims
from weighhouse_backend.fleet.endpoints import agent_router, router
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.fleet.software import LIMIT, refusal
from weighhouse_backend.identity.models import AuditEntry
from weighhouse_backend.kit.services import services_of
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.fleet.test_fleet import enrol, session_body
from backend.tests.packages.test_index import VERSION, fill

BEFORE = "0.0.9"
"""Of the minor version before the platform's."""


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, agent_router, overviews, claims)


@pytest.fixture
def packages(client, settings, tmp_path):
    fill(tmp_path)
    client.app.state.settings = settings.model_copy(update={"packages_dir": tmp_path})
    yield tmp_path
    client.app.state.settings = settings


class OldAgent:
    def __init__(self, client, tenant, **changes):
        self.client, self.tenant, self.instance = client, tenant, uuid4()
        _, answer = enrol(client, tenant, self.instance)
        self.id = answer.json()["agent_id"]
        self.headers = {"Authorization": f"Bearer {answer.json()['agent_token']}"}
        self.begin(**changes)

    def begin(self, version=BEFORE, updates="allowed", process=None):
        opening = session_body(
            self.instance, agent_version=version, policy={"updates": updates},
            process_id=str(process or uuid4()),
        )  # fmt: skip
        return self.client.put("/agent/v1/session", json=opening, headers=self.headers)

    def ask(self):
        return self.client.post(f"/api/v1/agents/{self.id}/update", headers=self.tenant.headers)

    def seen(self):
        return self.client.get(f"/api/v1/agents/{self.id}", headers=self.tenant.headers).json()

    def order(self):
        return self.client.get("/agent/v1/update", headers=self.headers)

    def tell(self, update_id, state, reason=""):
        body = {"update_id": update_id, "state": state, "reason": reason}
        answer = self.client.post("/agent/v1/update", json=body, headers=self.headers)
        assert answer.status_code == 204, answer.text


@contextmanager
def fleet_of(client, session_factory):
    with unit_of_work(session_factory) as session, services_of(client.app, session) as services:
        yield services.get(FleetService)


def free(client, session_factory, agent):
    with fleet_of(client, session_factory) as fleet:
        return [str(one.id) for one in fleet.lock_free([agent.id])]


def test_an_agent_is_brought_up_to_date_and_gets_no_work_meanwhile(
    client, tenants, packages, session_factory
):
    agent = OldAgent(client, tenants[0])
    software = agent.seen()["software"]
    assert (software["standing"], software["cannot_update"]) == ("behind", None)
    assert agent.order().status_code == 404
    assert free(client, session_factory, agent) == [agent.id]
    asked = agent.ask()
    assert asked.status_code == 200, asked.text
    found = asked.json()["software"]["update"]
    assert (found["state"], found["before"], found["version"]) == ("wanted", BEFORE, VERSION)
    assert f"from {BEFORE} to {VERSION}" in asked.json()["no_work"]
    assert free(client, session_factory, agent) == []
    assert "is being brought up" in agent.ask().json()["detail"]
    with fleet_of(client, session_factory) as fleet:
        entry = fleet.session.scalars(
            select(AuditEntry).where(AuditEntry.action == "agent.update_asked")
        ).one()
        assert entry.details == {"before": BEFORE, "now": VERSION}
    order = agent.order().json()
    named = {one["name"] for one in order["files"]}
    assert order["version"] == VERSION
    assert order["installer"]["name"] in named
    agent.tell(order["update_id"], "installing")
    agent.tell(order["update_id"], "starting")
    assert agent.begin(VERSION).status_code == 200
    ended = agent.seen()
    assert ended["software"]["update"]["state"] == "done"
    assert ended["agent_version"] == VERSION
    assert ended["no_work"] is None
    agent.tell(order["update_id"], "returned", "too late")
    assert agent.seen()["software"]["update"]["state"] == "done"


def test_an_agent_that_went_back_says_why_and_takes_work(
    client, tenants, packages, session_factory
):
    agent = OldAgent(client, tenants[0])
    found = agent.ask().json()["software"]["update"]
    agent.tell(found["id"], "starting")
    agent.begin(BEFORE)
    assert agent.seen()["software"]["update"]["state"] == "returned"
    agent.tell(found["id"], "returned", "its new version ended with status 2")
    ended = agent.seen()["software"]
    assert ended["update"]["reason"] == "its new version ended with status 2"
    assert ended["cannot_update"] is None
    assert free(client, session_factory, agent) == [agent.id]
    agent.tell(str(uuid4()), "failed", "of another")
    assert agent.seen()["software"] == ended


def test_an_update_that_nothing_is_heard_of_is_given_up(client, tenants, packages, session_factory):
    agent = OldAgent(client, tenants[0])
    agent.ask()
    past = datetime.datetime.now(datetime.UTC) - LIMIT - datetime.timedelta(seconds=1)
    with unit_of_work(session_factory) as session:
        kept = session.get_one(Agent, agent.id).software_update
        session.execute(
            update(Agent)
            .where(Agent.id == agent.id)
            .values(software_update={**kept, "asked_at": past.isoformat()})
        )
    ended = agent.seen()
    assert ended["software"]["update"]["state"] == "failed"
    assert "nothing more was heard" in ended["software"]["update"]["reason"]
    assert ended["no_work"] is None
    assert agent.order().status_code == 404
    assert free(client, session_factory, agent) == [agent.id]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": VERSION}, "it has the platform's version"),
        ({"updates": "forbidden"}, "its policy forbids it"),
        ({"updates": "by_hand"}, "not installed by the platform's script"),
        ({"version": "unheard-of"}, "install it anew"),
    ],
)
def test_what_cannot_be_updated_is_refused_with_the_reason(
    client, tenants, packages, changes, said
):
    agent = OldAgent(client, tenants[0])
    assert agent.begin(**{"version": BEFORE, **changes}).status_code == 200
    refused = agent.ask()
    assert refused.status_code == 409
    assert said in refused.json()["detail"]


def test_without_packages_nothing_is_asked_of_an_agent(client, tenants):
    agent = OldAgent(client, tenants[0])
    refused = agent.ask()
    assert refused.status_code == 409
    assert "WEIGHHOUSE_PACKAGES_DIR names no folder" in refused.json()["detail"]
    assert agent.seen()["software"]["cannot_update"] is not None
    made = client.post("/api/v1/agent-registration-tokens", json={}, headers=tenants[0].headers)
    assert made.json()["install_command"] is None
    assert "make packages" in made.json()["not_installable"]


def test_versions_that_one_does_not_work_with_are_refused_by_name_whatever_they_send(
    client, tenants, session_factory
):
    agent = OldAgent(client, tenants[0])
    headers = {**agent.headers, "User-Agent": "weighhouse-agent/7.0.0"}
    for call in (
        client.put("/agent/v1/session", json={"of": "another age"}, headers=headers),
        client.post("/agent/v1/register", json={"of": "another age"}, headers=headers),
        client.post("/agent/v1/claims", json={"of": "another age"}, headers=headers),
        agent.begin("7.0.0"),
    ):
        assert call.status_code == 422
        assert call.json()["type"].endswith("agent-version-refused")
        assert "this agent is 7.0.0, newer than the platform" in call.json()["detail"]
    assert agent.begin(BEFORE).status_code == 200
    with unit_of_work(session_factory) as session:
        session.execute(update(Agent).where(Agent.id == agent.id).values(agent_version="7.0.0"))
    assert "its version 7.0.0 is not one" in agent.seen()["no_work"]
    assert free(client, session_factory, agent) == []


def test_a_refusal_says_what_to_do():
    assert refusal("0.3.0", "0.5.0", "http://p") is None
    old = refusal("0.2.0", "0.5.0", "http://p")
    assert old is not None
    assert "works with 0.3 and newer" in old
    assert "http://p/agent/install.sh" in old
