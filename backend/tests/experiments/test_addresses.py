"""Addresses as people write them, through the API; and passwords, wherever people put them."""

import logging
from typing import Any

import pytest
import yaml
from sqlalchemy import inspect, text
from weighhouse_backend.experiments.endpoints import router
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_testing.configurations import manifest
from weighhouse_testing.world import accept

SECRET = "hunter2hunter2"
SYSTEMS = ("redis", "valkey", "memcached", "mongodb", "cassandra", "aerospike")
THERE: dict[str, Any] = {"name": "there", "system": "redis", "deployment": "external"}


@pytest.fixture(scope="module")
def client(make_client, session_factory, tenants):
    with unit_of_work(session_factory) as session:
        for tenant in tenants:
            accept(session, SystemClock(), tenant.organization_id, map(manifest, SYSTEMS))
    return make_client(router)


@pytest.fixture
def ours(tenants):
    return tenants[0].headers


def document(slug: str, **target: Any) -> dict[str, Any]:
    return {
        "slug": slug,
        "name": "There",
        "targets": [{**THERE, **target}],
        "workloads": [{"name": "reads", "operations": {"read": 1.0}}],
        "load_levels": [{"model": "closed", "clients": 2}],
        "phases": {"measure_seconds": 2},
    }


@pytest.mark.parametrize(
    ("target", "endpoints", "options"),
    [
        ({"endpoints": ["rediss://db.example/3"]}, ["tls://db.example:6379"], {"database": 3}),
        ({"endpoints": ["[::1]", "[::1]:7000"]}, ["tcp://[::1]:6379", "tcp://[::1]:7000"], {}),
        ({"system": "valkey", "endpoints": ["valkey://h"]}, ["tcp://h:6379"], {}),
        ({"system": "memcached", "endpoints": ["/run/mc.sock"]}, ["unix:///run/mc.sock"], {}),
        (
            {"system": "mongodb", "endpoints": ["mongodb://a,b/shop?authSource=me&w=majority"]},
            ["tcp://a:27017", "tcp://b:27017"],
            {"database": "shop", "auth_source": "me", "write_concern": "majority"},
        ),
        ({"system": "cassandra", "endpoints": ["10.0.0.1"]}, ["tcp://10.0.0.1:9042"], {}),
        ({"system": "aerospike", "endpoints": ["as1.lan"]}, ["tcp://as1.lan:3000"], {}),
    ],
)
def test_what_people_write_is_kept_in_one_form(
    client, ours, target: dict[str, Any], endpoints: list[str], options: dict[str, Any]
) -> None:
    body = {"document": document("forms", **target)}
    told = client.post("/api/v1/experiments/validate", json=body, headers=ours).json()
    assert told["valid"], told["errors"]
    assert told["document"]["targets"][0]["endpoints"] == endpoints
    assert told["document"]["targets"][0]["driver_options"] == options
    assert yaml.safe_load(told["yaml"])["targets"][0]["endpoints"] == endpoints


def test_an_address_that_nothing_takes_is_refused_with_one_that_is_right(client, ours) -> None:
    body = {"document": document("wrong", endpoints=["tcp://::1:6379"])}
    answer = client.post("/api/v1/experiments", json=body, headers=ours)
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["path"] == "targets[0].endpoints[0]"
    assert "is to stand in [ ]" in error["message"]
    assert error["expected"] == "for example redis://redis.example:6379/3"


PLACES: dict[str, dict[str, Any]] = {
    "address": {"endpoints": [f"redis://me:{SECRET}@db.example:6379/3"]},
    "address-without-scheme": {"endpoints": [f"me:{SECRET}@db.example:6379"]},
    "question": {"endpoints": [f"redis://db.example?password={SECRET}"]},
    "map": {"endpoints": ["h"], "address_map": {"a:1": f"redis://:{SECRET}@db.example"}},
    "map-announced": {"endpoints": ["h"], "address_map": {f"me:{SECRET}@db.example:1": "h"}},
    "option": {"endpoints": ["h"], "driver_options": {"password": SECRET}},
    "unknown-option": {"endpoints": ["h"], "driver_options": {"auth": SECRET}},
    "file-option": {"endpoints": ["h"], "driver_options": {"password_file": SECRET}},
    "parameter": {"endpoints": ["h"], "parameters": {"requirepass": SECRET}},
    "own-server": {"deployment": "process", "parameters": {"requirepass": SECRET}},
    "credentials": {"endpoints": ["h"], "credentials": f"me:{SECRET}"},
    "whole-credentials": {"endpoints": ["h"], "credentials": {"password": SECRET}},
    "field": {"endpoints": ["h"], "password": SECRET},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", ["document", "yaml"])
def test_a_password_is_kept_nowhere_and_told_to_nobody(
    client, ours, session_factory, caplog: pytest.LogCaptureFixture, place: str, form: str
) -> None:
    caplog.set_level(logging.DEBUG)
    written = document(place, **PLACES[place])
    body = {form: yaml.safe_dump(written) if form == "yaml" else written}
    told = client.post("/api/v1/experiments/validate", json=body, headers=ours)
    refused = client.post("/api/v1/experiments", json=body, headers=ours)
    assert refused.status_code == 422, refused.text
    assert told.json()["errors"]
    for answer in (refused.json(), {"errors": told.json()["errors"]}):
        assert SECRET not in str(answer)
    assert SECRET not in caplog.text
    with unit_of_work(session_factory) as session:
        tables = inspect(session.connection()).get_table_names()
        assert len(tables) > 50
        for name in tables:
            found = session.scalar(
                text(f'SELECT count(*) FROM "{name}" one WHERE strpos(one::text, :it) > 0'),
                {"it": SECRET},
            )
            assert not found, name
