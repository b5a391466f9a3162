"""Fixtures: the whole application, which signs links, and campaigns under terms of every kind."""

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr
from weighhouse_backend.app.factory import create_app

from backend.tests.disclosure.policed import _told as told
from backend.tests.disclosure.policed import as_a_study, manifests, measured, token
from backend.tests.results.laboratory import Laboratory, experiment

TARGETS = [
    {"name": "free", "system": "redis"},
    {"name": "kept", "system": "redis", "parameters": {"appendonly": True}},
]


@pytest.fixture(scope="module")
def further_settings():
    """What a folder of tests sets besides."""
    return {}


@pytest.fixture(scope="module")
def settings(settings, tmp_path_factory, further_settings):
    """With a secret, and a study in which those systems are."""
    changes = {
        "secret_key": SecretStr("a secret of the installation"),
        "experiments_dir": as_a_study(tmp_path_factory.mktemp("experiments")),
    }
    return settings.model_copy(update=changes | further_settings)


@pytest.fixture(scope="module")
def client(settings):
    """Of the whole application."""
    with TestClient(create_app(settings)) as made:
        yield made


@pytest.fixture(scope="module")
def laboratory(client, session_factory, settings, tenants):
    """The first tenant's machine, with systems of every kind."""
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
def people(laboratory):
    """Headers by role."""
    made = {role: token(laboratory, role) for role in ("viewer", "member", "maintainer")}
    return {**made, "owner": laboratory.headers}
