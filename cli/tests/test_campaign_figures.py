"""`weighhouse campaign figures` against a served API that answers as the platform does."""

import csv
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner
from weighhouse_cli.commands.campaign_figures import COLUMNS
from weighhouse_cli.whole import app
from weighhouse_protocol.figures import CATALOGUE


def told(median: float, statistic: str, **other: Any) -> dict[str, Any]:
    return {
        "median": median, "low": 0.9 * median, "high": 1.1 * median, "kind": "interval",
        "repeats": 5, "confidence": 0.95, "statistic": statistic, **other,
    }  # fmt: skip


FOUND: dict[str, Any] = {
    "completeness": {"words": "so far: 9 of 10 runs"},
    "sides": [{"key": "c~redis", "label": "Redis"}, {"key": "c~other", "label": "=cmd|' /C calc'"}],
    "cells": [
        {
            "side": side, "workload": "balanced", "load_level": {"label": "4 clients"},
            "figures": {
                "memory_after_bytes": told(5e6, "read"), "p99_us": told(120.0, "merged"),
                "a_new_one": told(3.0, "counted", kind="range", repeats=2),
                "throughput": told(400.0, "counted"),
                "p975_us": told(110.0, "merged"),
            },
        }
        for side in ("c~redis", "c~other")
    ],
    "caveats": [{"title": "One machine", "text": "Driver and system, on one machine.",
                 "short": "one machine", "runs": [], "runs_of": 1, "severity": "note"}],
}  # fmt: skip


@pytest.fixture
def served() -> Iterator[tuple[list[str], list[dict[str, list[str]]]]]:
    """Options that lead there, and what was asked."""
    asked: list[dict[str, list[str]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(parse_qs(urlsplit(self.path).query))
            content = json.dumps(FOUND).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield ["--url", f"http://127.0.0.1:{server.server_port}", "--token", "t"], asked
        server.shutdown()


def run(options: list[str], *arguments: str) -> Any:
    command = ["campaign", "figures", "00000000-0000-7000-8000-000000000001"]
    return CliRunner().invoke(app, [*command, *arguments, *options])


def test_every_figure_is_a_row_in_the_order_of_readers(served: Any) -> None:
    options, _ = served
    done = run(options, "--csv")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    remarks = [line for line in lines if line.startswith("#")]
    assert remarks == [
        "# so far: 9 of 10 runs",
        "# One machine: Driver and system, on one machine.",
    ]
    rows = list(csv.DictReader(lines[len(remarks) :]))
    assert list(rows[0]) == list(COLUMNS)
    names = ["throughput", "p99_us", "p975_us", "memory_after_bytes", "a_new_one"]
    assert [row["figure"] for row in rows] == 2 * names
    first, *_, last = rows
    assert (first["median"], first["unit"], first["values"]) == ("400.0", "1/s", "counted")
    assert (last["range"], last["repeats"], last["unit"]) == ("range", "2", "")
    assert last["side"].startswith("'="), "no spreadsheet takes it for a formula"


def test_a_percentile_is_asked_for_by_name(served: Any) -> None:
    options, asked = served
    done = run(options, "--figure", "p9750_us", "--figure", "throughput")
    assert done.exit_code == 0, done.output
    assert asked[-1]["also"] == ["p975_us"]
    assert "p97.5 latency" in done.stdout, done.stdout
    assert "Memory after" not in done.stdout
    assert "so far: 9 of 10 runs" in done.stdout


def test_what_is_no_figure_is_refused_before_anybody_is_asked(served: Any) -> None:
    options, asked = served
    done = run(options, "--figure", "latency")
    assert done.exit_code != 0
    assert asked == []


def test_a_figure_more_in_the_catalogue_has_its_words_unit_and_place(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    options, _ = served
    added = replace(CATALOGUE["load_throughput"], name="a_new_one", label="A new one", unit="s",
                    read_at=15)  # fmt: skip
    monkeypatch.setitem(CATALOGUE.figures, added.name, added)
    table = run(options).stdout
    assert "A new one" in table
    assert "3 s" in table
    lines = [one for one in run(options, "--csv").stdout.splitlines() if not one.startswith("#")]
    rows = list(csv.DictReader(lines))
    assert [row["figure"] for row in rows][:3] == ["throughput", "a_new_one", "p99_us"]
    assert rows[1]["unit"] == "s"
    told_as_json = json.loads(run(options, "--json").stdout)
    assert "a_new_one" in json.dumps(told_as_json)
