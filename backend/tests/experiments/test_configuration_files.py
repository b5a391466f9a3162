"""Configuration files of systems over HTTP, and settings beside parameters."""

from typing import Any

import pytest


def document(slug: str, **changed: Any) -> dict[str, Any]:
    return {
        "slug": slug,
        "name": "Cache",
        "workloads": [{"name": "mixed", "operations": {"read": 0.5, "update": 0.5}}],
        "load_levels": [{"model": "closed", "clients": 2}],
        "phases": {"warmup_seconds": 1, "measure_seconds": 2},
        **changed,
    }


def test_a_configuration_file_becomes_a_target(client, ours) -> None:
    body = {
        "file": "redis.conf",
        "text": "appendonly yes\nmaxclients 9\nport 1\nrequirepass hush\n",
    }

    said = client.post("/api/v1/experiments/target-from-file", json=body, headers=ours)

    assert said.status_code == 200
    found = said.json()
    assert (found["system"], found["parameters"]) == ("redis", {"appendonly": True})
    assert found["settings"] == {"maxclients": 9}
    assert [(one["line"], one["reason"]) for one in found["left"]] == [(3, "agent"), (4, "never")]
    assert "hush" not in said.text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"file": "redis.conf", "text": "appendonly yes\ninclude more.conf\n"}, "line 2: takes in"),
        ({"file": "other.ini", "text": ""}, "say which system"),
        ({"file": "x", "text": "", "system": "rediss"}, "did you mean 'redis'"),
    ],
)
def test_of_a_file_that_cannot_be_read_nothing_is_taken(client, ours, body, message) -> None:
    said = client.post("/api/v1/experiments/target-from-file", json=body, headers=ours)

    assert said.status_code == 422
    problem = said.json()
    assert problem["type"] == "/docs/problems/configuration-not-read"
    assert message in problem["errors"][0]["message"]


def test_settings_that_are_never_taken_are_refused_when_saved(client, ours) -> None:
    asked = {"name": "r", "system": "redis", "settings": {"LoadModule": "x", "maxclients": 9}}
    body = {"document": document("raw", targets=[asked])}

    refused = client.post("/api/v1/experiments", json=body, headers=ours)

    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert error["path"] == "targets[0].settings.LoadModule"
    assert "never taken from an experiment: it loads code" in error["message"]
    asked["settings"].pop("LoadModule")
    saved = client.post("/api/v1/experiments", json=body, headers=ours)
    assert saved.status_code == 201


@pytest.mark.parametrize(
    ("own", "clients", "status"),
    [({}, 10_000, 422), ({"MaxClients": 20_000}, 10_000, 201), ({"maxclients": 20}, 50, 422)],
)
def test_connections_are_held_against_a_setting_beside_parameters(
    client, ours, own, clients, status
) -> None:
    asked = {"name": "r", "system": "redis", "settings": own}
    load = [{"model": "closed", "clients": clients}]
    slug = f"clients-{len(own)}-{clients}"
    body = {"document": document(slug, targets=[asked], load_levels=load)}

    saved = client.post("/api/v1/experiments", json=body, headers=ours)

    assert saved.status_code == status, saved.text
    if status != 201:
        assert "maxclients" in saved.text
