"""The whole application, with campaigns under terms of every kind."""

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr
from weighhouse_backend.app.factory import create_app

from backend.tests.disclosure.policed import _told as told
from backend.tests.disclosure.policed import as_a_study, manifests, measured
from backend.tests.results.laboratory import Laboratory, experiment

TARGETS = [
    {"name": "free", "system": "redis"},
    {"name": "kept", "system": "redis", "parameters": {"appendonly": True}},
]


@pytest.fixture(scope="module")
def settings(settings, tmp_path_factory):
    changes = {
        "secret_key": SecretStr("a secret of the installation"),
        "experiments_dir": as_a_study(tmp_path_factory.mktemp("experiments")),
    }
    return settings.model_copy(update=changes)


@pytest.fixture(scope="module")
def client(settings):
    """Of the whole application."""
    with TestClient(create_app(settings)) as made:
        yield made


@pytest.fixture(scope="module")
def laboratory(client, session_factory, settings, tenants):
    made = Laboratory(client, session_factory, settings, tenants[0].headers)
    made.enrol(*manifests())
    return made


@pytest.fixture(scope="module")
def closed(laboratory):
    """A campaign whose systems may not all be shown."""
    return measured(laboratory)


@pytest.fixture(scope="module")
def campaign(laboratory):
    """One whose systems may."""
    document = experiment("open", targets=TARGETS, repetitions=2)
    return laboratory.carry_out(document, told)


@pytest.fixture(scope="module")
def project(laboratory):
    return laboratory.get("/projects")["items"][0]["id"]


@pytest.fixture(scope="module")
def call(laboratory):
    """A request to the API, of the project's owner unless somebody else is said."""

    def called(method, path, headers=None, **more):
        return laboratory.client.request(
            method, f"/api/v1{path}", headers=laboratory.headers | (headers or {}), **more
        )

    return called


@pytest.fixture
def report(call, project):
    """Begins one."""

    def begun(*sources, **more):
        body = {"project_id": project, "title": "What we found", "sources": list(sources)} | more
        answer = call("POST", "/reports", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    return begun
