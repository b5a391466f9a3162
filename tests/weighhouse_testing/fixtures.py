"""Session fixtures: PostgreSQL, Redis, fresh databases, and the whole embedded platform."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.servers import postgres, redis
from weighhouse_cli.embedded.supervisor import Supervisor

from weighhouse_testing.platform import RunningPlatform, running_platform


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
    """A private PostgreSQL; its address for SQLAlchemy, database `postgres`."""
    server = postgres(
        server_directory / "postgresql", server_directory, server_directory,
        free_port(), "not-a-secret", durable=False,
    )  # fmt: skip
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


def plain(url: str) -> str:
    """SQLAlchemy's address as psycopg takes it."""
    return url.replace("postgresql+psycopg://", "postgresql://")


@pytest.fixture(scope="module")
def empty_database_url(postgres_server: str) -> Iterator[str]:
    """A new database without tables, for one module; its address for SQLAlchemy."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(plain(postgres_server), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    yield f"{postgres_server.rsplit('/', 1)[0]}/{name}"
    with psycopg.connect(plain(postgres_server), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def platform() -> Iterator[RunningPlatform]:
    """The whole embedded platform with short timings: url, credentials, its parts."""
    with running_platform() as found:
        yield found
