"""Bodies: received within bounds, read off the event loop, and refused in words."""

import asyncio
import gzip
import json
import threading
from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.testclient import TestClient
from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter
from weighhouse_backend.app.rate_limits import Remainders
from weighhouse_backend.kit.bodies import (
    MEBIBYTE,
    ON_LOOP_BYTES,
    SMALL_BYTES,
    BoundedRoute,
    install_bodies,
    takes,
)
from weighhouse_backend.kit.db import install_database
from weighhouse_backend.kit.json_bodies import read
from weighhouse_backend.kit.problems import NotAuthenticated, install_problems
from weighhouse_backend.kit.underway import MOST_WAITING, TooManyBodies, Underway

from backend.tests.sending import PIECE, Sent, pieces_of, send, until

LARGE = 4 * MEBIBYTE


class Readers:
    """Which threads read what, and whether they may go on."""

    def __init__(self) -> None:
        self.threads: list[int] = []
        self.go_on = threading.Event()
        self.go_on.set()

    def read(self, text: str) -> str:
        self.threads.append(threading.get_ident())
        assert self.go_on.wait(60)
        return text


@pytest.fixture
def readers():
    return Readers()


def sender(request: Request, session: Any) -> str:
    del session
    if not (token := request.headers.get("Authorization")):
        raise NotAuthenticated
    return token


@pytest.fixture
def make_app(settings, engine, readers):
    """Makes an application with three operations, and bounds of its own."""

    class Letter(BaseModel):
        model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

        text: Annotated[str, AfterValidator(readers.read)] = ""
        number: float = 0
        count: int = 0
        rest: Any = None

    router = APIRouter(route_class=BoundedRoute)

    def known(request: Request) -> str:
        return sender(request, None)

    @router.post("/letters")
    def write(letter: Letter, who: Annotated[str, Depends(known)]) -> str:
        return f"{who} {len(letter.text)}"

    @router.post("/parcels")
    @takes(LARGE, sender)
    def post(letter: Letter, who: Annotated[str, Depends(known)]) -> str:
        return f"{who} {len(letter.text)}"

    @router.get("/health")
    async def health() -> str:
        return "well"

    def make(**changes: Any) -> FastAPI:
        app = FastAPI()
        app.include_router(router)
        app.add_middleware(Remainders)
        chosen = settings.model_copy(update=changes)
        app.state.settings = chosen
        install_database(app, engine)
        install_problems(app)
        install_bodies(app, chosen)
        return app

    return make


def letter(size: int) -> bytes:
    frame = json.dumps({"text": ""}).encode()
    return frame[:-2] + b"x" * (size - len(frame)) + frame[-2:]


async def whole(content: bytes):
    for begin in range(0, len(content), len(PIECE)):
        yield content[begin : begin + len(PIECE)]


def post(app, path, content, who="ours", **headers):
    said = {"Authorization": who} if who else {}
    return send(app, "POST", path, said | headers, whole(content), length=len(content))


def ours(app) -> TestClient:
    return TestClient(app, headers={"Authorization": "ours", "Content-Type": "application/json"})


@pytest.mark.parametrize("length", [60_000_000, None], ids=["told", "in chunks"])
@pytest.mark.parametrize("path", ["/letters", "/parcels", "/health", "/nowhere"])
def test_of_what_strangers_send_no_more_is_taken_than_anybody_may(make_app, path, length):
    method = "GET" if path == "/health" else "POST"
    sent = asyncio.run(send(make_app(), method, path, {}, pieces_of(60_000_000), length=length))
    assert sent.status == {"/letters": 413, "/parcels": 401, "/health": 200}.get(path, 404)
    if sent.status == 401 and length is not None:
        assert sent.slug == "not-authenticated"
        assert sent.taken_bytes == 0
    assert sent.taken_bytes <= SMALL_BYTES + len(PIECE)
    assert sent.headers["connection"] == "close"


