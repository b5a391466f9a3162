"""Manifests that agents bring, and how people see the systems in them."""

import datetime
from dataclasses import dataclass

import pytest
from weighhouse_backend.app.overviews import router
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_protocol.manifest import BenchmarkClause, Manifest, ManifestDriver

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


def test_the_manifest_seen_last_speaks_for_its_system(session_factory):
    with unit_of_work(session_factory) as session:
        CatalogService(session, Hours(1)).bring([manifest("lasting", "1.0")])
        CatalogService(session, Hours(2)).bring([manifest("lasting", "2.0")])
        catalog = CatalogService(session, Hours(3))
        assert catalog.manifest("lasting").version == "2.0"
        assert catalog.manifest("lasting", "1.0").version == "1.0"
        catalog.bring([manifest("lasting", "1.0")])
        assert catalog.manifests()["lasting"].version == "1.0"


def test_bringing_a_changed_manifest_again_replaces_it(session_factory):
    with unit_of_work(session_factory) as session:
        CatalogService(session, Hours(1)).bring([manifest("changing")])
        CatalogService(session, Hours(2)).bring([manifest("changing", summary="new words")])
        assert CatalogService(session, Hours(3)).manifest("changing").summary == "new words"


def test_a_system_nobody_brought_is_not_there(session_factory):
    with unit_of_work(session_factory) as session, pytest.raises(NotFound):
        CatalogService(session, Hours()).manifest("nowhere")


def test_systems_are_shown_with_the_callers_own_agents(client, tenants, session_factory):
    ours, theirs = tenants
    with unit_of_work(session_factory) as session:
        CatalogService(session, Hours(1)).bring([manifest("shown", documentation="# Shown")])
        session.add(
            Agent(
                project_id=ours.project_id, instance_id=new_id(), name="a", roles=["driver"],
                token_hash="x", facts={}, fingerprint="", plugins={"shown": "1.0"},
                registered_at=BEGIN,
            )
        )  # fmt: skip
    seen = client.get("/api/v1/systems/shown", headers=ours.headers).json()
    assert seen["agents_count"] == 1
    assert seen["documentation"] == "# Shown"
    assert seen["benchmark_clause"]["policy"] == "open"
    assert client.get("/api/v1/systems/shown", headers=theirs.headers).json()["agents_count"] == 0
    listed = client.get("/api/v1/systems", headers=ours.headers).json()["items"]
    assert "shown" in {one["id"] for one in listed}
    assert client.get("/api/v1/systems/nowhere", headers=ours.headers).status_code == 404


def test_agents_of_other_tenants_are_not_listed(client, tenants):
    ours, theirs = tenants
    (agent,) = client.get("/api/v1/agents", headers=ours.headers).json()["items"]
    assert agent["status"] == "unreachable", "it never called"
    assert client.get("/api/v1/agents", headers=theirs.headers).json()["items"] == []
    query = {"project_id": str(ours.project_id)}
    assert client.get("/api/v1/agents", params=query, headers=theirs.headers).status_code == 404
