"""What an attempt may leave in all: logs, files, events; beyond it is told, and nothing is lost."""

import hashlib

import pytest
from weighhouse_backend.files import flows
from weighhouse_backend.files.flows import Flows
from weighhouse_backend.files.logs import MOST_STREAMS, flows_of
from weighhouse_backend.kit.settings import Settings

from .laboratory import experiment
from .test_events import ticks

MEBIBYTE = 1024 * 1024
PIECE = b"x" * 60_000 + b"\n"


@pytest.fixture(scope="module")
def settings(database_url, redis_server, tmp_path_factory) -> Settings:
    return Settings(
        database_url=database_url, redis_url=redis_server,
        artifact_dir=tmp_path_factory.mktemp("artifacts"),
        attempt_log_mebibytes=1, attempt_file_mebibytes=1, attempt_events=1000,
        log_mebibytes_per_minute=3,
    )  # fmt: skip


@pytest.fixture
def order(laboratory):
    flows_of.cache_clear()
    laboratory.campaign(experiment("most", repetitions=1))
    begun = laboratory.begin()
    yield begun
    failure = {"kind": "invalid", "message": "the test is over"}
    laboratory.complete(begun, 0, outcome="failed", failure=failure)


def put(laboratory, order, what, content):
    return laboratory.attempt(
        order, "PUT", what, content=content, headers={"Content-Type": "application/octet-stream"}
    )


def log(laboratory, order, stream):
    path = f"/api/v1/runs/{order['run_id']}/logs/{stream}"
    return laboratory.client.get(path, headers=laboratory.headers).text


def test_all_logs_of_an_attempt_have_a_limit_and_the_last_says_where_it_was_cut(laboratory, order):
    sent = 0
    for stream in ("driver", "server"):
        for n in range(9):
            answer = put(laboratory, order, f"logs/{stream}?offset={n * len(PIECE)}", PIECE)
            sent += answer.status_code == 202
    assert sent == 18
    assert "cut" not in log(laboratory, order, "driver")
    cut = log(laboratory, order, "server")
    assert cut.endswith("[the log was cut here: all logs of an attempt may have 1 MiB]\n")
    assert len(cut) < 9 * len(PIECE)
    for path in (f"logs/server?offset={9 * len(PIECE)}", "logs/another?offset=0"):
        refused = put(laboratory, order, path, PIECE)
        assert refused.status_code == 413
        assert refused.json()["type"] == "/docs/problems/log-too-long"
        assert "1 MiB" in refused.json()["detail"]
    assert put(laboratory, order, "logs/driver?offset=0", PIECE).status_code == 202


def test_a_machine_keeps_so_many_logs_and_no_more(laboratory, order):
    for n in range(MOST_STREAMS):
        assert put(laboratory, order, f"logs/s{n}?offset=0", b"x").status_code == 202
    refused = put(laboratory, order, "logs/one-more?offset=0", b"x")
    assert refused.status_code == 413
    assert str(MOST_STREAMS) in refused.json()["detail"]


def test_files_of_an_attempt_have_a_limit_together(laboratory, order):
    contents = [bytes([n]) * (MEBIBYTE // 3) for n in range(4)]
    names = [f"artifacts/{hashlib.sha256(one).hexdigest()}" for one in contents]
    found = [put(laboratory, order, n, c).status_code for n, c in zip(names, contents, strict=True)]
    assert found == [201, 201, 201, 413]


def test_events_of_an_attempt_have_a_limit(laboratory, order):
    for first in range(0, 1000, 500):
        assert laboratory.send(order, ticks(500, first)) == first + 500
    refused = laboratory.attempt(order, "POST", "events", json={"events": ticks(1, 1000)})
    assert refused.status_code == 413
    assert refused.json()["type"] == "/docs/problems/events-too-many"


def test_an_agent_that_sends_too_much_at_once_is_told_to_wait():
    kept = Flows(60 * MEBIBYTE)
    assert kept.wait_seconds("one", 60 * MEBIBYTE) == 0
    assert kept.wait_seconds("one", 60 * MEBIBYTE) > 0
    assert kept.wait_seconds("another", MEBIBYTE) == 0
    assert Flows(0).wait_seconds("one", MEBIBYTE) == 0


def test_an_agents_logs_beyond_what_a_minute_takes_wait(laboratory, order, monkeypatch):
    assert put(laboratory, order, "logs/driver?offset=0", b"x").status_code == 202
    (agent,) = flows_of(3)._left
    monkeypatch.setattr(flows, "MINUTE_SECONDS", 1e9)
    flows_of(3).wait_seconds(agent, 3 * MEBIBYTE - 1000)
    waits = put(laboratory, order, "logs/driver?offset=1", PIECE)
    assert waits.status_code == 429
    assert int(waits.headers["Retry-After"]) >= 1
