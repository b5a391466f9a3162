"""`weighhouse campaign list` against a served API that answers as the platform does."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner
from weighhouse_cli.commands.campaign_list import instant
from weighhouse_cli.whole import app

COUNT = 450


def campaign(number: int) -> dict[str, Any]:
    return {
        "id": f"00000000-0000-7000-8000-{number:012}", "number": number,
        "state": "paused" if number == COUNT else "completed",
        "experiment": {"slug": "nightly"}, "verdict": "passed", "git": None,
        "runs": {"completed": 2, "total": 2},
    }  # fmt: skip


def headline(campaign_id: str) -> dict[str, Any]:
    """What every campaign came to."""
    return {
        "campaign_id": campaign_id, "badge": "Redis leads", "tone": "told",
        "failed": "1 of 9 runs failed",
    }  # fmt: skip


@pytest.fixture
def served() -> Iterator[tuple[list[str], list[dict[str, str]]]]:
    """Options that lead there, and what was asked, query by query."""
    asked: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            if address.path.endswith("/headlines"):
                self.answer([headline(one) for one in parse_qs(address.query)["campaign"]])
                return
            query = {name: one[0] for name, one in parse_qs(address.query).items()}
            asked.append(query)
            limit = int(query["limit"])
            newest = int(query.get("cursor", str(COUNT)).replace("oldest", "20"))
            items = [campaign(one) for one in range(newest, max(newest - limit, 0), -1)]
            page: dict[str, Any] = {
                "items": items, "next_cursor": str(newest - limit) if newest > limit else None,
                "total": {"count": COUNT, "is_exact": True} if "total" in query else None,
            }  # fmt: skip
            self.answer(page)

        def answer(self, document: Any) -> None:
            content = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield ["--url", f"http://127.0.0.1:{server.server_port}", "--token", "t"], asked
    server.shutdown()
    server.server_close()
    thread.join()


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["campaign", "list", *arguments])


def test_the_latest_are_shown_with_the_way_to_the_others(served) -> None:
    options, asked = served
    shown = run(*options)
    assert shown.exit_code == 0, shown.output
    assert asked[-1] == {"limit": "20", "total": "true"}
    assert campaign(450)["id"] in shown.stdout
    assert shown.stdout.count("Redis") == 20
    assert campaign(430)["id"] not in shown.stdout
    assert "20 of 450 campaigns; all: --all, the oldest: --oldest" in shown.stderr
    assert "--cursor 430" in shown.stderr
    again = run("--cursor", "430", *options)
    assert campaign(430)["id"] in again.stdout


def test_the_oldest_are_one_command_away(served) -> None:
    options, asked = served
    shown = run("--oldest", *options)
    assert asked[-1]["cursor"] == "oldest"
    assert campaign(1)["id"] in shown.stdout
    assert shown.stderr == "", "there is nothing beyond"


def test_all_of_them_are_listed_however_many(served) -> None:
    options, asked = served
    shown = run("--all", "--json", *options)
    found = [one["number"] for one in json.loads(shown.stdout)["items"]]
    assert found == list(range(COUNT, 0, -1))
    assert len(asked) == 3


def test_what_is_wanted_is_sent(served) -> None:
    options, asked = served
    run(
        "night", "--experiment", "nightly", "--status", "failed", "--verdict", "none",
        "--by", "Ada", "--commit", "9f2c", "--branch", "main", "--pull-request", "7",
        "--label", "rack=a", "--release", "7.2", "--since", "2026-11-01T00:00:00Z",
        "--limit", "5", *options,
    )  # fmt: skip
    sent = {name: one for name, one in asked[-1].items() if name != "total"}
    assert sent == {
        "text": "night", "experiment": "nightly", "status": "failed", "verdict": "none",
        "requested_by": "Ada", "commit": "9f2c", "branch": "main", "pull_request": "7",
        "label": "rack=a", "release": "7.2", "since": "2026-11-01T00:00:00Z", "limit": "5",
    }  # fmt: skip


def test_a_day_is_whole() -> None:
    first, last = instant("2026-11-30"), instant("2026-11-30", 1)
    assert first is not None
    assert last is not None
    assert first.endswith("Z")
    assert first < last
    assert instant(None) is None


@pytest.mark.parametrize("wrong", [("--since", "2026-13-45"), ("--all", "--oldest")])
def test_what_cannot_be_meant_is_refused(served, wrong) -> None:
    options, asked = served
    assert run(*wrong, *options).exit_code == 2
    assert asked == []
