"""The whole application, which signs links, and campaigns under terms of every kind."""

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr
from weighhouse_backend.app.factory import create_app

from backend.tests.disclosure.policed import _told as told
from backend.tests.disclosure.policed import as_a_study, manifests, measured, token
from backend.tests.results.laboratory import Laboratory, experiment

TARGETS = [
    {"name": "free", "system": "redis"},
    {"name": "kept", "system": "redis", "parameters": {"appendonly": True}},
]


@pytest.fixture(scope="module")
def settings(settings, tmp_path_factory):
    pages = tmp_path_factory.mktemp("pages")
    (pages / "index.html").write_text(
        "<!doctype html><html><head><title>Weighhouse</title></head><body></body></html>"
    )
    changes = {
        "secret_key": SecretStr("a secret of the installation"),
        "experiments_dir": as_a_study(tmp_path_factory.mktemp("experiments")),
        "frontend_dir": pages,
        "embed_origins": "https://blog.example",
        "public_page": True,
    }
    return settings.model_copy(update=changes)


@pytest.fixture(scope="module")
def client(settings):
    """Of the whole application."""
    with TestClient(create_app(settings)) as made:
        yield made


@pytest.fixture(scope="module")
def laboratory(client, session_factory, settings, tenants):
    made = Laboratory(client, session_factory, settings, tenants[0].headers)
    made.enrol(*manifests())
    return made


@pytest.fixture(scope="module")
def closed(laboratory):
    """A campaign whose systems may not all be shown."""
    return measured(laboratory)


@pytest.fixture(scope="module")
def campaign(laboratory):
    """One whose systems may."""
    document = experiment("open", targets=TARGETS, repetitions=2)
    return laboratory.carry_out(document, told)


@pytest.fixture(scope="module")
def series(laboratory, campaign):
    del campaign
    found = laboratory.get("/series")["items"]
    return next(one["id"] for one in found if one["experiment"]["name"].lower() == "open")


@pytest.fixture(scope="module")
def people(laboratory):
    """Headers by role."""
    made = {role: token(laboratory, role) for role in ("viewer", "member", "maintainer")}
    return {**made, "owner": laboratory.headers}


@pytest.fixture
def call(client, people):
    """Asks the API as somebody of the project."""

    def called(method, path, who="owner", **body):
        json = {"json": body} if method == "POST" else {"params": body}
        return client.request(method, f"/api/v1{path}", headers=people[who], **json)

    return called


@pytest.fixture
def share(call):
    """Shares something; what the API says of it."""

    def shared(who="owner", **wanted):
        made = call("POST", "/shares", who, **{"title": "Ours", **wanted})
        assert made.status_code == 201, made.text
        return made.json()

    return shared


@pytest.fixture
def visit(client):
    """Comes by a link, or to what is public by its id, as a stranger."""

    def visited(path, url, **params):
        client.cookies.clear()
        _, _, secret = url.partition("#")
        if secret:
            headers = {"Authorization": f"Bearer {secret}"}
        else:
            headers, params = {}, {**params, "share": url.rpartition("/")[2]}
        return client.get(f"/api/v1/shared{path}", headers=headers, params=params)

    return visited
