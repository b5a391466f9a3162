"""The whole application: its health, its OpenAPI document, what a new installation begins with."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import SecretStr
from sqlalchemy import text
from weighhouse_backend.app.bootstrap import bootstrap
from weighhouse_backend.app.description import OPEN, SHOWN, TAGS
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.app.openapi import document
from weighhouse_backend.app.parts import BEGINNING_SECONDS
from weighhouse_backend.directories.service import SCIM_MEDIA_TYPE
from weighhouse_backend.kit.db import make_engine
from weighhouse_backend.kit.problems import install_problems
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signs import give_sign

from backend.tests.described import described

FEATURES = {
    "identity", "notices", "catalog", "disclosure", "experiments", "fleet", "campaigns", "results",
    "findings",
    "comparisons", "series", "alerts", "annotations", "gates", "noise", "publishing", "status",
    "scenarios", "studies", "prices", "quotas", "retention", "directories",
    "provisions", "exports", "sharing", "sources", "reports", "bundles", "search",
}  # fmt: skip
MIGRATIONS = Path(__file__).resolve().parents[3] / "migrations"
METHODS = {"delete", "get", "patch", "post", "put"}
EMAIL, PASSWORD = "admin@weighhouse.local", "a long enough password"


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings)) as made:
        yield made


@pytest.fixture(scope="module")
def installed(settings: Settings) -> dict[str, str]:
    return bootstrap(settings, EMAIL, PASSWORD, None)


@pytest.fixture(scope="module")
def openapi() -> dict:
    return described()


def test_a_healthy_installation_says_so(client):
    health = client.get("/health")
    assert health.status_code == 200
    assert health.json()["status"] == "ok"
    assert client.get("/api/v1/about").json()["version"] == health.json()["version"]


def conditions(answer):
    return {part["name"]: part["condition"] for part in answer.json()["parts"]}


def test_what_has_only_begun_is_not_missed_yet(settings):
    with TestClient(create_app(settings)) as client:
        found = conditions(client.get("/health/ready"))
    assert found["worker"] == found["timetable"] == "unknown"


def test_readiness_names_what_is_missing_and_how_it_is_mended(settings, redis_server):
    with TestClient(create_app(settings)) as client:
        client.app.state.parts.began -= BEGINNING_SECONDS
        _names_what_is_missing(client)


def _names_what_is_missing(client):
    ready = client.get("/health/ready")
    assert ready.status_code == 200
    assert ready.json()["status"] == "degraded"
    found = conditions(ready)
    assert found["database"] == found["redis"] == "ok"
    assert found["agents"] == found["worker"] == found["timetable"] == "away"
    for part in ready.json()["parts"]:
        assert bool(part["mend"]) == bool(part["missing"]) == (part["condition"] == "away")
    assert client.get("/health/live").json()["status"] == "ok"


def test_readiness_knows_a_worker_by_its_sign(settings):
    with TestClient(create_app(settings)) as client:
        give_sign(client.app.state.redis, "worker")
        try:
            assert conditions(client.get("/health/ready"))["worker"] == "ok"
        finally:
            client.app.state.redis.delete("sign:worker")


@pytest.mark.parametrize(
    ("revision", "condition", "status"),
    [(None, "ok", 200), ("0017", "behind", 503), ("9999", "ahead", 200)],
)
def test_readiness_compares_the_tables_with_the_program(
    settings, owner_database_url, revision, condition, status
):
    engine = make_engine(owner_database_url)
    changed = settings.model_copy(update={"migrations_dir": MIGRATIONS})
    head = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    with engine.begin() as connection:
        before = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        connection.execute(
            text("UPDATE alembic_version SET version_num = :now"), {"now": revision or head}
        )
    try:
        with TestClient(create_app(changed)) as client:
            ready = client.get("/health/ready")
        assert conditions(ready)["migrations"] == condition
        assert ready.status_code == status
    finally:
        with engine.begin() as connection:
            connection.execute(
                text("UPDATE alembic_version SET version_num = :now"), {"now": before}
            )
        engine.dispose()


def test_without_its_database_the_platform_is_not_ready_and_still_tells(settings):
    away = {"database_url": "postgresql+psycopg://nobody@127.0.0.1:1/none"}
    with from_here(settings.model_copy(update=away)) as client:
        ready = client.get("/health/ready")
        told = client.get("/metrics").text
        assert client.get("/health/live").status_code == 200
    assert ready.status_code == 503
    assert conditions(ready)["database"] == "away"
    assert 'weighhouse_part_up{part="database"} 0.0' in told
    assert "weighhouse_runs{" not in told


def from_here(settings):
    return TestClient(create_app(settings), client=("127.0.0.1", 1))


def test_metrics_are_read_from_this_machine_and_not_through_a_proxy(client, settings):
    assert client.get("/metrics").status_code == 403  # of a client elsewhere
    with from_here(settings) as here:
        here.get("/api/v1/systems/no-such-thing")
        here.get("/somewhere/invented")
        told = here.get("/metrics")
        assert told.status_code == 200
        assert here.get("/metrics", headers={"X-Forwarded-For": "10.0.0.1"}).status_code == 403
    assert told.headers["Content-Type"].startswith("text/plain")
    assert 'route="/api/v1/systems/{system_id}",status="401"' in told.text
    assert "no-such-thing" not in told.text
    assert "invented" not in told.text
    assert 'weighhouse_part_up{part="database"} 1.0' in told.text


def test_where_metrics_have_a_token_it_alone_counts(settings):
    changed = settings.model_copy(update={"metrics_token": SecretStr("let me read")})
    with from_here(changed) as client:
        assert client.get("/metrics").status_code == 403
        wrong = client.get("/metrics", headers={"Authorization": "Bearer let me"})
        assert wrong.status_code == 403
        right = client.get("/metrics", headers={"Authorization": "Bearer let me read"})
        assert right.status_code == 200


def test_without_redis_the_platform_is_degraded(settings):
    changed = settings.model_copy(update={"redis_url": "redis://127.0.0.1:1/0"})
    with TestClient(create_app(changed)) as client:
        health = client.get("/health")
    assert health.status_code == 200
    assert health.json()["status"] == "degraded"


def test_without_its_database_the_platform_is_down(settings):
    away = {"database_url": "postgresql+psycopg://nobody@127.0.0.1:1/none"}
    with TestClient(create_app(settings.model_copy(update=away))) as client:
        assert client.get("/health").status_code == 503
        answer = client.get("/api/v1/projects", headers={"Authorization": "Bearer whp_x"})
    assert answer.status_code == 503
    assert answer.json()["type"] == "/docs/problems/database-away"


def test_a_new_installation_has_a_user_a_project_and_tokens(client, installed):
    login = client.post("/api/v1/sessions", json={"email": EMAIL, "password": PASSWORD})
    assert login.status_code == 201
    headers = {"Authorization": f"Bearer {installed['api_token']}"}
    (project,) = client.get("/api/v1/projects", headers=headers).json()["items"]
    assert project["id"] == installed["project_id"]
    assert project["role"] == "owner"


def test_an_installation_that_begins_again_keeps_what_it_has(settings, installed):
    again = bootstrap(settings, EMAIL, PASSWORD, installed["api_token"])
    changing = {"registration_token"}
    assert {k: v for k, v in again.items() if k not in changing} == {
        k: v for k, v in installed.items() if k not in changing
    }
    assert again["registration_token"] != installed["registration_token"]


def operations(openapi):
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_every_call_has_a_name_a_tag_and_words(openapi):
    seen = set()
    for call, operation in operations(openapi):
        name = operation["operationId"]
        assert name.split("_")[0] in FEATURES, call
        assert name not in seen, name
        seen.add(name)
        assert set(operation["tags"]) <= set(TAGS), call
        assert operation.get("description"), call


def test_every_call_says_how_it_is_refused(openapi):
    document = {"$ref": "#/components/schemas/ProblemDocument"}
    for call, operation in operations(openapi):
        assert "4XX" in operation["responses"], call
        for status, answer in operation["responses"].items():
            if not status.startswith("2"):
                drawn = SHOWN & operation["responses"].get("200", {}).get("content", {}).keys()
                content = dict(answer["content"])
                assert content.pop("application/problem+json") == {"schema": document}, call
                own = {SCIM_MEDIA_TYPE} if "directory" in operation["tags"] else drawn
                assert set(content) == own, call


def test_every_call_of_people_says_how_to_sign_in(openapi):
    schemes = openapi["components"]["securitySchemes"]
    for call, operation in operations(openapi):
        for scheme in operation.get("security", []):
            assert set(scheme) <= set(schemes), call
        assert ("security" in operation) == (operation["operationId"] not in OPEN), call


def test_the_document_is_the_same_each_time():
    assert json.loads(document()) == described()


@pytest.mark.parametrize("path", ["/api/v1/systems", "/api/v1/agents", "/api/v1/experiments"])
def test_nobody_in_particular_sees_nothing(client, path):
    client.cookies.clear()
    assert client.get(path).status_code == 401


@pytest.fixture(scope="module")
def signed_in(client, installed) -> dict[str, str]:
    return {"Authorization": f"Bearer {installed['api_token']}"}


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        (r'{"labels": {"rack": "a\u0000b"}}', "labels.rack", "U+0000"),
        (r'{"labels": {"ra\u0000ck": "a"}}', "labels.ra\ufffdck", "U+0000"),
        (r'{"roles": ["driver", "\ud83c"]}', "roles[1]", "U+D83C"),
        (r'{"labels": {"rack": "\udEaDb"}}', "labels.rack", "U+DEAD"),
    ],
)
def test_text_that_cannot_be_kept_is_refused_with_its_place(client, signed_in, body, path, code):
    answer = client.post(
        "/api/v1/agent-registration-tokens",
        content=body,
        headers={**signed_in, "Content-Type": "application/json"},
    )
    assert answer.status_code == 422, answer.text
    problem = answer.json()
    assert problem["type"] == "/docs/problems/invalid"
    [field] = problem["errors"]
    assert field["path"] == path
    assert code in field["message"]
    assert "surrogate" in field["expected"]


def test_a_whole_pair_and_a_written_escape_are_text(client, signed_in):
    answer = client.post(
        "/api/v1/agent-registration-tokens",
        content=r'{"labels": {"rack": "\ud83c\udf89 \\u0000"}}',
        headers={**signed_in, "Content-Type": "application/json"},
    )
    assert answer.status_code == 201, answer.text


def test_addresses_are_held_against_the_same(client, signed_in):
    for address in ("/api/v1/agents?project_id=%00", "/api/v1/experiments/a%00b"):
        answer = client.get(address, headers=signed_in)
        assert answer.status_code == 422, answer.text
        assert "U+0000" in answer.json()["detail"]


def test_an_experiments_text_may_have_it_neither(client, signed_in):
    answer = client.post(
        "/api/v1/experiments",
        json={"yaml": 'version: 1\nname: "a\\0b"\n'},
        headers=signed_in,
    )
    assert answer.status_code == 422, answer.text
    assert [each["path"] for each in answer.json()["errors"]] == ["name"]


@pytest.mark.parametrize(
    ("query", "value", "told"),
    [("CAST(:v AS integer)", 2**40, "out of range"), ("CAST(:v AS text)", "a\x00b", "NUL")],
)
def test_what_the_database_refuses_is_no_fault_of_ours(settings, query, value, told):
    engine = make_engine(settings.database_url)
    app = FastAPI()
    install_problems(app)

    @app.get("/kept")
    def kept() -> None:
        with engine.connect() as connection:
            connection.execute(text(f"SELECT {query}"), {"v": value})

    with TestClient(app, raise_server_exceptions=False) as small:
        answer = small.get("/kept")
    engine.dispose()
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"].startswith("the database cannot keep this: ")
    assert told in answer.json()["detail"]


def test_an_address_says_all_the_methods_it_takes(client, openapi):
    templates = {
        re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path) + "$"): set(operations)
        for path, operations in openapi["paths"].items()
    }
    for path, operations in openapi["paths"].items():
        address = re.sub(r"\{[^}]+\}", "01a20389-2920-714d-978c-8346173e7b29", path)
        taken = set().union(*(takes for one, takes in templates.items() if one.match(address)))
        if address == path:  # written out, it is no id
            taken = set(operations)
        method = next(one for one in ("patch", "put", "delete", "post") if one not in taken)
        answer = client.request(method, address)
        assert answer.status_code == 405, (method, path)
        allowed = {one.strip().lower() for one in answer.headers["allow"].split(",")}
        assert allowed - {"head"} == taken & METHODS, (operations.keys(), path)
