"""`weighhouse histogram`, against a real server that answers what the platform would."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner
from weighhouse_cli.exits import CommandFailed
from weighhouse_cli.whole import app

TEXT = "# caveats: About redis [1]\n       Value     Percentile\n"


class Platform(ThreadingHTTPServer):
    """Answers a text unless JSON is asked for, and keeps what it was asked."""

    asked: list[tuple[str, dict[str, list[str]]]]


class Asked(BaseHTTPRequestHandler):
    server: Platform

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = parse_qs(address.query)
        self.server.asked.append((address.path, query))
        is_json = query["format"] == ["json"]
        body = b'{"total": 7}' if is_json else TEXT.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json" if is_json else "text/plain")
        self.send_header("Content-Length", str(len(body)))
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


def called(platform: Platform, *arguments: str) -> str:
    address = f"http://127.0.0.1:{platform.server_address[1]}"
    result = CliRunner().invoke(
        app, ["histogram", *arguments, "--url", address, "--token", "whp_test"],
        catch_exceptions=False,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return result.output


def test_a_runs_text_is_printed_as_it_came(platform: Platform) -> None:
    assert called(platform, "run-1", "--operation", "read") == TEXT
    assert platform.asked == [
        (
            "/api/v1/runs/run-1/histogram",
            {"operation": ["read"], "kind": ["response"], "format": ["hgrm"]},
        )
    ]


def test_a_sides_log_is_written_to_a_file(platform: Platform, tmp_path: Path) -> None:
    path = tmp_path / "kept.hlog"
    called(
        platform, "--side", "c~redis", "--workload", "balanced", "--load", "8 clients",
        "--format", "hlog", "-o", str(path),
    )  # fmt: skip
    assert path.read_text(encoding="utf-8") == TEXT
    ((address, query),) = platform.asked
    assert address == "/api/v1/comparisons/histogram"
    assert (query["side"], query["load_level"]) == (["c~redis"], ["8 clients"])
    called(platform, "run-1", "--format", "json", "-o", str(path))
    assert '"total": 7' in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("arguments", [[], ["run-1", "--side", "c~redis"], ["--side", "c~redis"]])
def test_what_is_wanted_has_to_be_said(platform: Platform, arguments: list[str]) -> None:
    with pytest.raises(CommandFailed, match="--workload and --load"):
        called(platform, *arguments)
    assert platform.asked == []
