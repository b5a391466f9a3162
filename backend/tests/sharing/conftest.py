"""Shares what stands under terms of every kind, and comes to it as a stranger."""

import pytest

from backend.tests.disclosure.under_terms import (
    campaign,
    client,
    closed,
    laboratory,
    people,
    settings,
)

__all__ = ["campaign", "client", "closed", "laboratory", "people", "settings"]


@pytest.fixture(scope="module")
def further_settings(tmp_path_factory):
    """Pages, of which some are for everybody, one origin may embed."""
    pages = tmp_path_factory.mktemp("pages")
    (pages / "index.html").write_text(
        "<!doctype html><html><head><title>Weighhouse</title></head><body></body></html>"
    )
    return {"frontend_dir": pages, "embed_origins": "https://blog.example", "public_page": True}


@pytest.fixture(scope="module")
def series(laboratory, campaign):
    del campaign
    found = laboratory.get("/series")["items"]
    return next(one["id"] for one in found if one["experiment"]["name"].lower() == "open")


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