def test_whoever_is_known_sends_more_but_not_more_than_the_operation_takes(make_app):
    app = make_app()
    for length in (None, LARGE + 1, 60_000_000, int("9" * 4000)):
        body = pieces_of(LARGE + 1)
        known = {"Authorization": "ours"}
        sent = asyncio.run(send(app, "POST", "/parcels", known, body, length=length))
        assert (sent.status, sent.slug) == (413, "body-too-large")
        assert f"{LARGE:,} bytes" in sent.problem["detail"]
        assert sent.taken_bytes == (LARGE + 1 if length is None else 0)
        assert app.state.bodies.memory.held_bytes == 0
    answer = asyncio.run(post(app, "/parcels", letter(LARGE)))
    assert answer.content == b'"ours %d"' % (LARGE - len(json.dumps({"text": ""})))
    assert "connection" not in answer.headers


def test_a_large_body_is_read_off_the_loop_and_a_small_one_on_it(make_app, readers):
    app = make_app()

    async def run():
        for size in (ON_LOOP_BYTES, ON_LOOP_BYTES + 1, LARGE):
            assert (await post(app, "/parcels", letter(size))).status == 200
        return threading.get_ident()

    loop = asyncio.run(run())
    assert [thread == loop for thread in readers.threads] == [True, False, False]


def test_others_are_answered_while_bodies_are_read(make_app, readers):
    app = make_app()

    async def run():
        readers.go_on.clear()
        sent = [
            asyncio.create_task(post(app, "/parcels", letter(MEBIBYTE), f"{n}")) for n in range(6)
        ]
        await until("two are read", lambda: len(readers.threads) == 2)
        health = await send(app, "GET", "/health", {}, pieces_of(0), length=0)
        small = await post(app, "/letters", b"{}")
        held = app.state.bodies.memory.held_bytes
        readers.go_on.set()
        return health, small, held, [each.status for each in await asyncio.gather(*sent)]

    health, small, held, answered = asyncio.run(run())
    assert (health.status, small.status, answered) == (200, 200, [200] * 6)
    assert held == 6 * MEBIBYTE
    assert app.state.bodies.memory.held_bytes == 0


def test_who_finds_no_room_waits_unread_and_harms_nobody(make_app, readers):
    app = make_app(bodies_megabytes=8, agent_body_megabytes=4, body_wait_seconds=60)
    room = app.state.bodies.memory

    async def run():
        readers.go_on.clear()
        first = asyncio.create_task(post(app, "/parcels", letter(LARGE)))
        await until("it is read", lambda: len(readers.threads) == 1)
        again, other = Sent(), Sent()
        mine = send(app, "POST", "/parcels", {"Authorization": "ours"}, whole(letter(LARGE)),
                    length=LARGE, sent=again)  # fmt: skip
        waiting = asyncio.create_task(mine)
        await until("it waits", lambda: room.waiting == 1)
        # Of its own share; somebody else's goes before it.
        theirs = send(app, "POST", "/parcels", {"Authorization": "theirs"}, whole(letter(LARGE)),
                      length=LARGE, sent=other)  # fmt: skip
        others = asyncio.create_task(theirs)
        await until("the other is read", lambda: len(readers.threads) == 2)
        assert (again.taken_bytes, room.held_bytes) == (0, 2 * LARGE)
        third = asyncio.create_task(post(app, "/parcels", letter(LARGE), "a third"))
        await until("it waits, too", lambda: room.waiting == 2)
        third.cancel()
        await until("it went away", lambda: room.waiting == 1)
        readers.go_on.set()
        return [each.status for each in await asyncio.gather(first, waiting, others)]

    assert asyncio.run(run()) == [200, 200, 200]
    assert (room.held_bytes, room.waiting) == (0, 0)


@pytest.mark.parametrize(
    ("who", "status", "slug"),
    [("ours", 429, "too-many-bodies"), ("a third", 503, "unavailable")],
)
def test_who_finds_no_room_for_long_is_told_to_come_again(make_app, readers, who, status, slug):
    app = make_app(bodies_megabytes=8, agent_body_megabytes=4, body_wait_seconds=0.01)

    async def run():
        readers.go_on.clear()
        under_way = [
            asyncio.create_task(post(app, "/parcels", letter(LARGE), each))
            for each in ("ours", "theirs")
        ]
        await until("both are read", lambda: len(readers.threads) == 2)
        refused = await post(app, "/parcels", letter(LARGE), who)
        readers.go_on.set()
        await asyncio.gather(*under_way)
        return refused

    refused = asyncio.run(run())
    assert (refused.status, refused.slug, refused.taken_bytes) == (status, slug, 0)
    assert refused.headers["retry-after"] == "2"
    assert (app.state.bodies.memory.held_bytes, app.state.bodies.memory.waiting) == (0, 0)


