"""A platform that signs links, with the objects' tenant and all who look at them."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr
from weighhouse_backend.app.factory import create_app

from backend.tests.disclosure.policed import as_a_study
from backend.tests.isolation.stored import store
from backend.tests.results.laboratory import Laboratory


@pytest.fixture(scope="module")
def settings(settings, tmp_path_factory):
    changes = {
        "secret_key": SecretStr("a secret of the installation"),
        "experiments_dir": as_a_study(tmp_path_factory.mktemp("experiments")),
        "long_poll_seconds": 1,
    }
    return settings.model_copy(update=changes)


@pytest.fixture(scope="module")
def client(settings) -> Iterator[TestClient]:
    """Of the whole application."""
    with TestClient(create_app(settings), raise_server_exceptions=False) as made:
        yield made


@pytest.fixture(scope="module")
def laboratory(client, session_factory, settings, tenants) -> Laboratory:
    """The machine of the tenant that is looked at; enrolled when its objects are stored."""
    return Laboratory(client, session_factory, settings, tenants[0].headers)


@pytest.fixture(scope="module")
def objects(laboratory, tenants):
    """What is looked at."""
    return store(laboratory, tenants[0])
