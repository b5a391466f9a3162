"""Fixtures: an organization that signs in with a provider that says what a test wants."""

import pytest
from pydantic import SecretStr
from weighhouse_backend.app.surroundings import Surroundings
from weighhouse_backend.identity.models import (
    IdentityProvider,
    LoginFailure,
)
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.account_endpoints import router as account
from weighhouse_backend.sign_in.provider_endpoints import router as providers

from backend.tests.identity.sign_in.lying_provider import GROUPS, LyingProvider, save
from backend.tests.people import router


@pytest.fixture(scope="module")
def settings(settings):
    return settings.model_copy(update={"secret_key": SecretStr("sixteen characters")})


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account, providers, middleware=[Surroundings])


@pytest.fixture
def liar():
    made = LyingProvider()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(autouse=True)
def _afresh(client, session_factory):
    client.cookies.clear()
    with unit_of_work(session_factory) as session:
        session.query(LoginFailure).delete()
        session.query(IdentityProvider).delete()


@pytest.fixture
def ours(client, tenants, liar):
    """Our organization, which signs in with the provider."""
    saved = save(client, tenants[0], liar.issuer, mappings=GROUPS)
    assert saved.status_code == 200, saved.text
    client.cookies.clear()
    return tenants[0]
