"""The application as it is reached over HTTPS: names of cookies, and what browsers are told."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError
from weighhouse_backend.app.bootstrap import bootstrap
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.app.security_contact import PATH
from weighhouse_backend.kit.settings import Settings

EMAIL, PASSWORD = "admin@weighhouse.local", "a long enough password"
CHANGE = {"X-Weighhouse": "1"}
Served = Callable[..., TestClient]


@pytest.fixture(scope="module")
def served(settings: Settings) -> Iterator[Served]:
    """The application with other settings, reached over HTTPS."""
    bootstrap(settings, EMAIL, PASSWORD, None)
    open_clients: list[TestClient] = []

    def serve(base_url: str = "https://scales.example", **changed: object) -> TestClient:
        made = TestClient(create_app(settings.model_copy(update=changed)), base_url=base_url)
        open_clients.append(made.__enter__())
        return made

    yield serve
    for client in open_clients:
        client.__exit__(None, None, None)


def signed_in(client: TestClient) -> dict[str, str]:
    """The cookies that a login leaves: name → what the browser is told of it."""
    body = {"email": EMAIL, "password": PASSWORD}
    answer = client.post("/api/v1/sessions", json=body, headers=CHANGE)
    assert answer.status_code == 201, answer.text
    lines = answer.headers.get_list("set-cookie")
    return {line.partition("=")[0]: line for line in lines}


def test_cookies_have_names_that_browsers_guard(served: Served) -> None:
    client = served(cookie_secure=True)
    told = signed_in(client)
    assert set(told) == {"__Host-weighhouse_session", "__Secure-weighhouse_device"}
    session = told["__Host-weighhouse_session"]
    assert {"Secure", "HttpOnly", "Path=/"} <= set(session.split("; "))
    assert "Domain" not in session
    assert client.get("/api/v1/sessions/current").status_code == 200
    assert client.delete("/api/v1/sessions/current", headers=CHANGE).status_code == 200
    assert "__Host-weighhouse_session" not in client.cookies
    assert client.get("/api/v1/sessions/current").status_code == 401


def test_a_login_under_another_name_is_nobodys(served: Served) -> None:
    client = served(cookie_secure=True)
    signed_in(client)
    value = client.cookies["__Host-weighhouse_session"]
    client.cookies.clear()
    client.cookies.set("weighhouse_session", value)
    assert client.get("/api/v1/sessions/current").status_code == 401


def test_browsers_are_told_to_come_by_https_alone(served: Served) -> None:
    for changed, told in (
        ({"cookie_secure": True}, "max-age=31536000"),
        ({"cookie_secure": True, "hsts_seconds": 60}, "max-age=60"),
        ({"cookie_secure": True, "hsts_seconds": 0}, None),
        ({}, None),
    ):
        client = served(**changed)
        for path in ("/health", "/nowhere"):
            assert client.get(path).headers.get("Strict-Transport-Security") == told


def test_without_tls_a_login_is_as_it_was(served: Served) -> None:
    client = served(base_url="http://127.0.0.1:8480")
    assert set(signed_in(client)) == {"weighhouse_session", "weighhouse_device"}
    assert client.get("/api/v1/sessions/current").status_code == 200


def test_whom_to_tell_of_a_weakness(served: Served) -> None:
    client = served(
        security_contact="mailto:security@scales.example", public_url="https://scales.example/"
    )
    answer = client.get(PATH)
    assert answer.headers["content-type"].startswith("text/plain")
    told = dict(line.split(": ", 1) for line in answer.text.splitlines())
    assert told["Contact"] == "mailto:security@scales.example"
    assert told["Canonical"] == f"https://scales.example{PATH}"
    left = datetime.fromisoformat(told["Expires"]) - datetime.now(UTC)
    assert timedelta(days=30) < left < timedelta(days=365)
    assert served().get(PATH).status_code == 404


@pytest.mark.parametrize("wrong", ["security@scales.example", "http://scales.example", ""])
def test_a_contact_is_an_address_that_one_can_write_to(wrong: str) -> None:
    with pytest.raises(ValidationError, match="security_contact"):
        Settings(security_contact=wrong, _env_file=None)
