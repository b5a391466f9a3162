"""`weighhouse campaign points`: what a calibration found, as a file; over a real connection."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typer.testing import CliRunner, Result
from weighhouse_cli.whole import app

YAML = "slug: at-its-points\nload_levels: []\n"
MISSING = {
    "target": "cassandra",
    "workload": "reads",
    "load_level": {"kind": "closed", "value": 1.0, "label": "1 client", "own": False},
    "reason": "no load meets the envelope",
}


class Platform(ThreadingHTTPServer):
    """Says of every calibration the same, as `OperatingPointsRead`."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.answer = json.dumps(answer).encode()
        self.seen: list[str] = []


class Asked(BaseHTTPRequestHandler):
    server: Platform

    def do_GET(self) -> None:
        self.server.seen.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def platform(answer: dict[str, Any]) -> Iterator[Platform]:
    server = Platform(answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def points(server: Platform, *options: str) -> Result:
    url = f"http://127.0.0.1:{server.server_address[1]}"
    asked = ["campaign", "points", "12", *options, "--url", url, "--token", "whp_test"]
    return CliRunner().invoke(app, asked)


def test_the_file_is_all_of_the_output_and_what_is_missing_stands_beside_it() -> None:
    with platform({"yaml": YAML, "missing": [MISSING]}) as server:
        done = points(server)
    assert done.exit_code == 0, done.output
    assert done.stdout == YAML, "nothing else, so that it can be written to a file"
    assert done.stderr == "cassandra, reads: no load meets the envelope\n"
    assert server.seen == ["/api/v1/campaigns/12/operating-points?take=value"]


def test_the_lower_end_is_asked_for() -> None:
    with platform({"yaml": YAML, "missing": []}) as server:
        done = points(server, "--lower")
    assert done.exit_code == 0, done.output
    assert server.seen == ["/api/v1/campaigns/12/operating-points?take=low"]


def test_without_a_point_there_is_no_file_and_the_exit_says_so() -> None:
    with platform({"yaml": None, "missing": [MISSING]}) as server:
        done = points(server)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert "no load meets the envelope" in done.stderr
    assert "nothing to measure" in done.stderr
