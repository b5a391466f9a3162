"""Fixtures of every test: a real PostgreSQL, a real Redis, fresh databases."""

import itertools
import json
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import hypothesis
import psycopg
import pytest
import structlog
from psycopg import sql
from redis import Redis
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.servers import postgres, redis
from weighhouse_cli.embedded.supervisor import Supervisor

from weighhouse_testing.clusters import OWNER_PASSWORD, as_application, lay_cluster
from weighhouse_testing.warm import cold, installed

_redis_databases = itertools.cycle(range(1, 16))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Each session has a root of its own for temporary directories: pytest's is one for all of a
    user's, and whoever comes later removes what others still use.
    """
    if config.option.basetemp is None:
        config.option.basetemp = tempfile.mkdtemp(prefix="weighhouse-tests-")
    # How long an example takes says how busy the machine is.
    hypothesis.settings.register_profile(
        "patient", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
    hypothesis.settings.load_profile("patient")
    # What is logged unset draws each frame's locals into a traceback: minutes on a busy machine.
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.dev.ConsoleRenderer(
                colors=False, exception_formatter=structlog.dev.plain_traceback
            ),
        ]
    )


_took: dict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what each file of tests takes, fixtures included."""
    _took[report.nodeid.partition("::")[0]] += report.duration


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Tell what each file took to whoever asked; keep temporary directories where a test failed."""
    if told := os.environ.get("WEIGHHOUSE_TEST_TIMES"):
        Path(told).write_text(json.dumps(_took), encoding="utf-8")
    if exitstatus == pytest.ExitCode.OK:
        shutil.rmtree(session.config.option.basetemp, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def _warm_programs() -> Iterator[None]:
    """Our own programs start from a process that has imported them, once one has been asked for."""
    with installed():
        yield


@pytest.fixture
def cold_programs(_warm_programs: None) -> Iterator[None]:
    """Our own programs start as they do for users."""
    with cold():
        yield


@pytest.fixture(scope="session")
def server_directory() -> Iterator[Path]:
    """A directory for servers which other accounts may pass through; removed afterwards."""
    path = Path(tempfile.mkdtemp(prefix="weighhouse-test-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session")
def _supervisor() -> Iterator[Supervisor]:
    supervisor = Supervisor()
    yield supervisor
    supervisor.stop()


@pytest.fixture(scope="session")
def postgres_server(server_directory: Path, _supervisor: Supervisor) -> str:
    """A private PostgreSQL; its address for SQLAlchemy. The database `postgres` has all tables."""
    data = server_directory / "postgresql"
    lay_cluster(data)
    server = postgres(
        data, server_directory, server_directory, free_port(), OWNER_PASSWORD, durable=False
    )
    _supervisor.start(server.plan)
    return server.url


@pytest.fixture(scope="session")
def redis_server(server_directory: Path, _supervisor: Supervisor) -> str:
    """A private Redis; its address."""
    server = redis(
        server_directory / "redis", server_directory, server_directory, free_port(), "not-a-secret"
    )
    _supervisor.start(server.plan)
    return server.url


@pytest.fixture(scope="module")
def own_redis_database(redis_server: str) -> str:
    """A database of the Redis for one module alone, empty at its begin; its address."""
    url = f"{redis_server.rsplit('/', 1)[0]}/{next(_redis_databases)}"
    with Redis.from_url(url) as client:
        client.flushdb()
    return url


def plain(url: str) -> str:
    """SQLAlchemy's address as psycopg takes it."""
    return url.replace("postgresql+psycopg://", "postgresql://")


@contextmanager
def database(server_url: str, template: str = "template0") -> Iterator[str]:
    """A new database on a server, dropped afterwards; its address for SQLAlchemy."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(plain(server_url), autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
    yield f"{server_url.rsplit('/', 1)[0]}/{name}"
    with psycopg.connect(plain(server_url), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="module")
def empty_database_url(postgres_server: str) -> Iterator[str]:
    """A new database without tables, for one module; its address for SQLAlchemy."""
    with database(postgres_server) as url:
        yield url


@pytest.fixture(scope="session")
def migrated_template(postgres_server: str) -> Iterator[str]:
    """A database with all migrations applied, to which nobody connects; its name, to copy from."""
    with database(postgres_server, "postgres") as url:
        yield url.rsplit("/", 1)[1]


@pytest.fixture(scope="module")
def owner_database_url(postgres_server: str, migrated_template: str) -> Iterator[str]:
    """A new database with all tables, for one module; its address, as the tables' owner."""
    with database(postgres_server, migrated_template) as url:
        yield url


@pytest.fixture(scope="module")
def database_url(owner_database_url: str) -> str:
    """A new database with all tables, for one module; its address, as the application's login."""
    return as_application(owner_database_url)
