"""The whole application while PostgreSQL or Redis hangs: named, answered, and over by itself."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from fastapi.testclient import TestClient
from httpx import Response
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signs import give_sign
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.fixtures import plain
from weighhouse_testing.own_postgres import OwnPostgres, own_postgres
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.waits import until

HEADERS = {"Authorization": "Bearer whp_nobody"}


@pytest.fixture(scope="module")
def server() -> Iterator[OwnPostgres]:
    with own_postgres() as made:
        yield made


@pytest.fixture(scope="module")
def redis() -> Iterator[OwnRedis]:
    made = OwnRedis(free_port())
    made.start()
    yield made
    made.kill()


@pytest.fixture(scope="module")
def client(server: OwnPostgres, redis: OwnRedis, tmp_path_factory) -> Iterator[TestClient]:
    settings = Settings(
        database_url=server.url,
        redis_url=f"redis://127.0.0.1:{redis.port}/0",
        artifact_dir=tmp_path_factory.mktemp("artifacts"),
    )
    app = create_app(settings)
    with TestClient(app, raise_server_exceptions=False, client=("127.0.0.1", 1)) as made:
        yield made


def told(client: TestClient) -> list[str]:
    return [one["name"] for one in client.get("/health/ready").json()["conditions"]]


def test_while_postgresql_hangs_everybody_is_told_so(client, server) -> None:
    assert client.get("/api/v1/projects", headers=HEADERS).status_code == 401
    server.freeze()
    with ThreadPoolExecutor() as threads:
        caught = threads.submit(client.get, "/api/v1/projects", headers=HEADERS)
        until("it is named", lambda: "database-away" in told(client))
        assert caught.result().status_code == 503
    ready = client.get("/health/ready")
    assert ready.status_code == client.get("/health").status_code == 503
    (one,) = [each for each in ready.json()["conditions"] if each["name"] == "database-away"]
    assert one["since"]
    assert one["detail"] == "the database does not answer"
    assert 'weighhouse_condition{condition="database-away"} 1.0' in client.get("/metrics").text
    for method, path in (("GET", "/api/v1/projects"), ("POST", "/agent/v1/claims")):
        answer = client.request(method, path, headers=HEADERS)
        assert answer.status_code == 503
        assert answer.json()["type"] == "/docs/problems/database-away"
        assert answer.headers["Retry-After"]
    assert client.get("/api/v1/about").status_code == 200
    assert client.get("/health/live").status_code == 200
    server.thaw()
    until("it is over", lambda: "database-away" not in told(client))
    assert client.get("/api/v1/projects", headers=HEADERS).status_code == 401
    assert client.get("/health/ready").status_code == 200


def test_a_table_that_somebody_holds_is_no_outage(client, server) -> None:
    with psycopg.connect(plain(server.url)) as migrating:
        migrating.execute("LOCK TABLE runs IN ACCESS EXCLUSIVE MODE")

        def missed() -> bool:
            ready = client.get("/health/ready")
            assert ready.status_code == 200, ready.text
            return part(ready, "agents") == "unknown"

        until("it is looked at while it is held", missed)
        assert client.get("/health").status_code == 200
        assert client.get("/api/v1/projects", headers=HEADERS).status_code == 401


def test_while_redis_hangs_it_is_named_and_all_else_goes_on(client, redis) -> None:
    os.kill(redis.process.pid, signal.SIGSTOP)
    try:
        until("it is named", lambda: "redis-away" in told(client))
        assert client.get("/api/v1/projects", headers=HEADERS).status_code == 401
        ready = client.get("/health/ready")
        assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
    finally:
        os.kill(redis.process.pid, signal.SIGCONT)
    until("it is over", lambda: "redis-away" not in told(client))


def test_a_worker_that_gives_no_sign_any_more_is_named(client) -> None:
    redis = client.app.state.redis
    until("it is known", lambda: give_sign(redis, "worker") or worker(client) == "ok")
    until("it is missed", lambda: "worker-away" in told(client))
    assert worker(client) == "away"
    until("it is over", lambda: give_sign(redis, "worker") or not told(client))


def worker(client: TestClient) -> str:
    return part(client.get("/health/ready"), "worker")


def part(ready: Response, name: str) -> str:
    return next(one["condition"] for one in ready.json()["parts"] if one["name"] == name)
