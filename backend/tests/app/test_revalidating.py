"""What needs a login is asked for again at each use, and not sent again where it is the same."""

import asyncio
from collections.abc import Iterator

import pytest
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from weighhouse_backend.app import http_cache
from weighhouse_backend.app.http_cache import Revalidation
from weighhouse_backend.kit.etags import ASK_AGAIN


@pytest.fixture
def said() -> list[str]:
    return ["one"]


@pytest.fixture
def client(said: list[str]) -> TestClient:
    app = FastAPI()
    app.add_middleware(Revalidation)

    @app.get("/kept")
    def kept() -> Response:
        return Response(said[0], headers={"Cache-Control": ASK_AGAIN})

    @app.get("/streamed")
    def streamed() -> Response:
        def pieces() -> Iterator[bytes]:
            yield b"two "
            yield b"pieces"

        return StreamingResponse(pieces(), headers={"Cache-Control": ASK_AGAIN})

    @app.get("/own")
    def own() -> Response:
        return Response("x", headers={"Cache-Control": ASK_AGAIN, "ETag": '"mine"'})

    @app.get("/refused")
    def refused() -> Response:
        return Response("no", 401, headers={"Cache-Control": ASK_AGAIN})

    @app.get("/other")
    def other() -> Response:
        return Response("x")

    return TestClient(app)


def test_the_same_is_not_sent_again_and_another_is(client: TestClient, said: list[str]) -> None:
    first = client.get("/kept")
    assert (first.text, first.headers["Vary"]) == ("one", "Cookie, Authorization")
    asked = {"If-None-Match": first.headers["ETag"]}
    again = client.get("/kept", headers=asked)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert again.headers["Cache-Control"] == ASK_AGAIN
    said[0] = "another"
    assert client.get("/kept", headers=asked).text == "another"


@pytest.mark.parametrize("sent", ['"mine"', 'W/"mine"', '"x", "mine"', "*"])
def test_a_tag_of_ones_own_counts(client: TestClient, sent: str) -> None:
    assert client.get("/own", headers={"If-None-Match": sent}).status_code == 304


@pytest.mark.parametrize("sent", ["mine", '"min"', "", '"x"'])
def test_another_tag_does_not(client: TestClient, sent: str) -> None:
    assert client.get("/own", headers={"If-None-Match": sent}).status_code == 200


def test_pieces_come_whole_and_what_is_too_long_is_not_kept(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/streamed").text == "two pieces"
    assert "ETag" in client.get("/streamed").headers
    monkeypatch.setattr(http_cache, "MOST_BYTES", 3)
    long = client.get("/streamed")
    assert (long.text, long.headers["Cache-Control"]) == ("two pieces", "no-store")


def test_what_has_a_tag_is_not_held_until_it_is_whole() -> None:
    sent: list[Message] = []
    before: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"cache-control", ASK_AGAIN.encode()), (b"etag", b'"mine"')]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for more in (True, True, False):
            before.append(len(sent))
            await send({"type": "http.response.body", "body": b"x", "more_body": more})

    async def keep(message: Message) -> None:
        sent.append(message)

    async def ask(*headers: tuple[bytes, bytes]) -> None:
        sent.clear()
        before.clear()
        scope = {"type": "http", "method": "GET", "headers": list(headers)}
        await Revalidation(app)(scope, Request(scope).receive, keep)

    asyncio.run(ask())
    assert (before, [one.get("body") for one in sent]) == ([1, 2, 3], [None, b"x", b"x", b"x"])
    asyncio.run(ask((b"if-none-match", b'"mine"')))
    assert (sent[0]["status"], [one.get("body") for one in sent]) == (304, [None, b""])


def test_refusals_and_others_go_out_as_they_are(client: TestClient) -> None:
    asked = {"If-None-Match": "*"}
    assert client.get("/refused", headers=asked).status_code == 401
    assert client.get("/other", headers=asked).status_code == 200
    assert "ETag" not in client.get("/other").headers
