"""`weighhouse alert` against a served API that answers as the platform does; what it refuses."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from typer.testing import CliRunner
from weighhouse_cli.commands.alert import app, changes_in_words
from weighhouse_cli.exits import CommandFailed, Exit

ALERT: dict[str, Any] = {
    "id": "01a2037b-560e-707c-ab49-c996e5131763", "kind": "change", "state": "untriaged",
    "title": "Throughput of redis fell by 7.9 %", "assignee": None, "due_on": None, "note": "",
    "link": None, "experiment": {"id": "e", "name": "Nightly"}, "missed": None,
    "change": {
        "better": False, "campaign_number": 41, "downstream": [{}, {}],
        "lead": {"workload": "balanced", "load_level": {"label": "4 clients"}},
    },
    "range": {
        "before": {"campaign_number": 40, "value": 165000.0, "version": "7.0.15", "git": None},
        "first": {
            "campaign_number": 41, "value": 152000.0, "version": "7.2.1",
            "git": {"commit": "b" * 40},
        },
        "commits_url": None,
    },
    "history": [
        {"at": "2026-11-22T10:00:00Z", "kind": "triaged", "actor": "Mia", "reason": "",
         "changes": {"state": ["untriaged", "noise"], "note": ["", "a fan"]}},
        {"at": "2026-11-21T10:00:00Z", "kind": "raised", "actor": None, "reason": "it fell",
         "changes": {}},
    ],
}  # fmt: skip
MEMBERS = [{"id": "m1", "email": "mia@example.test", "name": "Mia"}]


@pytest.fixture
def served() -> Iterator[tuple[list[str], list[tuple[str, str, Any]]]]:
    """Options that lead there, and what was asked: method, path, body."""
    asked: list[tuple[str, str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            asked.append((self.command, self.path, body))
            listed = {"items": MEMBERS if "/members" in self.path else [ALERT]}
            one = self.path.endswith(ALERT["id"])
            content = json.dumps(ALERT if one else {**listed, "next_cursor": None}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer  # noqa: N815 - the server's names

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
    return CliRunner().invoke(app, list(arguments), catch_exceptions=True)


def test_what_is_open_is_listed_unless_all_is_wanted(served) -> None:
    options, asked = served
    shown = run("list", *options)
    assert shown.exit_code == 0, shown.output
    assert asked[-1][1] == "/api/v1/alerts?limit=50&state=untriaged&state=acknowledged"
    run("list", "--all", "--system", "redis", *options)
    assert asked[-1][1] == "/api/v1/alerts?limit=50&system_id=redis"
    run("list", "--state", "noise", "--assignee", "nobody", *options)
    assert asked[-1][1] == "/api/v1/alerts?limit=50&state=noise&assignee=nobody"
    assert json.loads(run("list", "--json", *options).output)["items"] == [ALERT]


def test_what_is_said_is_sent_and_people_are_found_by_address(served) -> None:
    options, asked = served
    said = run(
        "triage", ALERT["id"], "other", "--state", "noise", "--assign", "mia@example.test",
        "--due", "none", "--note", "a fan", "--link", "https://git.example/7", *options,
    )  # fmt: skip
    assert said.exit_code == 0, said.output
    assert asked[-1] == (
        "POST",
        "/api/v1/alerts/triage",
        {
            "alerts": [{"id": ALERT["id"]}, {"id": "other"}],
            "change": {
                "state": "noise", "assignee_id": "m1", "note": "a fan", "due_on": None,
                "link": "https://git.example/7",
            },
        },
    )  # fmt: skip
    run("triage", ALERT["id"], "--downstream-of", "other", *options)
    assert asked[-1][2]["change"] == {"state": "downstream", "downstream_of_id": "other"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "what is it?"),
        (("--assign", "nina"), "no member is 'nina'; members: mia@example.test"),
        (("--state", "noise", "--downstream-of", "x"), "goes with state downstream"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_says_how_to_mend(served, arguments, words) -> None:
    options, asked = served
    refused = run("triage", ALERT["id"], *arguments, *options)
    assert isinstance(refused.exception, CommandFailed)
    assert refused.exception.code == Exit.INVALID
    assert words in str(refused.exception)
    assert not any(method == "POST" for method, _, _ in asked)


def test_one_is_shown_with_its_commits_and_history(served) -> None:
    options, _ = served
    shown = run("show", ALERT["id"], *options)
    assert shown.exit_code == 0, shown.output
    assert run("show", ALERT["id"], "--json", *options).exit_code == 0


def test_changes_are_told_in_words() -> None:
    assert changes_in_words(ALERT["history"][0]["changes"]) == [
        "state untriaged → noise",
        "note nothing → a fan",
    ]
