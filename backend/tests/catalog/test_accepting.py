"""A manifest is accepted before it is in force: by itself where that is safe, else by people."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from redis import Redis
from sqlalchemy import select
from sqlalchemy.orm import Session
from weighhouse_backend.app.manifests import router as manifests
from weighhouse_backend.app.overviews import router as overviews
from weighhouse_backend.catalog import decisions
from weighhouse_backend.catalog.accepted import shipped
from weighhouse_backend.catalog.manifest_diff import MOST_TEXT, differences
from weighhouse_backend.catalog.service import CatalogService, digest_of
from weighhouse_backend.fleet.agent_changes import AgentChanges
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.schemas import AgentChange
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.identity.models import ApiToken, AuditEntry, Project
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.problems import Forbidden, Invalid
from weighhouse_backend.kit.tenancy import confine
from weighhouse_protocol.facts import PolicyStatement
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.order import SessionOpening
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_testing.world import BEGIN, PROCESS_ID, SetClock, World, make_world, manifest

from backend.tests.quotas.limited import at_once

REDIS = [{"name": "redis", "system": "redis"}]
CHANGED = manifest("redis", name="Changed", operations=["read"], version="0.1.0")


@pytest.fixture(scope="module")
def redis(redis_server: str) -> Iterator[Redis]:
    client = Redis.from_url(redis_server)
    yield client
    client.close()


@pytest.fixture
def world(session_factory, settings, redis) -> World:
    return make_world(session_factory, settings, redis, SetClock(SystemClock().now()))


@pytest.fixture(scope="module")
def client(make_client) -> TestClient:
    return make_client(manifests, overviews)


def headers(world: World, role: Role = Role.MAINTAINER) -> dict[str, str]:
    with world.transaction() as services:
        project = services.get(Session).get_one(Project, world.project_id)
        token = FirstUserService(services.get(Session), SystemClock()).ensure_token(
            project, "t", None
        )
        newest = (
            services.get(Session)
            .scalars(
                select(ApiToken)
                .where(ApiToken.project_id == project.id)
                .order_by(ApiToken.created_at.desc(), ApiToken.id.desc())
            )
            .first()
        )
        assert newest is not None
        newest.role = role
    return {"Authorization": f"Bearer {token}"}


def bring(world: World, agent_id: UUID, *brought: Manifest) -> None:
    """An agent begins anew, with other plugins than before."""
    with world.transaction() as services:
        agent = services.get(Session).get_one(Agent, agent_id)
        services.get(FleetService).open_session(
            world.tokens[agent_id],
            SessionOpening(
                instance_id=agent.instance_id, process_id=PROCESS_ID, agent_version="0.1.0",
                manifests=brought, facts=agent.facts, policy=PolicyStatement(),
            ),
        )  # fmt: skip


def distrusted(world: World, name: str = "one") -> UUID:
    """A machine that somebody enrolled, with what is in force."""
    agent_id = world.agent(name)
    with world.transaction() as services:
        services.get(Session).get_one(Agent, agent_id).trusted = False
    return agent_id


def listed(client: TestClient, world: World) -> dict[str, dict[str, Any]]:
    answer = client.get("/api/v1/manifests", headers=headers(world, Role.VIEWER))
    assert answer.status_code == 200, answer.text
    return {one["digest"]: one for one in answer.json()["items"]}


def decide(
    client: TestClient, world: World, wanted: Manifest, *, accepted: bool,
    role: Role = Role.MAINTAINER,
) -> int:  # fmt: skip
    return client.put(
        f"/api/v1/manifests/{digest_of(wanted)}/decision",
        json={"plugin_id": wanted.id, "accepted": accepted}, headers=headers(world, role),
    ).status_code  # fmt: skip


def waits_for(world: World, campaign_id: UUID) -> str:
    return str(world.campaign(campaign_id).waiting_for)


def test_what_differs_waits_and_is_shown(client: TestClient, world: World) -> None:
    agent_id = distrusted(world)
    bring(world, agent_id, CHANGED, manifest("memcached"))

    found = listed(client, world)

    waiting = found[digest_of(CHANGED)]
    assert (waiting["state"], waiting["decided_by"]) == ("waits", None)
    assert waiting["agents"] == [{"id": str(agent_id), "name": "one"}]
    assert waiting["against"] == digest_of(manifest("redis"))
    assert {one["path"]: (one["before"], one["after"]) for one in waiting["differences"]} == {
        "name": ('"Redis"', '"Changed"'),
        "operations": ('["read", "update", "insert"]', '["read"]'),
    }
    assert next(iter(found)) == digest_of(CHANGED), "what waits stands first"
    assert found[digest_of(manifest("memcached"))]["state"] == "accepted"
    with world.transaction() as services:
        assert services.get(CatalogService).manifest([world.project_id], "redis").name == "Redis"
    agent = client.get(f"/api/v1/agents/{agent_id}", headers=headers(world)).json()
    waits = {one["id"]: one["waits_in"] for one in agent["plugins"]}
    assert waits == {"redis": [str(world.project_id)], "memcached": []}


def test_work_waits_until_a_maintainer_accepts(client: TestClient, world: World) -> None:
    agent_id = distrusted(world)
    bring(world, agent_id, CHANGED, manifest("memcached"))
    campaign = world.start(targets=REDIS)
    world.allocate()
    assert world.claim(agent_id) is None
    assert "there are 0; 1 more once the manifest is accepted" in waits_for(world, campaign)

    assert decide(client, world, CHANGED, accepted=True, role=Role.MEMBER) == 403
    world.allocate()
    assert world.claim(agent_id) is None
    assert decide(client, world, CHANGED, accepted=True) == 204
    assert decide(client, world, CHANGED, accepted=True) == 204, "repeatable"
    world.allocate()
    assert world.claim(agent_id) is not None

    assert listed(client, world)[digest_of(CHANGED)]["speaks"], "the one accepted last speaks"
    with world.transaction() as services:
        entries = (
            services.get(Session)
            .scalars(
                select(AuditEntry).where(
                    AuditEntry.action == "manifest.accepted",
                    AuditEntry.project_id == world.project_id,
                )
            )
            .all()
        )
        assert [one.subject for one in entries] == ["redis 0.1.0"] * 2


def test_what_was_refused_or_taken_back_gets_no_work(client: TestClient, world: World) -> None:
    agent_id = distrusted(world)
    assert decide(client, world, manifest("redis"), accepted=False) == 204
    found = listed(client, world)[digest_of(manifest("redis"))]
    assert (found["state"], found["decided_by"]) == ("refused", "t")
    with world.transaction() as services:
        assert services.get(CatalogService).in_force(world.project_id)[agent_id] == {"memcached"}
    bring(world, agent_id, manifest("redis"), manifest("memcached"))
    assert listed(client, world)[digest_of(manifest("redis"))]["state"] == "refused"


def test_a_digest_may_be_accepted_before_anybody_brings_it(
    client: TestClient, world: World
) -> None:
    agent_id = distrusted(world)
    assert decide(client, world, CHANGED, accepted=True) == 204
    bring(world, agent_id, CHANGED)
    assert listed(client, world)[digest_of(CHANGED)]["state"] == "accepted"
    wrong = client.put(
        f"/api/v1/manifests/{digest_of(CHANGED)}/decision",
        json={"plugin_id": "memcached", "accepted": True}, headers=headers(world),
    )  # fmt: skip
    assert wrong.status_code == 422
    odd = client.put(
        "/api/v1/manifests/0/decision",
        json={"plugin_id": "redis", "accepted": True}, headers=headers(world),
    )  # fmt: skip
    assert odd.status_code == 422


def test_so_many_are_decided_before_anybody_brings_them(
    client: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "MOST_AHEAD", 2)
    agent_id = distrusted(world)
    ahead = [manifest("redis", version=f"1.{number}") for number in range(3)]
    assert [decide(client, world, one, accepted=True) for one in ahead] == [204, 204, 409]
    assert decide(client, world, ahead[0], accepted=False) == 204, "one's mind may change"
    bring(world, agent_id, CHANGED)
    assert decide(client, world, CHANGED, accepted=True) == 204, "what is there is decided"
    bring(world, agent_id, ahead[1])
    assert decide(client, world, ahead[2], accepted=True) == 204


def test_of_several_who_decide_at_once_all_are_heard(client: TestClient, world: World) -> None:
    distrusted(world)
    known = headers(world)
    addresses = [f"/api/v1/manifests/{uuid4().hex * 2}/decision" for _ in range(5)]
    for address in addresses:

        def ask(address: str = address) -> int:
            body = {"plugin_id": "redis", "accepted": True}
            return client.put(address, json=body, headers=known).status_code

        assert at_once(*(ask,) * 6) == [204] * 6


def test_so_many_are_shown_those_that_wait_first(
    client: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "MOST_SHOWN", 2)
    bring(world, distrusted(world), manifest("aged"), manifest("memcached"), CHANGED)
    assert [one["plugin_id"] for one in listed(client, world).values()] == ["redis", "aged"]


def test_while_a_fleet_is_upgraded_both_manifests_are_in_force(
    client: TestClient, world: World
) -> None:
    before, after = distrusted(world, "before"), distrusted(world, "after")
    newer = manifest("redis", version="0.2.0")
    bring(world, after, newer, manifest("memcached"))
    with world.transaction() as services:
        assert "redis" not in services.get(CatalogService).in_force(world.project_id)[after]
    assert decide(client, world, newer, accepted=True) == 204
    with world.transaction() as services:
        usable = services.get(CatalogService).in_force(world.project_id)
        assert "redis" in usable[before] & usable[after]
        assert services.get(CatalogService).manifest([world.project_id], "redis").version == "0.2.0"
    bring(world, after, manifest("redis"), manifest("memcached"))
    with world.transaction() as services:
        assert "redis" in services.get(CatalogService).in_force(world.project_id)[after], "and back"
        assert services.get(CatalogService).manifest([world.project_id], "redis").version == "0.1.0"


def test_what_this_release_ships_is_accepted_by_itself(client: TestClient, world: World) -> None:
    plugin_id, digest = next(iter(shipped().items()))
    own = packaged_manifest(f"weighhouse_plugin_{plugin_id.replace('-', '_')}")
    agent_id = distrusted(world)
    bring(world, agent_id, own.model_copy(update={"summary": "invented"}))
    bring(world, agent_id, own)
    found = listed(client, world)[digest]
    assert (found["state"], found["decided_by"]) == ("accepted", "shipped with this release")


def test_the_platforms_own_machine_is_not_asked_at_each_save(
    client: TestClient, world: World
) -> None:
    agent_id = world.agent("own")
    for number in range(3):
        saved = manifest("redis", summary=f"save {number}")
        bring(world, agent_id, saved)
        with world.transaction() as services:
            assert (
                services.get(CatalogService).manifest([world.project_id], "redis").summary
                == saved.summary
            )
        assert listed(client, world)[digest_of(saved)]["state"] == "accepted"


def test_an_offer_ends_when_the_machine_begins_anew_with_what_nobody_accepted(
    world: World,
) -> None:
    agent_id = distrusted(world)
    world.start(targets=REDIS, repetitions=1)
    (attempt,) = world.allocate()
    bring(world, agent_id, CHANGED)
    assert world.claim(agent_id) is None
    assert world.attempt(attempt.id).status == "lost"


def another_project(world: World) -> UUID:
    with world.transaction() as services:
        home = services.get(Session).get_one(Project, world.project_id)
        made = Project(
            organization_id=home.organization_id, slug=f"p{uuid4().hex[:8]}", name="Other",
            created_at=BEGIN,
        )  # fmt: skip
        services.get(Session).add(made)
        services.get(Session).flush()
        return made.id


def lend(world: World, agent_id: UUID, roles: dict[UUID, Role], *projects: UUID) -> None:
    caller = Caller("user", uuid4(), "Mia", roles)
    with world.transaction() as services:
        confine(services.get(Session), roles)
        change = AgentChange(lent_to=list(projects))
        AgentChanges(services.get(FleetService)).change(caller, agent_id, change, None)


def test_lending_takes_a_maintainer_of_both(world: World) -> None:
    agent_id, home, other = distrusted(world), world.project_id, another_project(world)
    both = {home: Role.MAINTAINER, other: Role.MAINTAINER}
    with pytest.raises(Forbidden, match="viewer in the project"):
        lend(world, agent_id, {**both, other: Role.VIEWER}, home, other)
    with pytest.raises(Forbidden, match="you are member"):
        lend(world, agent_id, {**both, home: Role.MEMBER}, home, other)
    with pytest.raises(Invalid, match="no project of the agent's organization"):
        lend(world, agent_id, {home: Role.OWNER}, home, other)

    lend(world, agent_id, both, home, other)

    with world.transaction() as services:
        assert [one.id for one in services.get(FleetService).candidates(other)] == [agent_id]
        assert services.get(CatalogService).in_force(other)[agent_id] == {"redis", "memcached"}
        entries = (
            services.get(Session)
            .scalars(select(AuditEntry).where(AuditEntry.action == "agent.lent"))
            .all()
        )
        assert {home, other} <= {one.project_id for one in entries}, "both projects read it"
    lend(world, agent_id, {home: Role.MAINTAINER}, home)
    with world.transaction() as services:
        assert services.get(FleetService).candidates(other) == [], (
            "who maintains it takes it back alone"
        )


def test_what_is_accepted_at_home_waits_where_it_is_lent(client: TestClient, world: World) -> None:
    """A project in which a plugin is known decides for itself, whoever accepts it elsewhere."""
    agent_id, home, other = distrusted(world), world.project_id, another_project(world)
    lend(world, agent_id, {home: Role.MAINTAINER, other: Role.MAINTAINER}, home, other)
    bring(world, agent_id, CHANGED)
    assert decide(client, world, CHANGED, accepted=True) == 204
    with world.transaction() as services:
        assert services.get(CatalogService).in_force(home)[agent_id] == {"redis"}
        assert agent_id not in services.get(CatalogService).in_force(other)
        assert services.get(CatalogService).manifest([other], "redis").name == "Redis"


def test_machines_lent_to_all_before_serve_projects_to_come(world: World) -> None:
    agent_id = distrusted(world)
    with world.transaction() as services:
        services.get(Session).get_one(Agent, agent_id).lent_to = None
    new = manifest("novel")
    bring(world, agent_id, new, manifest("redis"))
    later = another_project(world)
    with world.transaction() as services:
        assert services.get(CatalogService).in_force(later)[agent_id] == {"novel", "redis"}


def test_long_texts_are_cut_where_they_begin_to_differ() -> None:
    alike = "same " * 1000
    (found,) = differences({"text": alike + "left"}, {"text": alike + "right"})
    assert found.before is not None
    assert len(found.before) <= MOST_TEXT + 2
    assert found.before.endswith('left"')
    assert (found.after or "").endswith('right"')
    (longer,) = differences({"text": alike}, {"text": f"{alike}and more"})
    assert (longer.after or "").endswith('and more"')
