"""Who asks is known before what is asked is read: at the doors of the whole application."""

import datetime
import hashlib
import json
from functools import partial

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.identity.models import ApiToken
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import new_token, token_hash, token_prefix
from weighhouse_backend.kit.bodies import KIBIBYTE, MEBIBYTE, SAID, SMALL_BYTES, BoundedRoute
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.app.test_bodies import routes
from backend.tests.described import described
from backend.tests.results.laboratory import experiment
from backend.tests.sending import PIECE, pieces_of, send

EXPERIMENTS, TOKENS = "/api/v1/experiments", "/api/v1/api-tokens"
LONG = 60_000_000
LARGER = {
    "bundles_add_reproduction": 256 * MEBIBYTE,
    "campaigns_arrive": MEBIBYTE,
    "campaigns_complete_attempt": MEBIBYTE,
    "campaigns_create": 256 * KIBIBYTE,
    "experiments_add_revision": 2 * MEBIBYTE,
    "experiments_create": 2 * MEBIBYTE,
    "experiments_fairness": 2 * MEBIBYTE,
    "experiments_target_from_file": 2 * MEBIBYTE,
    "experiments_validate": 2 * MEBIBYTE,
    "experiments_workload_from_file": 2 * MEBIBYTE,
    "fleet_open_session": 4 * MEBIBYTE,
    "prices_save": MEBIBYTE,
    "provisions_estimate": 2 * MEBIBYTE,
    "reports_draft": MEBIBYTE,
    "reports_save": MEBIBYTE,
    "sources_correct": 16 * MEBIBYTE,
    "sources_keep": 16 * MEBIBYTE,
    "sources_preview": 256 * MEBIBYTE,
    "sources_read_figures": 256 * KIBIBYTE,
    "results_append_log": MEBIBYTE,
    "results_put_artifact": 256 * MEBIBYTE,
    "results_store_events": 8 * MEBIBYTE,
}
"""What takes more than anybody may send."""
UNREAD = frozenset({"POST", "PUT", "PATCH"})


@pytest.fixture(scope="module")
def platform(settings):
    with TestClient(create_app(settings)) as client:
        yield client