def test_of_one_sender_few_wait():
    async def run():
        room = Underway(10, 5, 60)

        async def ask(who):
            async with room.hold(who, 5):
                return who

        async with room.hold("ours", 5):
            waiting = [asyncio.create_task(ask("ours")) for _ in range(MOST_WAITING)]
            await until("they wait", lambda: room.waiting == MOST_WAITING)
            with pytest.raises(TooManyBodies, match="64 wait already"):
                await ask("ours")
            assert await ask("theirs") == "theirs"
        return await asyncio.gather(*waiting), room.waiting, room.held_bytes

    assert asyncio.run(run()) == (["ours"] * MOST_WAITING, 0, 0)


@pytest.mark.parametrize("size", [1000, LARGE])
def test_a_body_that_does_not_come_is_not_waited_for(make_app, size):
    app = make_app(body_patience_seconds=0.05)

    async def run():
        async def slow():
            yield b"{"
            await asyncio.Event().wait()

        body = slow()
        sent = Sent()
        known = {"Authorization": "ours", "Expect": "100-continue"}
        return await send(app, "POST", "/parcels", known, body, length=size, sent=sent)

    sent = asyncio.run(run())
    assert (sent.status, sent.slug) == (408, "body-too-slow")
    assert sent.problem["detail"] == "1 bytes came; 16 KiB a second is the least after 0.05 s"
    assert app.state.bodies.memory.held_bytes == 0


def test_compressed_bodies_are_refused_unread(make_app):
    content = gzip.compress(b" " * 100_000_000)
    for encoding in ("gzip", "GZIP", "deflate", "identity, gzip", "x" * 5000):
        answer = asyncio.run(
            post(make_app(), "/letters", content, **{"Content-Encoding": encoding})
        )
        assert (answer.status, answer.slug, answer.taken_bytes) == (415, "encoding-not-taken", 0)
        assert len(answer.content) < 1000
    plain = asyncio.run(post(make_app(), "/letters", b"{}", **{"Content-Encoding": "identity"}))
    assert plain.status == 200


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[" * 10_000, "is not JSON: recursion limit"),
        (b'{"rest": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001, "is not JSON: recursion limit"),
        (b'{"count": ' + b"9" * 60_000 + b"}", "number out of range"),
        (b'{"rest": 1' + b"0" * 10_000 + b"}", "number out of range"),
        (b'{"number": NaN}', "has NaN, which is no number of JSON"),
        (b'{"rest": [-Infinity]}', "has -Infinity, which is no number of JSON"),
        (b'{"count": 1, "count": 2}', "count: is given twice in one object"),
        (b'{"rest": [{"a": {"b": 1, "b": 2}}]}', "b: is given twice in one object"),
        (b'{"text": "\\ud800"}', "has U+D800, which cannot be kept"),
        (b'{"rest": [{"\\u0000": 1}]}', "has U+0000, which cannot be kept"),
        (b'{"text": "\xff"}', "is not JSON"),
        (b'{"text": "\x00"}', "is not JSON"),
        (b'{"a": 1', "is not JSON: EOF"),
        (b"", "is missing"),
        (b"null", "Input should be an object"),
        (b"3", "Input should be an object"),
        (b'{"%s": 1}' % (b"k" * 1000), "unknown key 'kkk"),
        (b'{"%s": 1}' % (b"k" * 60_000), "kkk: is a key of 60,000 characters"),
        (b"{%s}" % b",".join(b'"k%d":0' % n for n in range(5000)), "and 4,997 more"),
        (b'{"number": "%s"}' % (b"1" * 60_000), "number"),
    ],
)  # fmt: skip
def test_what_is_not_right_is_told_in_few_words(make_app, content, said):
    answer = asyncio.run(post(make_app(), "/letters", content))
    assert answer.status == 422, answer.content[:500]
    assert said in answer.problem["detail"]
    assert 1 <= len(answer.problem["errors"]) <= 50
    assert len(answer.content) < 20_000
    large = asyncio.run(post(make_app(), "/parcels", content + b" " * (2 * MEBIBYTE)))
    if content:
        assert large.status == 422, large.content[:500]


