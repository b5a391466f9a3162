"""Where the commands look for the platform, and how they pass on what it says."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import httpx
import pytest
from weighhouse_cli.client import Access, Client, explain, find_access
from weighhouse_cli.embedded.directory import PlatformDirectory
from weighhouse_cli.exits import CommandFailed, Exit


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlatformDirectory:
    for name in ("WEIGHHOUSE_URL", "WEIGHHOUSE_TOKEN", "WEIGHHOUSE_TRUST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WEIGHHOUSE_DATA_DIR", str(tmp_path / "data"))
    return PlatformDirectory(tmp_path / "data")


def test_the_embedded_platform_is_found_without_being_told(home: PlatformDirectory) -> None:
    with home:
        home.remember({"url": "http://127.0.0.1:8499"})
        home.keep(home.first_user(), '{"api_token": "whp_first"}')
    access = find_access(None, None)
    assert (access.url, access.token) == ("http://127.0.0.1:8499", "whp_first")


def test_options_win_over_the_environment(
    home: PlatformDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEIGHHOUSE_URL", "https://elsewhere.example")
    monkeypatch.setenv("WEIGHHOUSE_TOKEN", "whp_environment")
    assert find_access(None, None).url == "https://elsewhere.example"
    access = find_access("https://here.example/", "whp_option")
    assert (access.url, access.token) == ("https://here.example", "whp_option")


def test_the_embedded_token_is_not_sent_elsewhere(home: PlatformDirectory) -> None:
    with home:
        home.keep(home.first_user(), '{"api_token": "whp_first"}')
    with pytest.raises(CommandFailed, match="WEIGHHOUSE_TOKEN") as caught:
        find_access("https://elsewhere.example", None)
    assert caught.value.code is Exit.INVALID


def test_a_secret_that_nobody_set_is_no_token(
    home: PlatformDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEIGHHOUSE_TOKEN", "")
    with pytest.raises(CommandFailed, match="which a fork's job does not get"):
        find_access("https://elsewhere.example", None)
    monkeypatch.setenv("WEIGHHOUSE_TRUST", "t")
    assert find_access("https://elsewhere.example", None).pipeline is not None


def test_a_problem_is_shown_with_its_fields() -> None:
    problem = {
        "title": "The experiment is not valid",
        "detail": "2 problems.",
        "errors": [
            {"path": "targets[0].system", "message": "`rediss`?", "expected": "redis"},
            {"path": "", "message": "no workload"},
        ],
    }
    assert explain(httpx.Response(422, json=problem)).splitlines() == [
        "2 problems.",
        "  targets[0].system: `rediss`? (expected redis)",
        "  document: no workload",
    ]


def test_an_answer_that_is_no_problem_is_shown_as_it_is() -> None:
    assert explain(httpx.Response(502, text="bad gateway")) == "HTTP 502: bad gateway"


class Busy(BaseHTTPRequestHandler):
    """Refuses the first two requests as too many."""

    seen: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append(self.path)
        refused = len(self.seen) <= 2
        body = {"detail": "100 requests a minute are allowed here"} if refused else {"id": "made"}
        self.send_response(429 if refused else 201)
        self.send_header("Content-Type", "application/json")
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def busy() -> Iterator[str]:
    Busy.seen.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Busy) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_too_many_requests_are_told_once_and_waited_for(
    busy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # Nothing of a refused request was carried out: even what may not be repeated is.
    assert Client(Access(busy, "whp_x")).post("/campaigns", {})["id"] == "made"
    assert Busy.seen == ["/api/v1/campaigns"] * 3
    assert capsys.readouterr().err == "100 requests a minute are allowed here\n"
