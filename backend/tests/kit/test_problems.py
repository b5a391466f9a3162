"""Every error is a problem document that says where, what, and what would be right."""

import errno
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import pytest
import structlog
from fastapi import FastAPI, Query
from fastapi.testclient import TestClient
from pydantic import BaseModel, ConfigDict, Field
from redis.exceptions import RedisError
from sqlalchemy.exc import OperationalError
from weighhouse_backend.kit.conditions import Conditions
from weighhouse_backend.kit.logs import configure_logs
from weighhouse_backend.kit.outages import install_outages
from weighhouse_backend.kit.problems import Conflict, install_problems


class Wheel(BaseModel):
    model_config = ConfigDict(extra="forbid")

    size: Annotated[int, Field(ge=1, le=30)]


class Cart(BaseModel):
    wheels: list[Wheel]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = FastAPI()
    install_problems(app)
    install_outages(app, Conditions())

    @app.post("/carts")
    def make(body: Cart, limit: Annotated[int, Query(ge=1)] = 1) -> int:
        return len(body.wheels) + limit

    @app.get("/taken")
    def taken() -> None:
        raise Conflict("it is taken", headers={"Retry-After": "1"})

    @app.get("/away")
    def away() -> None:
        raise OperationalError("SELECT 1", {}, ConnectionRefusedError("no route"))

    @app.get("/full")
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    @app.get("/no-such-file")
    def no_such_file() -> None:
        raise FileNotFoundError("one of ours")

    @app.get("/redis")
    def without_redis() -> None:
        raise RedisError("it is away")

    @app.get("/broken")
    def broken() -> None:
        raise ZeroDivisionError

    with TestClient(app, raise_server_exceptions=False) as made:
        yield made


def refused(answer, status):
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert document["status"] == status
    assert document["type"].startswith("/docs/problems/")
    return document


def test_a_wrong_field_is_named_by_its_path(client):
    body = {"wheels": [{"size": 20}, {"size": 31}, {"seize": 1}]}
    document = refused(client.post("/carts", json=body, params={"limit": 0}), 422)
    errors = {error["path"]: error for error in document["errors"]}
    assert set(errors) == {"wheels[1].size", "wheels[2].size", "wheels[2].seize", "limit"}
    assert errors["wheels[1].size"]["expected"] == "≤ 30"
    assert errors["wheels[2].size"]["message"] == "is missing"
    assert errors["wheels[2].seize"]["message"] == "unknown key 'seize'"
    assert errors["limit"]["expected"] == "≥ 1"


def test_a_body_that_is_no_json_is_told_so(client):
    answer = client.post(
        "/carts", content=b'{"wheels": [', headers={"Content-Type": "application/json"}
    )
    (error,) = refused(answer, 422)["errors"]
    assert error["message"] == "is not JSON at character 12"


def test_an_error_keeps_its_headers(client):
    answer = client.get("/taken")
    assert refused(answer, 409)["detail"] == "it is taken"
    assert answer.headers["retry-after"] == "1"


def test_unknown_addresses_and_methods_are_problems_too(client):
    assert refused(client.get("/nowhere"), 404)["instance"] == "/nowhere"
    answer = client.delete("/carts")
    assert refused(answer, 405)["type"] == "/docs/problems/not-allowed"
    assert answer.headers["allow"] == "POST"


def test_a_database_that_is_away_is_no_fault_of_the_request(client):
    answer = client.get("/away")
    assert refused(answer, 503)["type"] == "/docs/problems/database-away"
    assert "retry-after" in answer.headers


def test_a_defect_says_nothing_of_the_inside(client):
    document = refused(client.get("/broken"), 500)
    assert "detail" not in document


@pytest.mark.parametrize(
    ("path", "status", "slug"),
    [
        ("/full", 507, "no-space"),
        ("/redis", 503, "redis-away"),
        ("/no-such-file", 500, "unexpected"),
    ],
)
def test_each_outage_has_a_name(client, path, status, slug):
    assert refused(client.get(path), status)["type"] == f"/docs/problems/{slug}"


def test_a_fault_is_a_problem_though_its_log_cannot_be_written(client, monkeypatch):
    configure_logs("INFO")
    try:
        full = Path("/dev/full").open("w", buffering=1)  # noqa: SIM115 - it cannot be closed
        monkeypatch.setattr(sys, "stdout", full)
        answer = client.get("/broken")
        monkeypatch.undo()
    finally:
        structlog.reset_defaults()
    assert refused(answer, 500)["type"] == "/docs/problems/unexpected"
