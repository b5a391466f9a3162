"""Manifests are data: what is beyond their vocabulary is set aside, whenever it came."""

import socket
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import select
from weighhouse_backend.app.overviews import router as overviews
from weighhouse_backend.catalog.accepted import shipped
from weighhouse_backend.catalog.models import StoredManifest
from weighhouse_backend.catalog.readings import MOST, READINGS, Readings
from weighhouse_backend.catalog.service import (
    MOST_NAMES,
    MOST_OF_AN_AGENT,
    MOST_PLUGINS,
    sorted_out,
)
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.offered import MOST_VALUES
from weighhouse_testing.hostile import schemas

from backend.tests.results.laboratory import ROUTERS, Laboratory, experiment, manifest, steady


@dataclass
class Doorbell:
    """An address on this machine that nobody has a reason to call."""

    listener: socket.socket
    calls: list[object] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/schema.json"

    def answer(self) -> None:
        """Note who calls, and hang up; until the listener is shut."""
        while True:
            try:
                caller, whence = self.listener.accept()
            except OSError:
                return
            self.calls.append(whence)
            caller.close()


@pytest.fixture(scope="module")
def doorbell() -> Iterator[Doorbell]:
    made = Doorbell(socket.create_server(("127.0.0.1", 0)))
    thread = Thread(target=made.answer)
    thread.start()
    yield made
    made.listener.shutdown(socket.SHUT_RDWR)
    made.listener.close()
    thread.join()


@pytest.fixture(scope="module")
def laboratory(make_client, session_factory, settings, tenants) -> Laboratory:
    made = Laboratory(
        make_client(*ROUTERS, overviews), session_factory, settings, tenants[0].headers
    )
    made.enrol()
    return made


def hostile(doorbell: Doorbell) -> list[dict[str, Any]]:
    """Schemas of the parameter `hz` that want something done, and none of which is read."""
    return [
        {"$ref": doorbell.address},
        {"$ref": "file:///etc/passwd"},
        {"type": "string", "pattern": "(?=a)(a+)+$"},
        {"type": "integer", "default": 10, "allOf": [{"$ref": doorbell.address}]},
        {"enum": list(range(MOST_VALUES))},
        {"type": "integer", "minimum": 10**400},
    ]


def with_hz(system: str, schema: dict[str, Any]) -> dict[str, Any]:
    made = deepcopy(manifest(system))
    made["parameters"]["properties"]["hz"] = schema
    return made


def validated(laboratory: Laboratory, document: dict[str, Any]) -> dict[str, Any]:
    answer = laboratory.client.post(
        "/api/v1/experiments/validate", json={"document": document}, headers=laboratory.headers
    )
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_what_an_agent_brings_is_read_before_it_is_kept(
    laboratory: Laboratory, doorbell: Doorbell, session_factory, tenants
) -> None:
    """Each is told with its field; the others of the same machine serve on."""
    theirs = Laboratory(laboratory.client, session_factory, laboratory.settings, tenants[1].headers)
    strange = [with_hz(f"strange{n}", one) for n, one in enumerate(hostile(doorbell))]
    theirs.enrol(manifest("redis"), *strange, manifest("memcached"))

    (seen, *_) = [
        agent
        for agent in theirs.get("/agents")["items"]
        if any(one["id"] == "strange0" for one in agent["plugins"])
    ]
    aside = {one["id"]: one["set_aside"] for one in seen["plugins"]}
    assert aside["redis"] is None
    assert aside["memcached"] is None
    for number in range(len(strange)):
        assert "parameters.properties.hz" in aside[f"strange{number}"]
    with unit_of_work(session_factory) as session:
        kept = session.scalars(select(StoredManifest.plugin_id)).all()
    assert not [name for name in kept if name.startswith("strange")]
    document = experiment("strange")
    document["targets"][0] = {"name": "a", "system": "strange0", "parameters": {"hz": 1}}
    told = validated(theirs, document)
    assert [one["path"] for one in told["errors"]] == ["targets[0].system"]
    assert doorbell.calls == []


