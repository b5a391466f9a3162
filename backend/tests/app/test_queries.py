"""What an address says is not half read: an operation that takes one value refuses two, and names
that it does not take.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.directories.service import PATH
from weighhouse_backend.kit import queries as kit_queries
from weighhouse_backend.kit.problems import MOST_ERRORS
from weighhouse_backend.kit.settings import Settings

from backend.tests.described import described

PLACES = re.compile(r"\{[^}]*\}")


def is_many(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "array" or any(map(is_many, schema.get("anyOf", ())))


def queries(many: bool) -> Iterator[tuple[str, str, str]]:
    """Method, path and parameter of each operation, of those that take several values or one."""
    for path, methods in described()["paths"].items():
        if path.startswith(PATH):  # refused in the words of RFC 7644
            continue
        for method, operation in methods.items():
            for one in operation.get("parameters", ()):
                if one["in"] == "query" and is_many(one["schema"]) is many:
                    yield method, path, one["name"]


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings)) as made:
        yield made


@pytest.fixture
def refused(client):
    def ask(method: str, path: str, name: str, times: int) -> bool:
        """Is a parameter refused since it is given several times?"""
        query = [(name, str(number)) for number in range(1, times + 1)]
        answer = client.request(method, PLACES.sub("x", path), params=query)
        return answer.is_client_error and f"{name} is given {times} times" in answer.text

    return ask


def test_what_is_taken_once_is_refused_twice(refused):
    asked = list(queries(many=False))
    assert len(asked) > 50
    for method, path, name in asked:
        assert refused(method, path, name, 2), f"{method} {path} {name}"
        assert not refused(method, path, name, 1), f"{method} {path} {name}"


def test_lists_may_be_given_in_pieces(refused):
    asked = list(queries(many=True))
    assert asked
    for method, path, name in asked:
        assert not refused(method, path, name, 2), f"{method} {path}"


def test_two_campaigns_are_not_compared_as_one(client):
    answer = client.get("/api/v1/comparisons?campaign=a&campaign=b")
    assert answer.status_code == 422
    assert "campaign is given 2 times and takes one value" in answer.json()["detail"]


def operations() -> Iterator[tuple[str, str]]:
    for path, methods in described()["paths"].items():
        for method in methods:
            yield method, path


def test_what_is_not_taken_is_refused(client):
    asked = [each for each in operations() if each[1].startswith("/api/v1/")]
    assert len(asked) > 200
    for method, path in asked:
        answer = client.request(method, PLACES.sub("x", path), params={"nonsense": "1"})
        assert answer.status_code == 422, f"{method} {path}: {answer.text}"
        assert "nonsense is not asked for here; this takes" in answer.json()["detail"], path


def test_agents_of_a_later_version_and_pages_with_a_badge_may_say_more(client):
    elsewhere = ("/agent/", "/badges/", "/embed/", "/pictures/", "/public")
    asked = [each for each in operations() if each[1].startswith(elsewhere)]
    assert len(asked) > 10
    for method, path in asked:
        answer = client.request(method, PLACES.sub("x", path), params={"nonsense": "1"})
        assert "nonsense" not in answer.text, f"{method} {path}"


def test_a_name_that_is_nearly_right_is_told(client):
    answer = client.get("/api/v1/runs?campaign=01a229c4-82ec-72e5-a745-cd138380a063")
    assert answer.status_code == 422
    told = answer.json()
    assert told["detail"].startswith(
        "campaign is not asked for here; did you mean 'campaign_id'? this takes campaign_id, "
    )
    assert told["errors"][0]["path"] == "campaign"


def test_thousands_of_names_are_no_work(client, monkeypatch):
    asked = []
    monkeypatch.setattr(kit_queries, "did_you_mean", lambda name, _: asked.append(name) or "")
    answer = client.get("/api/v1/runs?" + "&".join(f"n{at}=" for at in range(2000)))
    assert answer.status_code == 422
    assert len(answer.json()["errors"]) == MOST_ERRORS
    assert asked == ["n0", "n1", "n2"]