@pytest.fixture(scope="module")
def ask(platform):
    """Sends a body to the application, in its own event loop."""

    def made(method, path, token, size, *, told=True, body=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        asked = partial(send, length=size if told else None)
        body = body or pieces_of(size)
        return platform.portal.call(asked, platform.app, method, path, headers, body)

    return made


@pytest.fixture(scope="module")
def order(laboratory, platform):
    laboratory.campaign(experiment("strangers", repetitions=1))
    return laboratory.begin()


@pytest.fixture
def token_of(session_factory, tenants):
    """Makes an API token."""

    def make(role=Role.OWNER, **more):
        token = new_token("p")
        with unit_of_work(session_factory) as session:
            row = ApiToken(
                project_id=tenants[0].project_id, name=token[-8:], role=role,
                prefix=token_prefix(token), token_hash=token_hash(token), created_by="test",
                created_at=datetime.datetime.now(datetime.UTC), **more,
            )  # fmt: skip
            session.add(row)
        return token

    return make


def test_how_much_each_operation_takes(platform):
    document = described()
    operations = [
        one for methods in document["paths"].values() for one in methods.values()
    ]  # fmt: skip
    said = {one["operationId"]: one[SAID] for one in operations if SAID in one}
    assert {name: most for name, most in said.items() if most != SMALL_BYTES} == LARGER
    silent = [one["operationId"] for one in operations if "requestBody" in one and SAID not in one]
    assert not silent, f"their routers have no route_class=BoundedRoute: {silent}"
    unbounded = [
        each.path for each in routes(platform.app.routes)
        if each.methods & UNREAD and not isinstance(each, BoundedRoute) and each.include_in_schema
    ]  # fmt: skip
    assert not unbounded


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("who", ["nobody", "unknown", "revoked", "expired", "an agent", "another"])
def test_of_strangers_nothing_large_is_read(
    ask, platform, laboratory, order, token_of, tenants, who, told
):
    now = datetime.datetime.now(datetime.UTC)
    agent = laboratory.agent["Authorization"].split()[1]
    token = {
        "nobody": lambda: None,
        "unknown": lambda: new_token("p"),
        "revoked": lambda: token_of(revoked_at=now),
        "expired": lambda: token_of(expires_at=now - datetime.timedelta(seconds=1)),
        "an agent": lambda: agent,
        "another": lambda: order["attempt_token"],
    }[who]()
    doors = [("POST", EXPERIMENTS), ("POST", f"{EXPERIMENTS}/validate"), ("PUT", "/api/v1/prices")]
    attempt = f"/agent/v1/attempts/{order['attempt_id']}"
    if who != "another":
        digest = hashlib.sha256(b"").hexdigest()
        doors += [
            ("POST", f"{attempt}/events"), ("PUT", f"{attempt}/artifacts/{digest}"),
            ("PUT", f"{attempt}/logs/driver?offset=0"), ("POST", f"{attempt}/complete"),
            ("POST", "/agent/v1/attempts/none/events"),
        ]  # fmt: skip
    if who != "an agent":
        doors.append(("PUT", "/agent/v1/session"))
    for method, path in doors:
        sent = ask(method, path, token, LONG, told=told)
        assert sent.status == 401, (path, sent.content)
        assert sent.taken_bytes <= (0 if told else SMALL_BYTES + len(PIECE)), path
        assert sent.headers["connection"] == "close"
    assert platform.app.state.bodies.memory.held_bytes == 0
    assert platform.app.state.bodies.files.held_bytes == 0


def test_whoever_is_known_sends_little_where_little_is_taken(ask, token_of):
    for role in (Role.VIEWER, Role.OWNER):
        sent = ask("POST", TOKENS, token_of(role), LONG)
        assert (sent.status, sent.slug, sent.taken_bytes) == (413, "body-too-large", 0)
        assert "65,536 bytes" in sent.problem["detail"]
    viewer = token_of(Role.VIEWER)
    assert ask("POST", EXPERIMENTS, viewer, LONG).slug == "body-too-large"
    refused = ask("POST", EXPERIMENTS, viewer, 3, body=_whole(b"{}"))
    assert refused.status == 422
    document = json.dumps({"document": experiment("viewers")}).encode()
    assert ask("POST", EXPERIMENTS, viewer, len(document), body=_whole(document)).status == 403


def test_a_large_document_of_somebody_known_is_taken(ask, token_of):
    document = json.dumps({"document": experiment("large") | {"description": "x"}}).encode()
    document += b" " * (MEBIBYTE)
    made = ask("POST", EXPERIMENTS, token_of(), len(document), body=_whole(document))
    assert made.status == 201, made.content
    assert made.taken_bytes == len(document)


def test_while_a_body_arrives_nothing_of_the_database_is_held(ask, platform, laboratory, order):
    pool = platform.app.state.engine.pool
    held = []

    async def watched():
        for piece in (b"a" * 65_536, b"b" * 65_536):
            held.append(pool.checkedout())
            yield piece
        held.append(pool.checkedout())

    content = b"a" * 65_536 + b"b" * 65_536
    attempt = f"/agent/v1/attempts/{order['attempt_id']}"
    digest = hashlib.sha256(content).hexdigest()
    for path in ("logs/driver?offset=0", f"artifacts/{digest}?name=a"):
        method, address = "PUT", f"{attempt}/{path}"
        sent = ask(method, address, order["attempt_token"], len(content), body=watched())
        assert sent.status in {201, 202}, sent.content
    assert held == [0] * len(held)


async def _whole(content):
    yield content


def test_all_operations_are_found(platform):
    found = [each for each in routes(platform.app.routes) if isinstance(each, APIRoute)]
    assert len([each for each in found if isinstance(each, BoundedRoute)]) > 150
