"""Answers go out packed to who can unpack them, and are the same then."""

import gzip
from collections.abc import Iterator

import pytest
from fastapi import FastAPI, Response
from fastapi.testclient import TestClient
from starlette.responses import StreamingResponse
from weighhouse_backend.app.packed_answers import LARGE, SMALLEST, PackedAnswers

SIZES = {"little": SMALLEST - 1, "some": SMALLEST, "much": LARGE * 3}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = FastAPI()
    app.add_middleware(PackedAnswers)

    @app.get("/text/{size}")
    def text(size: str, kind: str = "application/json; charset=utf-8") -> Response:
        return Response("7" * SIZES[size], media_type=kind, headers={"Vary": "Cookie"})

    @app.post("/text")
    def made() -> Response:
        return Response("7" * LARGE, media_type="application/json")

    @app.get("/pieces")
    def pieces() -> StreamingResponse:
        return StreamingResponse(iter(["7" * LARGE] * 3), media_type="application/json")

    @app.get("/packed")
    def packed() -> Response:
        return Response("7" * LARGE, media_type="text/html", headers={"Content-Encoding": "br"})

    with TestClient(app) as made_client:
        yield made_client


def raw(client: TestClient, path: str, accepted: str = "gzip", method: str = "GET") -> tuple:
    """The head and the body of an answer, as they come."""
    with client.stream(method, path, headers={"Accept-Encoding": accepted}) as answer:
        return answer.headers, b"".join(answer.iter_raw())


@pytest.mark.parametrize(("size", "is_packed"), [("little", False), ("some", True), ("much", True)])
def test_texts_are_packed_from_a_size_on(client, size, is_packed):
    heads, body = raw(client, f"/text/{size}")
    assert heads.get("content-encoding") == ("gzip" if is_packed else None)
    assert int(heads["content-length"]) == len(body)
    assert (gzip.decompress(body) if is_packed else body) == b"7" * SIZES[size]
    assert heads["vary"] == "Cookie, Accept-Encoding"


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0"])
def test_who_cannot_unpack_gets_it_as_it_is(client, accepted):
    heads, body = raw(client, "/text/much", accepted)
    assert "content-encoding" not in heads
    assert body == b"7" * SIZES["much"]
    assert "Accept-Encoding" in heads["vary"]


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/pieces", "GET"),
        ("/packed", "GET"),
        ("/text", "POST"),
        ("/text/much?kind=application/vnd.apache.parquet", "GET"),
        ("/text/much?kind=text/event-stream", "GET"),
    ],
)
def test_streams_files_and_answers_to_changes_stay_as_they_are(client, path, method):
    heads, body = raw(client, path, method=method)
    assert heads.get("content-encoding") == ("br" if path == "/packed" else None)
    assert set(body) == {ord("7")}
