"""A worker is killed while a receiver has its message: another one sends it again."""

import os
import signal
import subprocess
import sys
import time

import pytest
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.notices.kinds import ChannelKind
from weighhouse_testing.waits import until
from weighhouse_worker.tools import Tools

from worker.tests.receiving import receiving, told, verified

SECRET = "sixteen characters"


@pytest.fixture
def tools(database_url, own_redis_database):
    """Over a Redis database of its own: nobody else's jobs are in it."""
    redis_url = own_redis_database
    redis = make_redis(redis_url)
    yield Tools(
        Settings(
            database_url=database_url, redis_url=redis_url, secret_key=SECRET, sweep_seconds=1,
            notices_to_own_networks=True,
        )
    )  # fmt: skip
    redis.close()


@pytest.fixture
def start(tools, tmp_path):
    """Starts workers with a timetable inside; whatever is left of them is killed."""
    started = []
    environment = {
        "WEIGHHOUSE_DATABASE_URL": tools.settings.database_url,
        "WEIGHHOUSE_REDIS_URL": tools.settings.redis_url,
        "WEIGHHOUSE_SECRET_KEY": SECRET,
        "WEIGHHOUSE_SWEEP_SECONDS": "1",
        "WEIGHHOUSE_NOTICES_TO_OWN_NETWORKS": "true",
        "WEIGHHOUSE_LOG_LEVEL": "DEBUG",
    }
    path = tmp_path / "worker.log"
    log = path.open("wb")

    def begin():
        process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "weighhouse_worker.app:app", "worker", "--beat",
             "--concurrency", "1", "--without-gossip", "--without-mingle", "--loglevel", "DEBUG"],
            env={**os.environ, **environment}, cwd=tmp_path, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield begin, path
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    log.close()


def test_what_a_killed_worker_was_sending_arrives_and_no_log_tells_its_address(tools, start):
    begin, log = start
    project = told(tools)
    with receiving() as receiver:
        receiver.hold()
        _, secret = project.channel(ChannelKind.WEBHOOK, f"{receiver.url}/hook?key=hush-hush-hush")
        project.notify()
        worker = begin()
        until("it is being sent", receiver.arrived.is_set)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
        receiver.let_go()
        assert [row.state for row in project.deliveries()] == ["pending"]
        assert project.attempts() == [(None, None, "")]
        project.hurry()  # its lease is over
        begin()
        until(
            "it is delivered",
            lambda: [row.state for row in project.deliveries()] == ["delivered"],
        )
        sent = [verified(headers, body, secret, time.time()) for _, headers, body in receiver.got]
        assert len(sent) == 2
        assert len({headers["webhook-id"] for _, headers, _ in receiver.got}) == 1
    assert [outcome for outcome, _, _ in project.attempts()] == [None, "delivered"]
    said = log.read_text()
    assert "notices.deliver" in said
    for hidden in ("hush-hush-hush", secret, SECRET):
        assert hidden not in said
