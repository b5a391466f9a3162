"""A worker whose database hangs, or whose broker is killed: tasks end, and it goes on by itself."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError
from weighhouse_backend.kit.signs import ages_of_signs
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.own_postgres import OwnPostgres, own_postgres
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.waits import until


@pytest.fixture
def database() -> Iterator[OwnPostgres]:
    with own_postgres() as made:
        yield made


@pytest.fixture
def broker() -> Iterator[OwnRedis]:
    made = OwnRedis(free_port())
    made.start()
    yield made
    made.kill()


@pytest.fixture
def log(database: OwnPostgres, broker: OwnRedis, tmp_path: Path) -> Iterator[Path]:
    """What a worker with a beat inside tells."""
    told = tmp_path / "worker.log"
    environment = {
        "WEIGHHOUSE_DATABASE_URL": database.url,
        "WEIGHHOUSE_REDIS_URL": f"redis://127.0.0.1:{broker.port}/0",
        "WEIGHHOUSE_SWEEP_SECONDS": "1",
        "WEIGHHOUSE_LOG_LEVEL": "DEBUG",
    }
    with told.open("wb") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "weighhouse_worker.app:app", "worker", "--beat",
             "--concurrency", "1", "--without-gossip", "--without-mingle"],
            env={**os.environ, **environment}, cwd=tmp_path, stdout=written, stderr=written,
            start_new_session=True,
        )  # fmt: skip
        yield told
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def times(log: Path, words: str) -> int:
    return len(re.findall(words, log.read_text(encoding="utf-8")))


def goes_on(log: Path) -> None:
    before = times(log, '"task_done"')
    until("tasks are done", lambda: times(log, '"task_done"') > before)


def test_tasks_end_while_the_database_hangs_and_are_done_after(database, log) -> None:
    goes_on(log)
    database.freeze()
    until("a task is told that it broke", lambda: times(log, '"task_failed"'))
    database.thaw()
    goes_on(log)


def test_it_is_back_soon_after_its_broker(broker, log) -> None:
    goes_on(log)
    broker.kill()
    until("it tries again", lambda: times(log, r"Trying again in [12]|in [12]\.00 sec"))
    broker.start()
    with Redis(port=broker.port) as client:
        until("it gives signs", lambda: signs(client))
    goes_on(log)
    assert not times(log, r"Trying again in ([4-9]|\d\d)|in ([4-9]|\d\d)\.00 seconds")


def signs(client: Redis) -> bool:
    try:
        return None not in ages_of_signs(client).values()
    except RedisError:
        return False
