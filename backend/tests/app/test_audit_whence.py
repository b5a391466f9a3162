"""The audit log tells from where a change was asked, and by whose login or token."""

import csv
import io
from collections.abc import Iterator
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr
from sqlalchemy import text
from weighhouse_backend.app.bootstrap import bootstrap
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.identity import audit
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import make_engine, make_session_factory
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.identity.authenticators import Authenticator

EMAIL, PASSWORD = "admin@weighhouse.local", "a long enough password"
CHANGE = {"X-Weighhouse": "1"}
DESK, RUNNER = "192.0.2.7", "198.51.100.9"


@pytest.fixture(scope="module")
def desk(settings: Settings) -> Iterator[TestClient]:
    """Somebody at a desk, who is signed in."""
    bootstrap(settings, EMAIL, PASSWORD, None)
    with TestClient(create_app(settings), client=(DESK, 40_000)) as client:
        body = {"email": EMAIL, "password": PASSWORD}
        assert client.post("/api/v1/sessions", json=body, headers=CHANGE).status_code == 201
        yield client


def entries(client: TestClient, **wanted: str) -> list[dict]:
    answer = client.get("/api/v1/audit-entries", params=wanted)
    assert answer.status_code == 200, answer.text
    found: list[dict] = answer.json()["items"]
    return found


def made_token(client: TestClient, **more: object) -> dict:
    body = {"name": "nightly", "role": "maintainer", **more}
    answer = client.post("/api/v1/api-tokens", json=body, headers=CHANGE)
    assert answer.status_code == 201, answer.text
    made: dict = answer.json()
    return made


def test_a_persons_change_tells_address_and_person(desk: TestClient) -> None:
    made_token(desk)
    (entry,) = entries(desk, action="api_token.created")
    person = desk.get("/api/v1/sessions/current").json()["user"]["id"]
    assert (entry["address"], entry["person_id"], entry["token_id"]) == (DESK, person, None)


def test_a_tokens_change_tells_the_token(desk: TestClient, settings: Settings) -> None:
    token = made_token(desk)
    headers = {"Authorization": f"Bearer {token['token']}"}
    with TestClient(create_app(settings), client=(RUNNER, 50_000), headers=headers) as runner:
        assert runner.get("/api/v1/audit-entries/export").status_code == 200
    (entry,) = entries(desk, action="audit.exported")
    assert (entry["address"], entry["token_id"]) == (RUNNER, token["id"])
    assert UUID(entry["token_id"])
    assert [one["id"] for one in entries(desk, address="198.51.")] == [entry["id"]]
    assert entries(desk, address="51.") == []
    rows = list(csv.DictReader(io.StringIO(desk.get("/api/v1/audit-entries/export").text)))
    of_runner = [row for row in rows if row["token_id"] == token["id"]]
    assert [row["address"] for row in of_runner] == [RUNNER]


@pytest.mark.parametrize(
    ("client", "told"),
    [("2001:db8::7:1", "2001:db8::7:1"), ("::ffff:192.0.2.8", "192.0.2.8"), ("testclient",) * 2],
)
def test_addresses_are_whole(desk: TestClient, settings: Settings, client: str, told: str) -> None:
    headers = {"Authorization": f"Bearer {made_token(desk)['token']}"}
    with TestClient(create_app(settings), client=(client, 50_000), headers=headers) as other:
        assert other.get("/api/v1/audit-entries/export").status_code == 200
    assert entries(desk, action="audit.exported")[0]["address"] == told


def test_what_nobody_asked_for_comes_from_nowhere(desk: TestClient, settings: Settings) -> None:
    engine = make_engine(settings.database_url)
    with unit_of_work(make_session_factory(engine)) as session:
        project = session.execute(text("SELECT id FROM projects")).scalar_one()
        told = {"actor": "the worker", "action": "night.fell", "subject": "all"}
        audit.record(session, SystemClock(), project_id=project, **told)
    engine.dispose()
    (entry,) = entries(desk, action="night.fell")
    assert (entry["address"], entry["person_id"], entry["token_id"]) == (None, None, None)


def test_who_signs_in_is_told(desk: TestClient, settings: Settings) -> None:
    person = desk.get("/api/v1/sessions/current").json()["user"]["id"]
    (entry,) = entries(desk, action="login.by_password")
    assert (entry["address"], entry["person_id"]) == (DESK, person)
    sealed = settings.model_copy(update={"secret_key": SecretStr("sixteen characters")})
    with TestClient(create_app(sealed), client=(RUNNER, 50_000)) as browser:
        body = {"email": EMAIL, "password": PASSWORD}
        assert browser.post("/api/v1/sessions", json=body, headers=CHANGE).status_code == 201
        factors = "/api/v1/second-factor"
        proof = {"current": PASSWORD}
        asked = browser.post(f"{factors}/passkey-question", json=proof, headers=CHANGE)
        key = Authenticator()
        made = {"name": "Key", "answer": key.make(asked.json()["public_key"])}
        told = browser.post(f"{factors}/passkeys", json=made, headers=CHANGE)
        asked = browser.post("/api/v1/sessions/passkey-question")
        shown = {"answer": key.show(asked.json()["public_key"])}
        browser.cookies.clear()
        assert browser.post("/api/v1/sessions/by-passkey", json=shown).status_code == 201
        browser.cookies.clear()
        body["code"] = told.json()["recovery_codes"][0]
        assert browser.post("/api/v1/sessions", json=body).status_code == 201
        for action in ("login.by_passkey", "second_factor.recovery_code_used"):
            (entry,) = entries(browser, action=action)
            assert (entry["address"], entry["person_id"]) == (RUNNER, person), action