def test_what_was_kept_before_is_not_used_and_nothing_stands_still(
    laboratory: Laboratory, doorbell: Doorbell, session_factory
) -> None:
    """Runs that were measured with it are shown and judged on."""
    campaign = laboratory.carry_out(experiment("measured-before"), steady)
    document = experiment("asked-later")
    document["targets"][0]["parameters"] = {"hz": 20}
    with unit_of_work(session_factory) as session:
        before = {
            row.digest: row.manifest
            for row in session.scalars(select(StoredManifest)).all()
            if row.plugin_id == "redis"
        }
    for schema in hostile(doorbell):
        kept(session_factory, dict.fromkeys(before, with_hz("redis", schema)))
        told = validated(laboratory, document)
        assert "targets[0].system" in [one["path"] for one in told["errors"]]
        assert [one["id"] for one in laboratory.get("/systems")["items"]] == ["memcached"]
        gone = laboratory.client.get("/api/v1/systems/redis", headers=laboratory.headers)
        assert gone.status_code == 404
        assert "cannot be read" in gone.text or "no agent" in gone.text
        for path, query in (
            (f"/campaigns/{campaign}", {}),
            (f"/campaigns/{campaign}/gate", {}),
            ("/comparisons", {"campaign": campaign}),
            ("/campaigns", {}),
            ("/series", {}),
            ("/agents", {}),
        ):
            assert laboratory.get(path, **query)
        laboratory.work(
            lambda services: services.get(CampaignSettlementService).settle_campaign(campaign)
        )
    kept(session_factory, before)
    assert validated(laboratory, document)["valid"]
    assert doorbell.calls == []


def kept(session_factory, manifests: dict[str, dict[str, Any]]) -> None:
    """Put manifests into the database as a release of before may have put them."""
    READINGS.forget()
    with unit_of_work(session_factory) as session:
        for row in session.scalars(select(StoredManifest)).all():
            if row.digest in manifests:
                row.manifest = manifests[row.digest]


@pytest.mark.parametrize("schema", schemas(), ids=lambda one: str(one)[:40])
def test_whatever_a_schema_is_others_are_read(schema: dict[str, Any]) -> None:
    readable, aside = sorted_out([manifest("a"), with_hz("b", schema), manifest("c")])
    assert {one.id for one in readable} | aside.keys() == {"a", "b", "c"}
    assert {"a", "c"} <= {one.id for one in readable}
    assert all(len(reason) < 600 and "\n" not in reason for reason in aside.values())


def test_an_agents_manifests_are_bounded_together() -> None:
    many = [manifest(f"p{number}") for number in range(MOST_PLUGINS + 5)]
    readable, aside = sorted_out(many)
    assert len(readable) == MOST_PLUGINS
    assert f"{MOST_PLUGINS} plugins" in aside[f"p{MOST_PLUGINS}"]
    enums = {f"e{number}": {"enum": list(range(100))} for number in range(25)}
    large = [
        {**manifest(f"p{number}"), "parameters": {"properties": enums}} for number in range(20)
    ]
    for one in large:
        one["fairness"] = {}
    readable, aside = sorted_out(large)
    assert 0 < len(readable) < len(large)
    assert f"{MOST_OF_AN_AGENT:,} values" in aside["p19"]
    nameless = [{"id": 10**30}, {"id": "\u202e" * 500}, {}]
    readable, aside = sorted_out(nameless)
    assert readable == ()
    assert len(aside) == 3
    assert all(len(name) <= 80 for name in aside)


def test_an_organization_keeps_so_many_plugins(
    laboratory: Laboratory, session_factory, tenants
) -> None:
    """New names alone are refused: what is there is brought again, whatever else is."""
    theirs = Laboratory(laboratory.client, session_factory, laboratory.settings, tenants[1].headers)
    parts = [
        [manifest(f"n{number}", parameters={}, fairness={}) for number in range(first, first + 100)]
        for first in range(0, MOST_NAMES + 100, 100)
    ]
    for part in parts:
        theirs.enrol(*part)
    theirs.enrol(*parts[0])

    aside = [
        {one["id"]: one["set_aside"] for one in agent["plugins"] if one["set_aside"]}
        for agent in theirs.get("/agents")["items"]
        if any(one["id"].startswith("n") for one in agent["plugins"])
    ]
    told = {name: reason for each in aside for name, reason in each.items()}
    assert "n0" not in told
    assert f"{MOST_NAMES} plugins" in told[f"n{MOST_NAMES + 99}"]
    with unit_of_work(session_factory) as session:
        known = session.scalars(
            select(StoredManifest.plugin_id)
            .where(StoredManifest.organization_id == tenants[1].organization_id)
            .distinct()
        ).all()
    assert len(known) == MOST_NAMES
    assert len(theirs.get("/systems", limit=200)["items"]) == MOST_NAMES


def test_a_process_remembers_all_that_an_organization_has() -> None:
    """Else whoever asks for all of it reads each anew, each time."""
    assert MOST_NAMES + len(shipped()) <= MOST


def test_what_was_read_is_kept_for_those_asked_for_last() -> None:
    readings = Readings()
    for number in range(MOST):
        readings.read(str(number), manifest(f"p{number}"))
    first = readings.known("0")
    assert isinstance(first, Manifest)
    assert readings.known("0") is first
    broken = readings.read("broken", with_hz("broken", {"$ref": "#"}))
    assert isinstance(broken, str)
    assert readings.known("broken") == broken
    assert readings.known("1") is None, "nobody had asked for it for longest"
    assert readings.known("0") is first
