"""A machine of another project, or of another organization, changes nothing for one's own."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from weighhouse_backend.app.overviews import router as overviews
from weighhouse_backend.execution.allocation import Allocator
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.identity.models import ApiToken, Project
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.conftest import Tenant
from backend.tests.results.laboratory import (
    FACTS,
    ROUTERS,
    Laboratory,
    experiment,
    manifest,
    steady,
)

WHEN = datetime.datetime(2026, 11, 20, tzinfo=datetime.UTC)
SECRET = "redis://someone:hunter2@10.0.0.9"
CHANGED = manifest(
    "redis", version="9.0", name="Mine", operations=["read"], disclaimers=[], fairness={},
    parameters={"type": "object", "properties": {}},
    benchmark_clause={
        "policy": "prohibited", "text": "never", "source": "licence", "checked_on": "2026-11-20",
    },
)  # fmt: skip


@dataclass
class Stranger:
    """Who maintains a project, and a machine that they enrolled there."""

    client: TestClient
    project_id: UUID
    headers: dict[str, str]
    instance: str = ""
    agent_id: str = ""
    agent: dict[str, str] | None = None

    def enrol(self) -> None:
        made = self.client.post(
            "/api/v1/agent-registration-tokens", json={}, headers=self.headers
        ).json()
        self.instance = str(uuid4())
        registered = self.client.post(
            "/agent/v1/register",
            json={"name": "stranger", "instance_id": self.instance, "facts": FACTS},
            headers={"Authorization": f"Bearer {made['token']}"},
        ).json()
        self.agent_id = registered["agent_id"]
        self.agent = {"Authorization": f"Bearer {registered['agent_token']}"}

    def bring(self, *manifests: dict[str, Any]) -> None:
        opening = {
            "instance_id": self.instance, "process_id": str(uuid4()), "agent_version": "0.1.0",
            "manifests": manifests, "facts": FACTS, "policy": {},
        }  # fmt: skip
        opened = self.client.put("/agent/v1/session", json=opening, headers=self.agent)
        assert opened.status_code == 200, opened.text

    def ask(self, method: str, path: str, **more: Any) -> Any:
        return self.client.request(method, f"/api/v1{path}", headers=self.headers, **more)


@pytest.fixture(scope="module")
def laboratory(make_client, session_factory, settings, tenants) -> Laboratory:
    made = Laboratory(
        make_client(*ROUTERS, overviews), session_factory, settings, tenants[0].headers
    )
    made.enrol()
    return made


def maintainer_of_another_project(session_factory, tenant: Tenant) -> tuple[UUID, str]:
    """Another project of the tenant's organization, and a token of who maintains it alone."""
    with unit_of_work(session_factory) as session:
        slug = f"other-{new_id().hex[-8:]}"
        project = Project(
            organization_id=tenant.organization_id, slug=slug, name="Other", created_at=WHEN
        )
        session.add(project)
        session.flush()
        token = FirstUserService(session, SystemClock()).ensure_token(project, "test", None)
        for row in session.query(ApiToken).filter(ApiToken.project_id == project.id):
            row.role = "maintainer"
        return project.id, token


@pytest.fixture(params=["of another project", "of another organization"])
def stranger(request, laboratory, session_factory, tenants) -> Iterator[Stranger]:
    if request.param == "of another project":
        project_id, token = maintainer_of_another_project(session_factory, tenants[0])
    else:
        project_id, token = tenants[1].project_id, tenants[1].token
    headers = {"Authorization": f"Bearer {token}"}
    found = Stranger(laboratory.client, project_id, headers)
    found.enrol()
    yield found
    laboratory.client.post(f"/api/v1/agents/{found.agent_id}/revoke", headers=headers)


def document(slug: str) -> dict[str, Any]:
    """What the changed manifest would refuse, with a secret in it."""
    made = experiment(slug, repetitions=2)
    made["targets"][0] |= {"parameters": {"appendonly": True, "hz": 20}}
    return made


