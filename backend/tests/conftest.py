"""Fixtures of the backend's own tests: an app of chosen routers over a fresh database."""

import datetime
import gc
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import SimpleNamespace
from uuid import UUID

import pytest
from argon2 import PasswordHasher
from fastapi import APIRouter, FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from sqlalchemy.orm import Session
from starlette.middleware import Middleware
from weighhouse_backend.app.services import graph
from weighhouse_backend.campaigns import service as campaign_service
from weighhouse_backend.fleet.agent_signs import AgentSigns
from weighhouse_backend.identity import secrets
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.identity.models import Membership, Organization, Project, User
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import hash_password
from weighhouse_backend.kit.bodies import install_bodies
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.conditions import Conditions
from weighhouse_backend.kit.db import (
    SessionFactory,
    install_database,
    make_engine,
    make_session_factory,
)
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.jobs import make_celery
from weighhouse_backend.kit.outages import install_outages
from weighhouse_backend.kit.problems import install_problems
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.measurements.errors import install_unreadable
from weighhouse_backend.results.ingestion import batches_pace
from weighhouse_backend.sharing.renderings import Renderings
from weighhouse_backend.sign_in.logins import Turns

from backend.tests.results.laboratory import ROUTERS, Laboratory

PASSWORD = "correct horse battery"


def pytest_collection_finish() -> None:
    """Nobody looks for garbage again in what was imported."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> Iterator[None]:
    """Hashes of passwords take microseconds; what they take elsewhere is held by one test."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr(secrets, "HASHER", cheap)
        yield


@pytest.fixture(scope="module", autouse=True)
def _same_chance(request: pytest.FixtureRequest) -> Iterator[None]:
    """Campaigns whose experiment names no seed get the same each time: what noise is invented by
    it, and what is judged of that, is not another from one run of the tests to the next."""
    dice = random.Random(request.module.__name__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(campaign_service, "secrets", SimpleNamespace(randbits=dice.getrandbits))
        yield


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


_BUILT: dict[tuple[int, ...], tuple[APIRouter, tuple[APIRouter, ...]]] = {}


def _routes(*routers: APIRouter) -> APIRouter:
    """Some routers as one, built once a session; apps differ in their state alone."""
    key = tuple(id(router) for router in routers)
    if key not in _BUILT:
        app = FastAPI()
        for router in routers:
            app.include_router(router)
        _BUILT[key] = app.router, routers
    return _BUILT[key][0]


@pytest.fixture(scope="module")
def make_client(
    settings: Settings, engine: Engine, session_factory: SessionFactory
) -> Iterator[Callable[..., TestClient]]:
    """Makes a client of an app with some routers."""
    with ExitStack() as closing:

        def make(*routers: APIRouter, middleware: Sequence[type] = ()) -> TestClient:
            app = FastAPI(middleware=[Middleware(one) for one in middleware])
            app.router = _routes(*routers)
            app.state.settings = settings
            app.state.graph = graph()
            install_database(app, engine)
            app.state.celery = make_celery(settings.redis_url)
            app.state.redis = make_redis(settings.redis_url)
            closing.callback(app.state.redis.close)
            app.state.agent_signs = AgentSigns(app.state.redis, settings.agent_sign_seconds)
            app.state.login_turns = Turns()
            app.state.renderings = Renderings()
            app.state.batches_pace = batches_pace()
            install_problems(app)
            install_unreadable(app)
            install_bodies(app, settings)
            install_outages(app, Conditions())
            # Entered: else each request has an event loop and threads of its own.
            return closing.enter_context(TestClient(app))

        yield make


def beside(client: TestClient, address: str) -> TestClient:
    """Another browser at a client's application, without cookies.

    :param address: it calls from there.
    """
    made = TestClient(client.app, client=(address, 50000))
    made.portal = client.portal
    return made


@pytest.fixture(scope="module")
def laboratory(make_client, session_factory, settings, tenants) -> Laboratory:
    """The first tenant's machine, enrolled."""
    made = Laboratory(make_client(*ROUTERS), session_factory, settings, tenants[0].headers)
    made.enrol()
    return made
