"""A platform that signs links, and a campaign under terms of every kind."""

import pytest
from pydantic import SecretStr
from weighhouse_backend.identity.audit_endpoints import router as audit

from backend.tests.disclosure.policed import as_a_study, manifests, measured, token
from backend.tests.people import router as identity
from backend.tests.results.laboratory import ROUTERS, Laboratory


@pytest.fixture(scope="module")
def settings(settings, tmp_path_factory):
    changes = {
        "secret_key": SecretStr("a secret of the installation"),
        "experiments_dir": as_a_study(tmp_path_factory.mktemp("experiments")),
    }
    return settings.model_copy(update=changes)


@pytest.fixture(scope="module")
def laboratory(make_client, session_factory, settings, tenants):
    made = Laboratory(
        make_client(*ROUTERS, identity, audit), session_factory, settings, tenants[0].headers
    )
    made.enrol(*manifests())
    return made


@pytest.fixture(scope="module")
def campaign(laboratory):
    return measured(laboratory)


@pytest.fixture(scope="module")
def people(laboratory):
    """Headers by role."""
    made = {role: token(laboratory, role) for role in ("viewer", "member", "maintainer")}
    return {**made, "owner": laboratory.headers}
