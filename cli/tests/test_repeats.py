"""What the commands ask again when the platform is away, and what they must not; a real server."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from weighhouse_cli.client import Access, Client
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.exits import CommandFailed, Exit


class Flaky(ThreadingHTTPServer):
    """Carries out what it is asked, and for the first `broken` times does not say so."""

    def __init__(self, broken: int, status: int | None, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Asked)
        self.broken = broken
        self.status = status
        self.seen: list[tuple[str, str | None]] = []


class Asked(BaseHTTPRequestHandler):
    server: Flaky

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append((self.command, self.headers.get("Idempotency-Key")))
        if len(self.server.seen) <= self.server.broken:
            if self.server.status is None:
                self.close_connection = True
                return
            self.send_response(self.server.status)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = do_PUT = answer  # noqa: N815 - names of the standard library

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def flaky(broken: int, status: int | None, port: int = 0) -> Iterator[tuple[Client, Flaky]]:
    server = Flaky(broken, status, port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        yield Client(Access(address, "whp_test")), server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


LOST = pytest.mark.parametrize("status", [None, 502, 503, 504])


@LOST
def test_an_action_whose_answer_is_lost_is_not_done_twice(status: int | None) -> None:
    with flaky(1, status) as (client, server):
        with pytest.raises(CommandFailed, match="look before you ask again") as failed:
            client.post("/campaigns/1/cancel")
        assert [method for method, _ in server.seen] == ["POST"]
        assert failed.value.code is Exit.INFRASTRUCTURE


@LOST
def test_what_may_be_repeated_is_repeated_under_one_key(status: int | None) -> None:
    with flaky(2, status) as (client, server):
        client.post("/campaigns", {}, repeatable=True)
        keys = {key for _, key in server.seen}
        assert len(server.seen) == 3
        assert len(keys) == 1
        assert keys != {None}


@LOST
def test_questions_and_settings_are_repeated(status: int | None) -> None:
    with flaky(1, status) as (client, server):
        client.get("/campaigns")
        assert len(server.seen) == 2
    with flaky(1, status) as (client, server):
        client.put("/experiments/nightly/schedule", {})
        assert len(server.seen) == 2


def test_an_action_that_cannot_have_arrived_is_tried_until_the_platform_is_up() -> None:
    port = free_port()
    client = Client(Access(f"http://127.0.0.1:{port}", "whp_test"))
    done: list[object] = []
    asking = threading.Thread(target=lambda: done.append(client.post("/campaigns/1/cancel")))
    asking.start()
    with flaky(0, None, port) as (_, server):
        asking.join(timeout=120)
        assert done == [{}]
        assert len(server.seen) == 1
