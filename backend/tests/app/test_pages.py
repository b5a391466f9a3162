"""What the application serves beside the API, and what surrounds every answer."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from weighhouse_backend.app.documentation import install_documentation
from weighhouse_backend.app.frontend import install_frontend
from weighhouse_backend.app.reference import install_reference
from weighhouse_backend.app.surroundings import Surroundings
from weighhouse_backend.fleet.endpoints import agent_router
from weighhouse_backend.kit.problems import install_problems

from backend.tests.people import router

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    tmp_path = tmp_path_factory.mktemp("served")
    (tmp_path / "dist" / "assets").mkdir(parents=True)
    (tmp_path / "dist" / "index.html").write_text("<title>first page</title>")
    (tmp_path / "dist" / "assets" / "app-1a2b.js").write_text("let x")
    (tmp_path / "dist" / "assets" / "app-1a2b.js.gz").write_bytes(gzip.compress(b"let x"))
    (tmp_path / "dist" / "assets" / "app-1a2b.js.br").write_bytes(b"as brotli has it")
    (tmp_path / "dist" / "assets" / "alone-1a2b.js").write_text("let y")
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

    install_reference(app, lambda: json.dumps(app.openapi()).encode())
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


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br", "br"),
        ("gzip, deflate", "gzip"),
        ("GZIP ; q=0.5, br;q=0", "gzip"),
        ("br;q=0.000, gzip;q=0", None),
        ("identity", None),
        ("", None),
    ],
)
def test_files_are_served_as_the_build_has_packed_them(client, accepted, coding):
    asked = {"Accept-Encoding": accepted}
    with client.stream("GET", "/assets/app-1a2b.js", headers=asked) as answer:
        text = b"".join(answer.iter_raw())
    assert answer.headers.get("content-encoding") == coding
    plain = gzip.decompress(text) if coding == "gzip" else text
    assert plain == (b"as brotli has it" if coding == "br" else b"let x")
    assert "javascript" in answer.headers["content-type"]
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["vary"] == "Accept-Encoding"
    alone = client.get("/assets/alone-1a2b.js", headers=asked)
    assert (alone.text, alone.headers.get("content-encoding")) == ("let y", None)


@pytest.mark.parametrize("path", ["/../secret", "/%2e%2e/secret", "/assets/%2e%2e/%2e%2e/secret"])
def test_nothing_outside_the_frontend_is_served(client, path):
    assert "hidden" not in client.get(path).text


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/agent/v1/nothing", "/docs/nothing"])
def test_unknown_addresses_of_the_api_are_problems(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


REFERENCE = re.compile(r'(?:href|src)="([^"]+)"')
PAGES = sorted(
    file.relative_to(DOCS).with_suffix("").as_posix().removesuffix("README").rstrip("/")
    for file in DOCS.rglob("*.md")
)


def test_a_page_has_one_text_at_all_its_addresses(client):
    """With and without the slash, by its file's name: links lead to the same places."""
    addresses = ["/docs/findings", "/docs/findings/", "/docs/findings/README.md"]
    texts = {client.get(address).text for address in addresses}
    assert len(texts) == 1
    assert 'href="/docs/findings/littles-law"' in texts.pop()
    assert "<h1 " in client.get("/docs/problems/not-found").text
    assert "<h1 " in client.get("/docs/").text


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_every_page_leads_somewhere_in_the_application(client, name):
    address = f"/docs/{name}"
    answer = client.get(address)
    assert answer.status_code == 200
    for link in REFERENCE.findall(answer.text):
        if link.startswith(("http:", "https:", "data:")):
            continue
        target, _, section = urljoin(address, link).partition("#")
        assert target.startswith(("/docs", "/api/")), f"{address} leads to {link}"
        there = client.get(target, follow_redirects=False)
        assert there.status_code == 200, f"{address} leads to {link}"
        assert "<title>first page" not in there.text, f"{address} leads to {link}"
        assert not section or f' id="{section}"' in there.text, f"{address} leads to {link}"


def test_what_is_not_served_is_no_link(client):
    """Files of the repository that the application does not have are named, not linked."""
    text = client.get("/docs").text
    assert "href" in text
    assert "../" not in "".join(REFERENCE.findall(client.get("/docs/systems").text))


def test_pictures_are_served_beside_their_pages(client):
    picture = client.get("/docs/findings/pictures/littles-law.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert (
        'src="/docs/findings/pictures/littles-law.svg"'
        in client.get("/docs/findings/littles-law").text
    )
    assert client.get("/docs/images/comparison.png").headers["content-type"] == "image/png"


@pytest.mark.parametrize(
    "path", ["problems/..%2f..%2fREADME", "systems.json", "findings/%2e%2e", "no-such/page", "a.py"]
)
def test_nothing_else_is_served_as_documentation(client, path):
    assert client.get(f"/docs/{path}").status_code == 404


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
    assert answer.headers["Connection"] == "close"
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] == "build-8"
