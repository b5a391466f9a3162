"""What the commands say in words."""

import pytest
from weighhouse_cli.console import OUT, duration, progress_line, show_medians, show_schedule
from weighhouse_cli.skeleton import SkeletonRefused, write_skeleton
from weighhouse_cli.studies import counts_in_words, show_study


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, "unknown"), (0, "0 s"), (59.4, "59 s"), (60, "1 min 00 s"), (305, "5 min 05 s")],
)
def test_a_length_of_time(seconds, words):
    assert duration(seconds) == words


def test_a_campaigns_progress_in_a_line():
    campaign = {
        "state": "running",
        "runs": {"total": 90, "completed": 10, "failed": 2, "cancelled": 0},
        "seconds_left": 250,
    }
    assert progress_line(campaign) == ("running: 12 of 90 runs, 2 failed, about 4 min 10 s left")
    line = progress_line({**campaign, "state": "paused", "seconds_left": None})
    assert line == "paused: 12 of 90 runs, 2 failed"


@pytest.mark.parametrize("name", ["", "Etcd", "1st", "../up", "a-b"])
def test_a_plugin_with_an_impossible_name_is_refused(name, tmp_path):
    with pytest.raises(SkeletonRefused, match="name"):
        write_skeleton(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_plugin_that_is_there_is_left_alone(tmp_path):
    write_skeleton("etcd", tmp_path)
    with pytest.raises(SkeletonRefused, match="already"):
        write_skeleton("etcd", tmp_path)


def test_a_schedule_with_its_dates_by_the_clock_of_its_zone(monkeypatch):
    monkeypatch.setattr(OUT, "width", 160)
    schedule = {
        "cron": "30 2 * * *", "time_zone": "Europe/Vienna", "enabled": True, "overlap": "queue",
        "missed": "report", "problem": "no [bold]such[/] system",
        "next": ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
    }  # fmt: skip
    missed = {
        "outcome": "missed", "reason": "the platform was not running", "campaign": None,
        "first_at": "2026-10-20T00:30:00Z", "scheduled_for": "2026-10-24T00:30:00Z",
        "dates_count": 5,
    }  # fmt: skip
    with OUT.capture() as captured:
        show_schedule(schedule, [missed])
    lines = captured.get()
    assert "2026-10-25 02:30 CEST" in lines
    assert "2026-10-26 02:30 CET" in lines
    assert "2026-10-20 02:30 CEST to 2026-10-24 02:30 CEST (5)" in lines
    assert "no [bold]such[/] system" in lines
    assert "the platform was not running" in lines


def caveat(severity, short, title, text, runs=0, sides=()):
    return {
        "severity": severity, "short": short, "title": title, "text": text, "sides": list(sides),
        "runs": ["a-run"] * runs, "runs_count": runs, "runs_of": runs,
    }  # fmt: skip


def test_medians_are_followed_by_what_stands_beside_them(monkeypatch):
    monkeypatch.setattr(OUT, "width", 160)
    level = {"label": "4 clients"}
    comparison = {
        "completeness": {"words": ""},
        "sides": [{"key": "c~redis", "label": "Redis", "mark": "●", "colour": "#D55E00"}],
        "workloads": ["reads"],
        "load_levels": [level],
        "cells": [
            {
                "side": "c~redis", "workload": "reads", "load_level": level,
                "figures": {"throughput": {"median": 1234.0}, "p99_us": {"median": 99.0}},
            }
        ],
        "headline": {
            "badge": "Redis leads", "tone": "told", "failed": "1 of 6 runs failed",
            "sentence": "Redis leads: most throughput in the only cell.",
            "sure": "beyond doubt [here], from 5 repeats a side",
        },
        "readings": [
            {"side": "c~redis", "sentence": "does more operations than Valkey in 1 of 1 cell"}
        ],
        "caveats": [
            caveat("bar", "not filled", "Not filled", "Half of the records are missing."),
            caveat("caution", "one machine", "One machine", "Both shared it.", runs=3),
            caveat(
                "note", "one thread [each]", "One thread [each]", "A node has one.",
                sides=["c~redis"],
            ),
        ],
    }  # fmt: skip
    with OUT.capture() as captured:
        show_medians(comparison)
    said = [line.strip() for line in captured.get().splitlines()]
    assert said[0].split() == ["workload", "load", "●", "Redis"]
    assert said[1].split() == ["reads", "4", "clients", "1,234", "op/s", "p99", "99", "µs"]
    assert [line for line in said[2:] if line] == [
        "Redis leads: most throughput in the only cell.",
        "How sure: beyond doubt [here], from 5 repeats a side", "1 of 6 runs failed.",
        "● Redis does more operations than Valkey in 1 of 1 cell", "3 caveats",
        "Not filled: Half of the records are missing.", "one machine · 3 of 3 runs",
        "one thread [each] · Redis",
    ]  # fmt: skip
    words = "so far, 2 of 4 runs, at 2026-11-26 19:40 UTC"
    with OUT.capture() as captured:
        show_medians(comparison | {"completeness": {"words": words}})
    assert captured.get().splitlines()[0] == words


def study(**changes):
    claim = {
        "id": "one", "says": "Redis is ahead.", "place": "page 1",
        "verdict": "cannot_be_true_as_printed", "words": "cannot be true as printed",
        "sentence": "1 / 2 = 0.5, below 1.", "measured": "holds here: ×1.4.",
    }  # fmt: skip
    return {
        "title": "A study",
        "answer": "The study claims: Redis is ahead. Of its claim 1 holds here.",
        "source": {
            "authors": "A. Nobody", "published_in": "nowhere", "sponsor": "a vendor",
            "disclaimer": "Read with care.",
        },
        "sides": [
            {"label": "Redis", "measured": True, "because": ""},
            {"label": "Garnet", "measured": False, "because": "it is rare"},
        ],
        "claims": [claim],
        "campaigns": [],
        "verdicts": [
            {"verdict": "holds_here", "words": "holds here", "claims": 0},
            {"verdict": claim["verdict"], "words": claim["words"], "claims": 1},
        ],
    } | changes  # fmt: skip


def test_a_study_says_who_paid_what_is_not_measured_and_why_a_claim_fails():
    with OUT.capture() as captured:
        show_study(study())
    said = " ".join(captured.get().split())
    assert said.index("Of its claim 1 holds here.") < said.index("paid by: a vendor")
    assert "Read with care." in said
    assert "not measured here: Garnet: it is rare" in said
    assert "cannot be true as printed: 1" in said
    for word in ("0.5, below", "here: ×1.4."):
        assert all(part in said for part in word.split())


def test_claims_are_counted_by_verdict_and_none_is_said_so():
    assert counts_in_words(study()["verdicts"]) == "cannot be true as printed: 1"
    assert counts_in_words([]) == "none"


def test_a_study_of_our_own_has_no_source():
    with OUT.capture() as captured:
        show_study(study(source=None))
    assert "paid by" not in captured.get()
