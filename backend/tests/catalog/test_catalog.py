"""Manifests that agents bring, and how people see the systems in them."""

import datetime
from dataclasses import dataclass

import pytest
from sqlalchemy import select
from weighhouse_backend.app.overviews import router
from weighhouse_backend.catalog.models import StoredManifest
from weighhouse_backend.catalog.precedence import version_key
from weighhouse_backend.catalog.service import Bringer, CatalogService, digest_of
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.identity.models import Project
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_protocol.disclaimers import ManifestDisclaimer
from weighhouse_protocol.manifest import (
    BenchmarkClause,
    Manifest,
    ManifestDriver,
)
from weighhouse_testing.world import accept

BEGIN = datetime.datetime(2026, 11, 20, tzinfo=datetime.UTC)


@dataclass
class Hours:
    """A clock that shows an hour."""

    hour: int = 0

    def now(self) -> datetime.datetime:
        return BEGIN + datetime.timedelta(hours=self.hour)


def manifest(system, version="1.0", **changes):
    return Manifest(
        id=system, version=version, name=system.title(), vendor="v", licence="l",
        architecture="a", colour="#000000", mark="●", operations=("read",),
        deployments=("process",), default_deployment="process", driver=ManifestDriver(id="resp"),
        benchmark_clause=BenchmarkClause(
            policy="open", text="none", source="licence", checked_on=datetime.date(2026, 11, 20)
        ),
        **changes,
    )  # fmt: skip


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router)


def add_agent(session, tenant, name, *manifests, lent_to=None, trusted=True, hour=1):
    """An agent that offers something, lent to projects or to all of its organization's.

    :param trusted: what it offers is in force at home by itself.
    """
    agent = Agent(
        project_id=tenant.project_id, organization_id=tenant.organization_id, lent_to=lent_to,
        instance_id=new_id(), name=name, roles=["driver"], token_hash=str(new_id()), facts={},
        fingerprint="", plugins={one.id: one.version for one in manifests}, registered_at=BEGIN,
    )  # fmt: skip
    session.add(agent)
    session.flush()
    bringer = Bringer(agent.id, tenant.organization_id, tenant.project_id, lent_to, trusted)
    CatalogService(session, Hours(hour)).offer(bringer, manifests)
    return agent.id


def test_the_newest_version_that_an_agent_offers_speaks_for_its_system(session_factory, tenants):
    ours = tenants[0]
    with unit_of_work(session_factory) as session:
        catalog = CatalogService(session, Hours(1))
        add_agent(session, ours, "old", manifest("lasting", "1.9.0"))
        add_agent(session, ours, "new", manifest("lasting", "1.10.0"))
        accept(session, Hours(1), ours.organization_id, [manifest("lasting", "2.0.0")])
        spoken = catalog.manifest([ours.project_id], "lasting")
        assert spoken.version == "1.10.0", "nobody offers 2.0.0 now; 10 comes after 9"


def test_what_nobody_offers_any_more_is_still_known(session_factory, tenants):
    ours = tenants[0]
    with unit_of_work(session_factory) as session:
        agent = add_agent(session, ours, "leaving", manifest("left", "1.0.0"))
        catalog = CatalogService(session, Hours(2))
        catalog.withdraw(agent)
        assert catalog.manifest([ours.project_id], "left").version == "1.0.0"
        assert "left" not in {one.plugin_id for one in catalog.offers([ours.project_id])}


def test_nobody_changes_what_a_version_means(session_factory, tenants):
    """The text of a version that is in force stays; another waits, and is shown as differing."""
    ours = tenants[0]
    other = manifest("meant", summary="other words")
    with unit_of_work(session_factory) as session:
        add_agent(session, ours, "first", manifest("meant"), trusted=False)
        add_agent(session, ours, "second", other, trusted=False, hour=2)
        catalog = CatalogService(session, Hours(3))
        assert catalog.manifest([ours.project_id], "meant").summary == ""
        offers = [one for one in catalog.offers([ours.project_id]) if one.plugin_id == "meant"]
        assert len({one.digest for one in offers}) == 2
        assert all(one.differs for one in offers)
        waits = {one.digest: one.waits_in for one in offers}
        assert waits == {digest_of(manifest("meant")): (), digest_of(other): (ours.project_id,)}