def test_what_holds_very_many_values_is_too_large_whatever_they_are(make_app):
    for many in (b"0," * 30_000, b'{"a":{}},' * 30_000, b'"\\u0000",' * 30_000):
        answer = asyncio.run(post(make_app(), "/parcels", b'{"rest": [' + many + b"0]}"))
        assert (answer.status, answer.slug) == (413, "body-too-large")
        assert "a body may have 30,000 values" in answer.problem["detail"]
    fewer = b'{"rest": [' + b"0," * 29_999 + b"0]}"
    assert asyncio.run(post(make_app(), "/parcels", fewer)).status == 200
    wrong = b"{" + b",".join(b'"k%d":0' % n for n in range(30_000)) + b"}"
    answer = asyncio.run(post(make_app(), "/parcels", wrong))
    assert answer.status == 422
    assert answer.problem["detail"] == "body: has 30,000 faults"


def test_lists_and_objects_are_counted_that_lie_in_one_another(make_app):
    for begin, end in ((b"[", b"]"), (b'{"a":', b"}")):
        one = begin * 41 + b"1" + end * 41
        answer = asyncio.run(
            post(make_app(), "/parcels", b'{"rest": [%s]}' % b",".join([one] * 300))
        )
        assert (answer.status, answer.slug) == (413, "body-too-large")
        assert "a body may have 12,000 lists and objects" in answer.problem["detail"]
        fewer = b'{"rest": [%s]}' % b",".join([one] * 290)
        assert asyncio.run(post(make_app(), "/parcels", fewer)).status == 200


@pytest.mark.parametrize("size", [20_000, MEBIBYTE])
def test_a_long_key_is_not_told_with_each_fault_below_it(size):
    below = b",".join(b'"%d": "x"' % n for n in range(100))
    content = b'{"%s": {%s}}' % (b"k" * size, below)
    (error,) = read(TypeAdapter(dict[str, dict[str, int]]), content).errors
    assert error["msg"] == f"is a key of {size:,} characters"
    assert len(error["loc"][-1]) == 40
    known = b'{"%s": {%s}}' % (b"k" * 1000, below)
    assert len(read(TypeAdapter(dict[str, dict[str, int]]), known).errors) == 100


def test_a_body_for_no_model_is_counted_too(make_app):
    router = APIRouter(route_class=BoundedRoute)

    async def piece(request: Request) -> bytes:
        return await request.body()

    @router.put("/pieces")
    def put(content: Annotated[bytes, Depends(piece)]) -> int:
        return len(content)

    app = make_app()
    app.include_router(router)
    client = ours(app)
    refused = client.put("/pieces", content=b"[" + b"{}," * 12_000 + b"0]")
    assert (refused.status_code, refused.json()["title"][-9:]) == (413, "too large")
    plain = {"Content-Type": "application/octet-stream"}
    assert client.put("/pieces", content=b"[" + b"{}," * 12_000, headers=plain).status_code == 200


def test_a_body_of_nobody_is_not_judged(make_app):
    for content in (b"[", b'{"a": 1, "a": 1}', b"null", b"{}"):
        answer = asyncio.run(post(make_app(), "/letters", content, who=None))
        assert (answer.status, answer.slug) == (401, "not-authenticated")


def test_a_body_of_another_kind_is_not_parsed(make_app):
    answer = asyncio.run(
        post(make_app(), "/letters", b'{"text": "a"}', **{"Content-Type": "text/plain"})
    )
    assert answer.status == 422


def test_a_body_is_one_model():
    router = APIRouter(route_class=BoundedRoute)
    with pytest.raises(TypeError, match="a body is one model"):

        @router.post("/anything")
        def take(body: dict[str, Any]) -> None:
            """Nothing."""
