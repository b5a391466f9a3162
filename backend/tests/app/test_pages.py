"""What the application serves beside the API, and what surrounds every answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from weighhouse_backend.app.documentation import install_documentation
from weighhouse_backend.app.frontend import install_frontend
from weighhouse_backend.app.reference import install_reference
from weighhouse_backend.app.surroundings import Surroundings
from weighhouse_backend.fleet.endpoints import agent_router
from weighhouse_backend.identity.endpoints import router
from weighhouse_backend.kit.problems import install_problems

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    (tmp_path / "dist" / "assets").mkdir(parents=True)
    (tmp_path / "dist" / "index.html").write_text("<title>first page</title>")
    (tmp_path / "dist" / "assets" / "app-1a2b.js").write_text("let x")
    (tmp_path / "secret").write_text("hidden")
    app = FastAPI(title="Weighhouse", version="1", openapi_url="/api/v1/openapi.json")
    install_problems(app)
    app.add_middleware(Surroundings)
    app.include_router(router)
    app.include_router(agent_router)

    @app.get("/api/v1/fine")
    def fine() -> None:
        return

    @app.get("/api/v1/broken")
    def broken() -> None:
        raise ZeroDivisionError

    install_reference(app)
    install_documentation(app, DOCS)
    install_frontend(app, tmp_path / "dist")
    with TestClient(app, raise_server_exceptions=False) as made:
        yield made


@pytest.mark.parametrize("path", ["/", "/campaigns/1", "/index.html", "/favicon.ico"])
def test_the_first_page_answers_every_address_of_the_interface(client, path):
    answer = client.get(path)
    assert "first page" in answer.text
    assert answer.headers["cache-control"] == "no-cache"


def test_assets_may_be_kept_for_ever(client):
    answer = client.get("/assets/app-1a2b.js")
    assert "javascript" in answer.headers["content-type"]
    assert "immutable" in answer.headers["cache-control"]
    assert client.get("/assets/app-old.js").status_code == 404
    assert client.head("/assets/app-1a2b.js").status_code == 200


@pytest.mark.parametrize("path", ["/../secret", "/%2e%2e/secret", "/assets/%2e%2e/%2e%2e/secret"])
def test_nothing_outside_the_frontend_is_served(client, path):
    assert "hidden" not in client.get(path).text


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/agent/v1/nothing", "/docs/nothing"])
def test_unknown_addresses_of_the_api_are_problems(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_pages_of_documentation_link_to_each_other(client):
    assert "<h1>" in client.get("/docs/problems/not-found").text
    listed = client.get("/docs/findings").text
    assert 'href="littles-law"' in client.get("/docs/findings/README").text
    assert "littles-law" in listed
    assert client.get("/docs/verdicts").status_code == 200
    assert client.get("/docs/problems/..%2f..%2fREADME").status_code == 404


def test_the_reference_names_every_call(client):
    text = client.get("/api/docs").text
    for path in client.get("/api/v1/openapi.json").json()["paths"]:
        assert path in text
    assert 'href="#schema-ApiTokenCreate"' in text
    assert "<script" not in text


def test_every_answer_is_careful_and_can_be_followed(client):
    answer = client.get("/api/v1/fine", headers={"X-Request-Id": "build-7"})
    assert answer.headers["x-request-id"] == "build-7"
    assert answer.headers["cache-control"] == "no-store"
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    forged = client.get("/", headers={"X-Request-Id": "x" * 65})
    assert len(forged.headers["x-request-id"]) == 36


def test_a_defect_names_the_id_it_was_logged_under(client):
    answer = client.get("/api/v1/broken", headers={"X-Request-Id": "build-8"})
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] == "build-8"
