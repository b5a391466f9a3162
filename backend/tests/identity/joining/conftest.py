"""Fixtures: an installation that sends mail, over a fresh database."""

import pytest
from pydantic import SecretStr
from weighhouse_backend.identity.models import Invitation, LoginFailure, User
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.membership.domain_endpoints import router as domains
from weighhouse_backend.membership.domain_models import DomainAsking, JoiningAsk, JoiningDomain
from weighhouse_backend.sign_in.account_endpoints import router as account

from backend.tests.identity.joining.house import House
from backend.tests.people import router


@pytest.fixture(scope="module")
def settings(settings):
    told = {"secret_key": SecretStr("sixteen characters"), "smtp_host": "127.0.0.1"}
    return settings.model_copy(update=told)


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account, domains)


@pytest.fixture
def house(client, session_factory, settings, tenants):
    """The first tenant, whose owner asks and is asked."""
    client.cookies.clear()
    with unit_of_work(session_factory) as session:
        for model in (LoginFailure, Invitation, JoiningDomain, DomainAsking, JoiningAsk):
            session.query(model).delete()
        session.query(User).where(User.email.like("%@quokka.test")).delete()
    return House(client, session_factory, settings, tenants[0])
