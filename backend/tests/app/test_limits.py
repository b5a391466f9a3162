"""Limits of the whole application: budgets, sizes, and whom a proxy speaks for."""

from contextlib import contextmanager

import pytest
from fastapi.testclient import TestClient
from redis import Redis
from sqlalchemy import select
from weighhouse_backend.app.bootstrap import bootstrap
from weighhouse_backend.app.factory import ROUTERS, create_app
from weighhouse_backend.app.rate_limits import MOST_QUERY_BYTES, SIGNS
from weighhouse_backend.identity.models import ApiToken, Project
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.shares import STRANGERS
from weighhouse_backend.kit.unit_of_work import unit_of_work

EMAIL, PASSWORD = "admin@weighhouse.local", "a long enough password"


@pytest.fixture(scope="module")
def settings(settings, own_redis_database):
    return settings.model_copy(update={"redis_url": own_redis_database})


@pytest.fixture(scope="module")
def installed(settings):
    return bootstrap(settings, EMAIL, PASSWORD, None)


@pytest.fixture
def platform(settings):
    """A platform with other settings, and empty budgets."""

    @contextmanager
    def make(client=("203.0.113.7", 1), **changes):
        with Redis.from_url(settings.redis_url) as redis:
            redis.flushdb()
        app = create_app(settings.model_copy(update=changes))
        with TestClient(app, client=client) as made:
            yield made

    return make


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def test_every_answer_says_how_the_budget_stands(platform, installed):
    with platform(rate_token_per_minute=50) as client:
        told = [client.get("/api/v1/projects", headers=bearer(installed["api_token"]))
                for _ in range(2)]  # fmt: skip
        assert told[0].headers["RateLimit-Limit"] == "3000"  # not recognized yet
        assert told[1].headers["RateLimit-Limit"] == "50"
        assert told[1].headers["RateLimit-Remaining"] == "49"
        assert client.get("/api/v1/nothing").headers["RateLimit-Limit"] == "3000"
        assert "RateLimit-Limit" not in client.get("/health").headers


def test_too_much_is_refused_with_a_page_and_harms_nobody_who_is_recognized(platform, installed):
    mine = bearer(installed["api_token"])
    with platform(rate_address_per_minute=5) as client:
        assert client.get("/api/v1/projects", headers=mine).status_code == 200
        for number in range(20):
            refused = client.get("/api/v1/projects", headers=bearer(f"whp_{number}"))
        assert refused.status_code == 429
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["type"] == "/docs/problems/too-many-requests"
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        assert refused.headers["RateLimit-Remaining"] == "0"
        assert "X-Request-Id" in refused.headers
        assert client.get("/api/v1/projects", headers=mine).status_code == 200


def test_whose_a_request_is_is_known_from_the_second_on(platform, installed, session_factory):
    with unit_of_work(session_factory) as session:
        organization = session.scalars(
            select(Project.organization_id)
            .join(ApiToken, ApiToken.project_id == Project.id)
            .where(ApiToken.token_hash == token_hash(installed["api_token"]))
        ).one()
    mine = bearer(installed["api_token"])
    with platform() as client:
        shares = client.app.state.shares
        client.get("/api/v1/projects", headers=mine)
        assert set(shares._uses) == {STRANGERS}
        client.get("/api/v1/projects", headers=mine)
        assert set(shares._uses) == {STRANGERS, organization}
        assert shares.waiting == 0
        assert SIGNS in {route.path for route in ROUTERS[0].routes}  # it waits for no turn
        assert not shares._serving
        client.get("/api/v1/projects", headers=bearer("whp_nobody"))
        assert set(shares._uses) == {STRANGERS, organization}


def test_without_redis_nobody_is_limited(platform, installed):
    away = {"redis_url": "redis://127.0.0.1:1/0", "rate_address_per_minute": 1}
    with platform(**away) as client:
        for _ in range(3):
            answer = client.get("/api/v1/projects", headers=bearer(installed["api_token"]))
            assert answer.status_code == 200
            assert "RateLimit-Limit" not in answer.headers


def test_a_large_body_is_refused_whether_or_not_its_length_is_told(platform, installed):
    headers = bearer(installed["api_token"]) | {"Content-Type": "application/json"}
    body = b'{"name": "' + b"x" * 20_000 + b'"}'
    with platform(body_megabytes=0.01, agent_body_megabytes=1) as client:
        for content in (body, iter([body[:9000], body[9000:]])):
            answer = client.post("/api/v1/api-tokens", content=content, headers=headers)
            assert answer.status_code == 413, answer.text
            assert answer.json()["type"] == "/docs/problems/body-too-large"
            assert "10,485 bytes" in answer.json()["detail"]
        # Agents send more.
        assert client.post("/agent/v1/claims", content=body, headers=headers).status_code == 422


def test_a_long_query_is_refused(platform):
    with platform() as client:
        answer = client.get("/api/v1/projects?x=" + "y" * MOST_QUERY_BYTES)
    assert answer.status_code == 414
    assert answer.json()["type"] == "/docs/problems/address-too-long"


def test_a_proxy_is_believed_when_it_is_named_and_nobody_else(platform):
    def left(client, address):
        asked = client.get("/api/v1/about", headers={"X-Forwarded-For": address})
        return int(asked.headers["RateLimit-Remaining"])

    with platform(trusted_proxies="203.0.113.0/24", rate_address_per_minute=100) as client:
        assert [left(client, "198.51.100.1"), left(client, "198.51.100.2")] == [99, 99]
        # What a stranger wrote before the proxy wrote its own is not believed.
        assert left(client, "198.51.100.9, 198.51.100.1") == 98
    with platform(rate_address_per_minute=100) as client:
        assert [left(client, "198.51.100.1"), left(client, "198.51.100.2")] == [99, 98]


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/api/v1/experiments/validate", "POST"),
        ("GET", "/api/v1/experiments/fairness", "POST"),
        ("GET", "/api/v1/alerts/triage", "POST"),
        ("PATCH", "/api/v1/alerts/counts", "GET"),
        ("GET", "/api/v1/api-tokens/01a20389-2920-714d-978c-8346173e7b29", "DELETE"),
    ],
)
def test_a_method_that_is_not_taken_is_told_as_such(
    platform, installed, tmp_path, method, path, allow
):
    (tmp_path / "index.html").write_text("the first page")
    with platform(frontend_dir=tmp_path) as client:
        answer = client.request(method, path, headers=bearer(installed["api_token"]))
        assert answer.status_code == 405, answer.text
        assert answer.headers["Allow"] == allow
        assert client.get("/experiments/validate").text == "the first page"


def test_numbers_beyond_what_is_counted_are_refused(platform, installed):
    mine = bearer(installed["api_token"])
    with platform() as client:
        for path in (
            f"/api/v1/experiments/x/revisions/{2**31}",
            f"/api/v1/experiments/x/revisions/{2**31}/yaml",
            f"/api/v1/experiments/x/revisions/1/diff/{2**63}",
        ):
            assert client.get(path, headers=mine).status_code in {404, 422}, path
