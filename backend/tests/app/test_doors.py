"""What arrives over a real connection before there is a request, or beside one."""

import json
import socket
import threading

import pytest
import uvicorn
from weighhouse_backend.app import http
from weighhouse_backend.app.factory import create_app
from weighhouse_testing.waits import until

LIVE = b"GET /health/live HTTP/1.1\r\nHost: a\r\n"


@pytest.fixture(scope="module")
def port(settings):
    config = uvicorn.Config(create_app(settings), log_level="critical", http=http.BoundedHttp)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as held:
        thread = threading.Thread(target=server.run, args=([held],))
        thread.start()
        until("the server is up", lambda: server.started)
        yield held.getsockname()[1]
        server.should_exit = True
        thread.join()


@pytest.fixture
def connect(port):
    made = []

    def dial():
        made.append(socket.create_connection(("127.0.0.1", port), timeout=60))
        return made[-1]

    yield dial
    for each in made:
        each.close()


def answered(connection):
    """Everything until the server ends the connection; it may do so while it is sent to."""
    content = b""
    try:
        while piece := connection.recv(65_536):
            content += piece
    except ConnectionResetError:
        pass
    return content


def keep_sending(connection, piece, most):
    """How much is taken until nobody takes more."""
    sent = 0
    try:
        while sent < most:
            sent += connection.send(piece)
    except OSError:
        pass
    return sent


def status(content):
    return int(content.split(b" ", 2)[1])


def test_several_requests_come_over_one_connection(connect):
    connection = connect()
    for _ in range(3):
        connection.sendall(LIVE + b"\r\n")
        assert status(connection.recv(65_536)) == 200
    connection.sendall((LIVE + b"\r\n") * 2 + LIVE + b"Connection: close\r\n\r\n")
    assert answered(connection).count(b"HTTP/1.1 200") == 3


@pytest.mark.parametrize(
    "endless", [b"GET /" + b"a" * 60_000, b"GET / HTTP/1.1\r\nX: " + b"a" * 60_000,
                b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 10_000],
    ids=["address", "line", "lines"],
)  # fmt: skip
def test_a_head_without_end_is_not_kept(connect, endless):
    connection = connect()
    connection.sendall(endless)
    taken = keep_sending(connection, b"a" * 65_536, 100_000_000)
    assert taken < 50_000_000
    content = answered(connection)
    assert status(content) == 431
    assert json.loads(content.partition(b"\r\n\r\n")[2])["type"] == "/docs/problems/head-too-large"


@pytest.mark.parametrize(
    ("begun", "piece"),
    [(b"0\r\nX: ", b"a" * 65_536), (b"0\r\n", b"A: b\r\n" * 10_000), (b"2;x=", b"a" * 65_536),
     (b"", b"1\r\n \r\n" * 10_000)],
    ids=["line", "lines", "extension", "pieces"],
)  # fmt: skip
def test_what_comes_beside_a_body_without_end_is_not_kept(connect, begun, piece):
    connection = connect()
    connection.sendall(
        b"POST /api/v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n" + begun
    )
    assert keep_sending(connection, piece, 60_000_000) < 30_000_000
    assert status(answered(connection)) == 431


def test_bodies_come_one_behind_another_over_one_connection(connect):
    connection = connect()
    begin = b"POST /api/v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    told = begin + b"Content-Length: 60000\r\n\r\n{" + b" " * 59_998 + b"}"
    pieces = b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n" + b"40\r\n%b\r\n" % (b" " * 64) * 900
    for _ in range(3):
        for sent in (told, begin + pieces + b"0\r\nX: y\r\n\r\n", LIVE + b"\r\n"):
            connection.sendall(sent)
            answer = connection.recv(65_536)
            assert status(answer) == (200 if sent.startswith(LIVE) else 422), answer
            assert b"connection: close" not in answer


@pytest.mark.parametrize(
    "lines", [b"X: " + b"a" * 33_000 + b"\r\n", b"A: b\r\n" * 101], ids=["long", "many"]
)
def test_a_head_that_is_too_large_is_refused(connect, lines):
    connection = connect()
    connection.sendall(LIVE + lines + b"\r\n")
    content = answered(connection)
    assert status(content) == 431
    assert "32,768 bytes" in json.loads(content.partition(b"\r\n\r\n")[2])["detail"]


def test_who_does_not_finish_their_question_is_not_waited_for(connect, monkeypatch):
    monkeypatch.setattr(http, "HEAD_SECONDS", 0.1)
    for begun in (b"", b"GET / HT", LIVE):
        connection = connect()
        connection.sendall(begun)
        assert answered(connection) == b""
    connection = connect()
    connection.sendall(LIVE + b"\r\n")
    assert status(connection.recv(65_536)) == 200
    connection.sendall(LIVE)
    assert answered(connection) == b""


def test_who_comes_when_too_many_are_there_is_told_to_come_again(connect, monkeypatch):
    first, second = connect(), connect()
    first.sendall(LIVE + b"\r\n")
    assert status(first.recv(65_536)) == 200
    monkeypatch.setattr(http, "MOST_CONNECTIONS", 0)
    second.sendall(LIVE + b"\r\n")
    content = answered(second)
    assert status(content) == 503
    assert b"retry-after: 5\r\n" in content.lower()
    assert b"/docs/problems/unavailable" in content


@pytest.mark.parametrize("expect", [b"", b"Expect: 100-continue\r\n"])
def test_a_stranger_is_answered_before_their_body(connect, expect):
    connection = connect()
    connection.sendall(
        b"POST /api/v1/experiments HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer whp_x\r\n"
        b"Content-Type: application/json\r\nContent-Length: 60000000\r\n" + expect + b"\r\n"
    )
    if not expect:
        connection.sendall(b"[" * 65_536)
    content = answered(connection)
    assert content.startswith(b"HTTP/1.1 401")
    assert b"\r\nconnection: close\r\n" in content
    assert b"/docs/problems/not-authenticated" in content


@pytest.mark.parametrize(
    "lines",
    [b"Content-Length: -1", b"Content-Length: 1e3", b"Content-Length: 9" + b"9" * 40,
     b"Content-Length: 3\r\nContent-Length: 4", b"Content-Length: 3\r\nTransfer-Encoding: chunked",
     b"Transfer-Encoding: gzip"],
)  # fmt: skip
def test_a_length_that_is_none_is_refused(connect, lines):
    connection = connect()
    connection.sendall(
        b"POST /api/v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        + lines + b"\r\n\r\nabc"
    )  # fmt: skip
    assert 400 <= status(answered(connection)) < 500