def test_an_agent_speaks_for_the_projects_it_is_lent_to(session_factory, tenants):
    ours = tenants[0]
    with unit_of_work(session_factory) as session:
        other = Project(
            organization_id=ours.organization_id, slug="other", name="Other", created_at=BEGIN
        )
        session.add(other)
        session.flush()
        add_agent(session, ours, "for-all", manifest("lent", "1.0.0"))
        add_agent(session, ours, "for-other", manifest("lent", "2.0.0"), lent_to=[other.id])
        catalog = CatalogService(session, Hours(2))
        assert catalog.manifest([other.id], "lent").version == "1.0.0", "the newer one waits"
        newer = "lent", digest_of(manifest("lent", "2.0.0"))
        catalog.repository.accept(ours.organization_id, other.id, newer, "a test", BEGIN)
        assert catalog.manifest([other.id], "lent").version == "2.0.0"
        assert catalog.manifest([ours.project_id], "lent").version == "1.0.0"
        both = catalog.manifest([ours.project_id, other.id], "lent")
        assert both.version == "1.0.0", "of both together, what is in force in both speaks"


def test_a_changed_manifest_of_one_organization_changes_nothing_for_another(
    client, tenants, session_factory
):
    """Forms, disclaimers and clauses stay as the other's own agents brought them."""
    ours, theirs = tenants
    warning = ManifestDisclaimer(id="memory", title="In memory", text="Data is in memory.")
    honest = manifest("shared", disclaimers=(warning,), parameters={"properties": {"a": {}}})
    closed = BenchmarkClause(
        policy="prohibited", text="never", source="licence", checked_on=datetime.date(2026, 11, 20)
    )
    changed = honest.model_copy(
        update={"disclaimers": (), "parameters": {}, "benchmark_clause": closed, "name": "Mine"}
    )
    with unit_of_work(session_factory) as session:
        add_agent(session, theirs, "theirs", honest)
    before = client.get("/api/v1/systems/shared", headers=theirs.headers).json()
    with unit_of_work(session_factory) as session:
        add_agent(session, ours, "ours", changed)
        add_agent(session, ours, "ours-newer", changed.model_copy(update={"version": "9.0"}))

    assert client.get("/api/v1/systems/shared", headers=theirs.headers).json() == before
    assert [one["id"] for one in before["disclaimers"]] == ["shared-memory"]
    mine = client.get("/api/v1/systems/shared", headers=ours.headers).json()
    assert (mine["name"], mine["plugin_version"]) == ("Mine", "9.0")
    assert mine["disclaimers"][0]["severity"] == "bar", "each its own clause"


def test_a_manifest_that_cannot_be_read_is_set_aside_and_everybody_else_goes_on(
    client, tenants, session_factory
):
    ours = tenants[0]
    with unit_of_work(session_factory) as session:
        add_agent(session, ours, "one", manifest("poisoned", "1.0"), manifest("sound"))
        add_agent(session, ours, "two", manifest("poisoned", "2.0"))
        (row,) = session.scalars(
            select(StoredManifest).where(
                StoredManifest.plugin_id == "poisoned", StoredManifest.version == "2.0"
            )
        )
        row.manifest = {**row.manifest, "operations": ["fly"]}

    listed = client.get("/api/v1/systems", headers=ours.headers)

    assert listed.status_code == 200
    found = {one["id"]: one for one in listed.json()["items"]}
    assert "sound" in found
    assert found["poisoned"]["plugin_version"] == "1.0", "the next best speaks"
    (aside,) = found["poisoned"]["set_aside"]
    assert aside["version"] == "2.0"
    assert "operations" in aside["reason"]


