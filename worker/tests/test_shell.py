"""The shell holds every table's class, reads a real database, and writes only when told to."""

import datetime
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy.exc import InternalError
from sqlalchemy.orm import Session
from weighhouse_backend.kit.settings import Settings
from weighhouse_testing.tree import text_of, tracked
from weighhouse_worker import shell

TABLE = re.compile(r"^class (\w+)\((?:\w+, )*Base\):", re.MULTILINE)

ORGANIZATION = {
    "name": "From the shell",
    "slug": "from-the-shell",
    "created_at": datetime.datetime(2026, 11, 25, tzinfo=datetime.UTC),
}


@pytest.fixture(scope="module")
def settings(database_url: str, redis_server: str) -> Settings:
    return Settings(database_url=database_url, redis_url=redis_server)


@pytest.fixture
def found(settings: Settings) -> Iterator[dict[str, Any]]:
    with shell.names(settings) as names:
        yield names


def test_every_tables_class_is_at_hand(found: dict[str, Any]) -> None:
    sources = [name for name in tracked("odels.py") if name.startswith("backend/weighhouse_")]
    written = {one for name in sources for one in TABLE.findall(text_of(name))}
    assert written
    assert not sorted(written - set(found))


def test_it_reads_and_does_not_write(found: dict[str, Any]) -> None:
    session = found["session"]
    count = found["select"](found["func"].count()).select_from(found["Run"])
    assert session.scalar(count) == 0
    session.add(found["Organization"](**ORGANIZATION))
    with pytest.raises(InternalError, match="read-only transaction"):
        session.flush()
    with (
        pytest.raises(InternalError, match="read-only transaction"),
        found["tools"].transaction() as services,
    ):
        services.get(Session).execute(found["text"]("CREATE TEMPORARY TABLE one (two int)"))


def test_for_writing_it_keeps_what_is_committed(settings: Settings) -> None:
    for kept in (False, True):
        with shell.names(settings, write=True) as names:
            names["session"].add(names["Organization"](**ORGANIZATION))
            names["session"].flush()
            if kept:
                names["session"].commit()
    with shell.names(settings) as names:
        count = names["select"](names["func"].count()).select_from(names["Organization"])
        assert names["session"].scalar(count) == 1


def test_it_takes_python_from_a_pipe(settings: Settings) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "weighhouse_worker.shell"],
        input="print('runs:', session.scalar(select(func.count()).select_from(Run)))\n",
        env={
            **os.environ,
            "WEIGHHOUSE_DATABASE_URL": settings.database_url,
            "WEIGHHOUSE_REDIS_URL": settings.redis_url,
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert "runs: 0" in done.stdout
    assert "read-only" in done.stderr
