"""Fixtures of the backend's own tests: an app of chosen routers over a fresh database."""

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import hypothesis
import pytest
from fastapi import APIRouter, FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlalchemy.orm import Session
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.identity.logins import Turns
from weighhouse_backend.identity.models import Membership, Organization, Project, User
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import hash_password
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import (
    SessionFactory,
    install_database,
    make_engine,
    make_session_factory,
)
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.jobs import make_celery
from weighhouse_backend.kit.problems import install_problems
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.results.laboratory import ROUTERS, Laboratory

PASSWORD = "correct horse battery"

# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile(
    "patient", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("patient")


@pytest.fixture(scope="module")
def settings(
    database_url: str, redis_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Settings:
    """Settings over a fresh database; files lie in a directory of their own."""
    return Settings(
        database_url=database_url,
        redis_url=redis_server,
        artifact_dir=tmp_path_factory.mktemp("artifacts"),
    )


@pytest.fixture(scope="module")
def engine(settings: Settings) -> Iterator[Engine]:
    """An engine over the module's database."""
    made = make_engine(settings.database_url)
    yield made
    made.dispose()


@pytest.fixture(scope="module")
def session_factory(engine: Engine) -> SessionFactory:
    """Sessions over the module's database."""
    return make_session_factory(engine)


@dataclass(frozen=True)
class Tenant:
    """An organization with one project, a person, and an owner's API token."""

    organization_id: UUID
    project_id: UUID
    user_id: UUID
    email: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the token."""
        return {"Authorization": f"Bearer {self.token}"}


def make_tenant(session: Session, name: str, role: Role = Role.OWNER) -> Tenant:
    """Store a tenant of its own."""
    now = datetime.datetime.now(datetime.UTC)
    organization = Organization(slug=name, name=name.title(), created_at=now)
    user = User(
        email=f"{name}@example.test", name=name, password_hash=hash_password(PASSWORD),
        created_at=now,
    )  # fmt: skip
    session.add_all([organization, user])
    session.flush()
    project = Project(organization_id=organization.id, slug="main", name="Main", created_at=now)
    member = Membership(organization_id=organization.id, user_id=user.id, role=role, created_at=now)
    session.add_all([project, member])
    session.flush()
    token = FirstUserService(session, SystemClock()).ensure_token(project, "test", None)
    session.flush()
    return Tenant(organization.id, project.id, user.id, user.email, token)


@pytest.fixture(scope="module")
def tenants(session_factory: SessionFactory) -> tuple[Tenant, Tenant]:
    """Two tenants that must not see each other."""
    with unit_of_work(session_factory) as session:
        return make_tenant(session, "ours"), make_tenant(session, "theirs")


@pytest.fixture(scope="module")
def make_client(
    settings: Settings, engine: Engine, session_factory: SessionFactory
) -> Iterator[Callable[..., TestClient]]:
    """Makes a client of an app with some routers."""
    closing: list[Any] = []

    def make(*routers: APIRouter) -> TestClient:
        app = FastAPI()
        app.state.settings = settings
        install_database(app, engine)
        app.state.celery = make_celery(settings.redis_url)
        app.state.redis = make_redis(settings.redis_url)
        app.state.login_turns = Turns()
        install_problems(app)
        for router in routers:
            app.include_router(router)
        client = TestClient(app)
        closing.extend([client, app.state.redis])
        return client

    yield make
    for one in closing:
        one.close()


@pytest.fixture(scope="module")
def laboratory(make_client, session_factory, settings, tenants) -> Laboratory:
    """The first tenant's machine, enrolled."""
    made = Laboratory(make_client(*ROUTERS), session_factory, settings, tenants[0].headers)
    made.enrol()
    return made
