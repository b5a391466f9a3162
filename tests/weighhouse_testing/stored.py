"""A platform's database as it was before runs became the work of gangs, and what the API said then.

Taken with the platform of that day: two campaigns of real runs of Redis and Memcached, and one that
was cancelled while a killed agent measured.
"""

import json
import lzma
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from alembic.config import Config
from fastapi.testclient import TestClient
from sqlalchemy import select
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.identity.models import Project
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_cli.embedded.binaries import postgres_directory

from weighhouse_testing.fixtures import database, plain

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "tests" / "migrations"


def stored(name: str) -> bytes:
    """A file of the dump, as it was before it was packed."""
    with lzma.open(STORED / name) as file:
        return file.read()


def said() -> dict[str, Any]:
    """Address in the API → what it answered then."""
    found: dict[str, Any] = json.loads(stored("before-gangs.json.xz"))
    return found


@contextmanager
def restored(server_url: str) -> Iterator[str]:
    """A database as it was; its address. Dropped afterwards."""
    with database(server_url) as url:
        # The role of tenants belongs to the whole server: an earlier test may have made it.
        with psycopg.connect(plain(url), autocommit=True) as connection:
            connection.execute(
                "DO $$ BEGIN CREATE ROLE weighhouse_tenant NOLOGIN;"
                " EXCEPTION WHEN duplicate_object THEN NULL; END $$"
            )
        subprocess.run(
            [postgres_directory() / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", plain(url)],
            input=stored("before-gangs.sql.xz"),
            check=True,
            capture_output=True,
            env={**os.environ},
        )
        yield url


def alembic_of(url: str) -> Config:
    """Alembic's configuration for a database."""
    found = Config(str(ROOT / "migrations" / "alembic.ini"))
    found.attributes["database_url"] = url
    return found


def settings_of(url: str, redis_url: str, directory: Path) -> Settings:
    """Settings of today's platform over a database."""
    return Settings(
        database_url=url,
        redis_url=redis_url,
        artifact_dir=directory,
        public_url="http://127.0.0.1:43893",
        docs_dir=ROOT / "docs",
    )


@contextmanager
def client_of(settings: Settings) -> Iterator[TestClient]:
    """The API over it, asked with an owner's token."""
    app = create_app(settings)
    with TestClient(app, base_url="http://testserver/api/v1/") as client:
        with unit_of_work(app.state.session_factory) as session:
            project = session.scalars(select(Project)).one()
            token = FirstUserService(session, SystemClock()).ensure_token(project, "now", None)
        client.headers["Authorization"] = f"Bearer {token}"
        yield client