def views(laboratory: Laboratory, campaign: str) -> dict[str, Any]:
    """What a project is told that a manifest has a part in."""
    described = document("described")
    project = str(laboratory.get(f"/campaigns/{campaign}")["project_id"])
    validated = laboratory.client.post(
        "/api/v1/experiments/validate", params={"project_id": project},
        json={"document": described}, headers=laboratory.headers,
    ).json()  # fmt: skip
    fairness = laboratory.client.post(
        "/api/v1/experiments/fairness", params={"project_id": project},
        json={"document": described}, headers=laboratory.headers,
    ).json()  # fmt: skip
    assert validated["valid"], validated
    systems = laboratory.get("/systems", project_id=project)["items"]
    for one in systems:
        del one["last_run_at"]
    return {
        "validated": validated,
        "fairness": fairness,
        "systems": systems,
        "systems of all projects": [
            one["manifest_digest"] for one in laboratory.get("/systems")["items"]
        ],
        "campaign": laboratory.get(f"/campaigns/{campaign}"),
        "comparison": laboratory.get("/comparisons", campaign=campaign),
        "gate": laboratory.get(f"/campaigns/{campaign}/gate"),
        "series": laboratory.get("/series"),
        "agents": [one["name"] for one in laboratory.get("/agents")["items"]],
    }


def test_a_strangers_machine_changes_nothing(laboratory: Laboratory, stranger: Stranger) -> None:
    """Validation, plans, orders with their secrets, results, comparisons: all as before."""
    slug = f"own-{uuid4().hex[:8]}"
    measured = laboratory.carry_out(document(slug), steady)
    before = views(laboratory, measured)

    stranger.bring(CHANGED, manifest("memcached", version="9.0"))

    assert views(laboratory, measured) == before
    # Planning and orders: what is queued goes to the own machine alone.
    queued = laboratory.campaign(document(f"next-{uuid4().hex[:8]}"))
    token = str((stranger.agent or {})["Authorization"]).removeprefix("Bearer ")
    taken: list[Any] = []

    def try_to_take(services: Any) -> None:
        attempts = services.get(AttemptService)
        services.get(Allocator).allocate()
        taken.append(attempts.claim(services.get(FleetService).authenticate(token), uuid4(), token))

    for _ in range(4):
        laboratory.work(try_to_take)
        order = laboratory.begin()
        assert order["target"]["parameters"] in ({}, {"appendonly": True, "hz": 20})
        laboratory.report(order, steady(order))
    assert taken == [None] * 4
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(queued))
    )
    seen = laboratory.get(f"/campaigns/{queued}")
    assert [one["name"] for one in seen["agents"]] == ["laboratory"]
    assert seen["status"] == "completed"


def test_nobody_lends_a_machine_to_a_project_that_they_do_not_maintain(
    laboratory: Laboratory, stranger: Stranger, tenants: tuple[Tenant, Tenant]
) -> None:
    stranger.bring(CHANGED)
    address, theirs = f"/agents/{stranger.agent_id}", str(tenants[0].project_id)
    assert stranger.ask("GET", address).json()["lent_to"] == [str(stranger.project_id)]
    for lent_to in ([theirs], [str(stranger.project_id), theirs], None):
        answer = stranger.ask("PATCH", address, json={"lent_to": lent_to})
        assert answer.status_code == 422, answer.text
    assert stranger.ask("GET", address).json()["lent_to"] == [str(stranger.project_id)]
    assert "Mine" not in {one["name"] for one in laboratory.get("/systems")["items"]}


def test_who_has_no_machine_is_told_what_to_do(laboratory, session_factory, tenants) -> None:
    _, token = maintainer_of_another_project(session_factory, tenants[0])
    lonely = Laboratory(
        laboratory.client, session_factory, laboratory.settings,
        {"Authorization": f"Bearer {token}"},
    )  # fmt: skip
    refused = lonely.client.post(
        "/api/v1/experiments", json={"document": document("lonely")}, headers=lonely.headers
    )
    assert refused.status_code == 422
    assert "have one lent to it" in refused.text