def test_agents_that_disagree_are_shown(client, tenants, session_factory):
    ours = tenants[0]
    with unit_of_work(session_factory) as session:
        add_agent(session, ours, "left-hand", manifest("disputed"))
        add_agent(session, ours, "right-hand", manifest("disputed", summary="other"))
    seen = client.get("/api/v1/systems/disputed", headers=ours.headers).json()
    (conflict,) = seen["conflicts"]
    assert conflict["version"] == "1.0"
    assert sorted(conflict["digests"].values()) == [["left-hand"], ["right-hand"]]
    assert seen["manifest_digest"] in conflict["digests"]
    agents = client.get("/api/v1/agents", headers=ours.headers).json()["items"]
    plugins = [one for agent in agents for one in agent["plugins"] if one["id"] == "disputed"]
    assert [one["differs"] for one in plugins] == [True, True]


@pytest.mark.parametrize(
    ("older", "newer"),
    [("1.9", "1.10"), ("1.0.0-rc1", "1.0.0"), ("0.9.9", "1.0"), ("odd", "0.1")],
)
def test_versions_are_ordered_by_their_numbers(older, newer):
    assert version_key(older) < version_key(newer)


def test_a_system_nobody_brought_is_not_there(session_factory, tenants):
    with unit_of_work(session_factory) as session, pytest.raises(NotFound):
        CatalogService(session, Hours()).manifest([tenants[0].project_id], "nowhere")


def test_systems_are_shown_with_the_callers_own_agents(client, tenants, session_factory):
    ours, theirs = tenants
    with unit_of_work(session_factory) as session:
        add_agent(session, ours, "a", manifest("shown", documentation="# Shown"))
    seen = client.get("/api/v1/systems/shown", headers=ours.headers).json()
    assert seen["agents_count"] == 1
    assert seen["documentation"] == "# Shown"
    assert seen["benchmark_clause"]["policy"] == "open"
    assert client.get("/api/v1/systems/shown", headers=theirs.headers).status_code == 404
    listed = client.get("/api/v1/systems", headers=ours.headers).json()["items"]
    assert "shown" in {one["id"] for one in listed}
    assert client.get("/api/v1/systems/nowhere", headers=ours.headers).status_code == 404


def test_agents_of_other_tenants_are_not_listed(client, tenants):
    ours, theirs = tenants
    mine = client.get("/api/v1/agents", headers=ours.headers).json()["items"]
    assert {agent["status"] for agent in mine} == {"unreachable"}, "they never called"
    assert all("never started" in agent["no_work"] for agent in mine)
    seen = client.get("/api/v1/agents", headers=theirs.headers).json()["items"]
    assert [agent["name"] for agent in seen] == ["theirs"]
    query = {"project_id": str(ours.project_id)}
    assert client.get("/api/v1/agents", params=query, headers=theirs.headers).status_code == 404


def test_an_unchanged_plugin_keeps_its_digest():
    """TOML ends a text of several lines with one; who accepted it is not asked again."""
    said = ManifestDisclaimer(id="d", title="t", text="Mind\nthis.\n")
    lines = {
        **manifest("lines").model_dump(), "architecture": "One line,\nanother.\n",
        "summary": "\tSo\n", "disclaimers": [said],
    }  # fmt: skip
    assert digest_of(Manifest.model_validate(lines)) == (
        "ed623a234487e5c68fe1478bddb3c9d751c0aa2f211280f1b721bfcb6bff0277"
    )
    tool = {
        **manifest("loader").model_dump(), "kind": "tool", "deployments": [],
        "tool": {"drivers": ["resp"]},
    }  # fmt: skip
    assert digest_of(Manifest.model_validate(tool)) == (
        "add5650636d040dea9f7febdcc7cbcb1bd87b12dd2bbb3f2d9f05a88e53f9063"
    )
