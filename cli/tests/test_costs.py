"""What `weighhouse campaign cost` prints: each figure with its price and what is left out."""

import pytest
from rich.console import Console
from weighhouse_cli import console, costs

ESTIMATE = {"median": 400.0, "low": 390.0, "high": 410.0, "kind": "interval", "repeats": 5}
CELL = {
    "side": "c~redis", "workload": "balanced", "load_level": {"label": "4 clients"},
    "throughput": ESTIMATE, "p99_us": ESTIMATE, "hourly": 0.36, "currency": "EUR",
    "per_million": {"median": 0.25, "low": 0.24, "high": 0.26, "kind": "interval", "repeats": 5},
    "year": {"copies": 3, "amount": 9460.8, "low": 9460.8, "high": 9460.8, "busy": 0.833},
    "because": "",
}  # fmt: skip
NONE = CELL | {
    "side": "c~memcached", "per_million": None, "year": None, "currency": None,
    "because": "no price",
}  # fmt: skip
FOUND = {
    "price": None, "rate": 1000.0, "cells": [CELL, NONE],
    "sides": [{"key": "c~redis", "label": "Redis"}, {"key": "c~memcached", "label": "Memcached"}],
    "prices": [{"name": "rack 4", "words": "0.36 EUR an hour", "as_of": "2026-10-01",
                "source": "contract 12"}],
    "licences": [],
    "remarks": [{"key": "co_located", "words": "on one machine", "sides": ["c~redis"]}],
    "not_counted": [{"key": "staff", "words": "the people", "sides": ["c~redis", "c~memcached"]}],
    "caveats": [], "completeness": {"words": ""},
}  # fmt: skip


@pytest.fixture
def printed(monkeypatch):
    out = Console(record=True, width=200, highlight=False)
    monkeypatch.setattr(costs, "OUT", out)
    monkeypatch.setattr(console, "OUT", out)

    def show(found):
        costs.show_costs(found)
        return out.export_text()

    return show


def test_a_cost_stands_with_its_interval_price_date_and_what_it_leaves_out(printed):
    text = printed(FOUND)
    assert "so far" not in text
    assert "0.25 EUR (0.24 to 0.26)" in text
    assert "9,460.80 EUR (3 set-ups, 83\u2009% busy)" in text
    assert "rack 4: 0.36 EUR an hour, as of 2026-10-01; contract 12" in text
    assert "on one machine (Redis)" in text
    assert "the people\n" in text  # concerns all sides


def test_costs_of_what_goes_on_begin_with_it(printed):
    words = "so far, 2 of 4 runs, at 2026-11-26 19:40 UTC"
    assert printed(FOUND | {"completeness": {"words": words}}).startswith(words)


def test_a_cell_without_a_cost_says_why_and_how_to_give_a_price(printed):
    text = printed(FOUND | {"cells": [NONE], "prices": [], "rate": None})
    assert "no price" in text
    assert "--price" in text
    assert "a year" not in text
