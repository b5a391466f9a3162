"""One list of caveats over real rows: the same things, counted the same, wherever it is shown."""

import pytest
from sqlalchemy import text
from weighhouse_backend.findings import examination, repository
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.results.laboratory import experiment
from backend.tests.results.sides import report


@pytest.fixture(scope="module")
def campaign(laboratory):
    """Two systems, three repeats each: too few, on one machine, without a disclosure."""
    return laboratory.carry_out(experiment("weighed", repetitions=3), report)


@pytest.fixture(scope="module")
def listed(laboratory, campaign):
    """What the comparison says has to stand beside its numbers."""
    return laboratory.get("/comparisons", campaign=campaign)["caveats"]


def test_comparison_campaign_and_gate_have_the_same_list(laboratory, campaign, listed):
    assert laboratory.get(f"/campaigns/{campaign}/caveats") == listed
    assert laboratory.get(f"/campaigns/{campaign}/gate")["caveats"] == listed
    sides = [f"{campaign}~redis", f"{campaign}~memcached"]
    assert laboratory.get("/comparisons", side=sides)["caveats"] == listed


def test_each_thing_is_said_once_and_short(listed):
    assert len({one["id"] for one in listed}) == len(listed)
    assert {one["kind"] for one in listed} == {
        "statement", "check", "confounder", "disclosure", "statistics",
    }  # fmt: skip
    assert all(len(one["short"].split()) <= 8 for one in listed)
    ranks = [["bar", "caution", "note"].index(one["severity"]) for one in listed]
    assert ranks == sorted(ranks)


def test_a_check_names_all_its_runs_and_what_it_saw(listed, campaign):
    (shared,) = [one for one in listed if one["id"] == "check:co-located"]
    assert len(set(shared["runs"])) == shared["runs_of"] == 6
    assert shared["sides"] == []
    assert {one["run_id"] for one in shared["evidence"]} <= {*shared["runs"], None}
    assert {one["side"] for one in shared["evidence"]} == {
        f"{campaign}~redis", f"{campaign}~memcached", None,
    }  # fmt: skip
    assert shared["help"] == "/docs/findings/co-located"


def test_a_statement_is_said_of_the_side_it_concerns(listed, campaign):
    said = {one["id"]: one["sides"] for one in listed if one["kind"] == "statement"}
    assert said["statement:redis-note"] == [f"{campaign}~redis"]
    assert said["statement:memcached-note"] == [f"{campaign}~memcached"]


def test_a_runs_list_holds_what_the_campaigns_says_of_it(laboratory, campaign, listed):
    run = laboratory.get("/runs", campaign_id=campaign)["items"][0]
    mine = laboratory.get(f"/runs/{run['id']}")["caveats"]
    of_runs = {one["id"] for one in listed if run["id"] in one["runs"]}
    assert {one["id"] for one in mine if one["kind"] == "check"} == of_runs
    whole = {one["id"]: one for one in listed}
    for one in mine:
        assert (one["severity"], one["title"]) == (
            whole[one["id"]]["severity"], whole[one["id"]]["title"],
        ) or one["kind"] == "disclosure"  # fmt: skip


def test_a_series_counts_checks_over_the_runs_of_its_points(laboratory, campaign, listed):
    (series,) = [
        one
        for one in laboratory.get("/series", metric="throughput", system_id="redis")["items"]
        if one["experiment"]["name"] == "Weighed"
    ]
    found = {one["id"]: one for one in laboratory.get(f"/series/{series['id']}")["caveats"]}
    whole = {one["id"]: one for one in listed}["check:co-located"]
    shared = found["check:co-located"]
    assert shared["runs_of"] == len(shared["runs"]) == 3
    assert set(shared["runs"]) < set(whole["runs"])
    assert "statement:redis-note" in found


def test_a_long_history_names_the_latest_runs_and_counts_all(laboratory, campaign, monkeypatch):
    """Each text once: that of another run than the latest has its own."""
    (series,) = [
        one
        for one in laboratory.get("/series", metric="throughput", system_id="redis")["items"]
        if one["experiment"]["name"] == "Weighed"
    ]

    def shared():
        caveats = laboratory.get(f"/series/{series['id']}")["caveats"]
        return {one["id"]: one for one in caveats}["check:co-located"]

    whole = shared()
    for module in (repository, examination):
        monkeypatch.setattr(module, "MOST_NAMED", 2)
    few = shared()
    assert few["runs"] == sorted(whole["runs"], reverse=True)[:2]
    assert [one["runs_count"] for one in (whole, few)] == [3, 3]
    assert {**few, "runs": whole["runs"]} == whole


def test_a_long_history_of_many_texts_counts_all_and_tells_some(laboratory, campaign, monkeypatch):
    """No two runs are told the same: what is told, named and read stays bounded."""
    (series,) = [
        one
        for one in laboratory.get("/series", metric="throughput", system_id="redis")["items"]
        if one["experiment"]["name"] == "Weighed"
    ]
    numbered = text(
        "UPDATE findings SET body = jsonb_set(body, '{message}',"
        " to_jsonb((body ->> 'message') || run_id)) WHERE check_id = 'co-located'"
    )
    with unit_of_work(laboratory.sessions) as session:
        session.execute(numbered)
    for module in (repository, examination):
        monkeypatch.setattr(module, "MOST_NAMED", 2)
    caveats = laboratory.get(f"/series/{series['id']}")["caveats"]
    shared = {one["id"]: one for one in caveats}["check:co-located"]
    assert (shared["runs_count"], shared["runs_of"]) == (3, 3)
    latest = sorted(shared["runs"], reverse=True)
    assert shared["runs"] == latest
    assert len(latest) == 2
    assert shared["text"].startswith("For example: ")
    assert shared["text"].endswith(latest[0])
    assert [one["run_id"] for one in shared["evidence"]] == [*latest, None]


def test_targets_of_one_system_are_told_apart(laboratory):
    targets = [
        {"name": "plain", "system": "redis"},
        {"name": "hz-100", "system": "redis", "parameters": {"hz": 100}},
        {"name": "memcached", "system": "memcached"},
    ]
    twins = laboratory.carry_out(experiment("twins", repetitions=1, targets=targets), report)
    seen = [("Redis, hz 10", False), ("Redis, hz 100", True), ("Memcached", False)]
    for shown in (
        laboratory.get("/comparisons", campaign=twins)["sides"],
        laboratory.get(f"/campaigns/{twins}")["targets"],
    ):
        assert [(one["label"], one["hollow"]) for one in shown] == seen
        assert [one["mark"] for one in shown] == ["●", "●", "●"]


def test_the_sheet_says_what_rows_are_and_whom_they_favour(laboratory, campaign):
    rows = {
        row["aspect"]: row for row in laboratory.get("/comparisons", campaign=campaign)["fairness"]
    }
    assert rows["system"]["role"] == "compared"
    assert rows["eviction"]["role"] == "may_explain"
    assert rows["eviction"]["favours"] == [1]
    assert rows["durability"]["role"] == "same"
