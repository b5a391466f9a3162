"""`weighhouse export`, against a real server that answers what the platform would."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.whole import app

BODY = b"# Weighhouse, figures: 1 lines of comments, then the columns\r\n" + b"x" * 300_000
REFUSED = b'{"title": "refused", "detail": "Closed: not allowed. its clause: ask the vendor"}'


class Platform(ThreadingHTTPServer):
    """Answers files, of which some are refused, late or break off; keeps what it was asked."""

    asked: list[tuple[str, dict[str, list[str]]]]
    busy: int = 0


class Asked(BaseHTTPRequestHandler):
    server: Platform

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        self.server.asked.append((address.path, parse_qs(address.query)))
        if self.server.busy:
            self.server.busy -= 1
            self._answer(503, b"{}", ("Retry-After", "0"))
        elif address.path.endswith("/closed"):
            self._answer(403, REFUSED)
        elif address.path.endswith("/broken"):
            self.send_response(200)
            self.send_header("Content-Length", str(len(BODY)))
            self.end_headers()
            self.wfile.write(BODY[:1000])
        else:
            self._answer(200, BODY, ("Content-Disposition", 'attachment; filename="some.csv"'))

    def _answer(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def platform() -> Iterator[Platform]:
    server = Platform(("127.0.0.1", 0), Asked)
    server.asked = []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def call(platform: Platform, *arguments: str) -> str:
    address = f"http://127.0.0.1:{platform.server_address[1]}"
    result = CliRunner().invoke(
        app, ["export", *arguments, "--url", address, "--token", "whp_test"],
        catch_exceptions=False,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize(
    ("arguments", "path", "query"),
    [
        (
            ["campaign", "c1", "--table", "intervals", "--format", "parquet"],
            "campaigns/c1",
            {"table": ["intervals"], "format": ["parquet"]},
        ),
        (
            ["run", "r1", "--format", "hlog"],
            "runs/r1",
            {"table": ["operations"], "format": ["hlog"]},
        ),
        (
            ["comparison", "c1", "--base", "c0"],
            "comparison",
            {"table": ["figures"], "campaign": ["c1"], "base": ["c0"], "format": ["csv"]},
        ),
        (
            ["comparison", "c1~a", "c2~b", "--baseline", "1", "--audience", "public"],
            "comparison",
            {
                "table": ["figures"], "side": ["c1~a", "c2~b"], "baseline": ["1"],
                "format": ["csv"], "audience": ["public"],
            },
        ),
        (["series", "s1"], "series/s1", {"table": ["points"], "format": ["csv"]}),
        (
            ["list", "alerts", "--filter", "state=untriaged", "--filter", "state=regression"],
            "alerts",
            {"state": ["untriaged", "regression"], "format": ["csv"]},
        ),
        (
            ["list", "agents", "--filter", "text=rack=a", "--format", "jsonl"],
            "agents",
            {"text": ["rack=a"], "format": ["jsonl"]},
        ),
    ],
)  # fmt: skip
def test_what_is_asked_for_is_kept_as_it_came(
    platform: Platform, tmp_path: Path, arguments: list[str], path: str, query: dict[str, Any]
) -> None:
    kept = tmp_path / "kept"
    said = call(platform, *arguments, "-o", str(kept))
    assert platform.asked == [(f"/api/v1/exports/{path}", query)]
    assert kept.read_bytes() == BODY
    assert list(tmp_path.iterdir()) == [kept]
    assert f"{len(BODY):,} bytes" in said.replace("\n", "")


def test_without_a_name_the_platforms_own_is_taken(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call(platform, "series", "s1")
    assert [one.name for one in tmp_path.iterdir()] == ["some.csv"]


def test_a_busy_platform_is_asked_again(platform: Platform, tmp_path: Path) -> None:
    platform.busy = 2
    call(platform, "series", "s1", "-o", str(tmp_path / "kept"))
    assert len(platform.asked) == 3


@pytest.mark.parametrize(
    ("of", "status", "says"),
    [
        ("closed", Exit.INVALID, "its clause: ask the vendor"),
        ("broken", Exit.INFRASTRUCTURE, "broke off"),
    ],
)
def test_what_does_not_come_whole_leaves_nothing_behind(
    platform: Platform, tmp_path: Path, of: str, status: Exit, says: str
) -> None:
    kept = tmp_path / "kept"
    kept.write_text("from before")
    with pytest.raises(CommandFailed, match=says) as failed:
        call(platform, "campaign", of, "-o", str(kept))
    assert failed.value.code == status
    assert kept.read_text() == "from before"
    assert list(tmp_path.iterdir()) == [kept]


@pytest.mark.parametrize(
    "arguments",
    [["comparison", "c1~a", "c2"], ["comparison", "c1~a", "--base", "c2"],
     ["list", "runs", "--filter", "status"]],
)  # fmt: skip
def test_what_is_not_clear_is_refused_unasked(platform: Platform, arguments: list[str]) -> None:
    with pytest.raises(CommandFailed):
        call(platform, *arguments)
    assert platform.asked == []
