"""Machines of one kind share a segment, whatever their patch level; the gate has its base."""

from uuid import UUID

import pytest
from weighhouse_backend.alerts.watch import WatchService

from backend.tests.gates.test_bases import Builds
from backend.tests.results.reports import FACTS
from backend.tests.results.sides import weigh

PATCHED = {**FACTS, "kernel": "6.18.2", "memory_bytes": (8 << 30) - 20480}
OTHER = {**FACTS, "kernel": "7.0.1"}


def course(laboratory, slug):
    """The throughput of an experiment."""
    experiment = laboratory.get(f"/experiments/{slug}")["id"]
    [series] = laboratory.get("/series", experiment_id=experiment, metric="throughput")["items"]
    return laboratory.get(f"/series/{series['id']}")


def test_a_patched_machine_goes_on_with_its_series_and_another_kind_does_not(laboratory):
    builds = Builds(laboratory, "patched")
    facts = [FACTS, PATCHED, OTHER, PATCHED, {**FACTS, "memory_bytes": 6 << 30}, FACTS]
    for one in facts:
        builds.run(facts=one)
    seen = course(laboratory, "patched")
    assert [one["segment"] for one in seen["points"]] == [0, 0, 1, 0, 2, 0]
    assert [one["place_changes"] for one in seen["points"]] == [
        [], ["kernel 6.18 → 6.18.2"], [], [], [], ["kernel 6.18.2 → 6.18"],
    ]  # fmt: skip
    assert seen["points"][1]["kernel"] == "6.18.2"
    assert seen["points"][1]["memory_bytes"] == (8 << 30) - 20480
    assert len({one["place"] for one in seen["points"]}) == 1


def test_the_gate_has_its_base_across_a_patch_and_says_what_changed(laboratory):
    weigh(laboratory)
    builds = Builds(laboratory, "gated-over-a-patch")
    before = [builds.run(facts=FACTS) for _ in range(2)]
    same = builds.gate(before[1])
    assert "the machine changed" not in same["message"]
    patched = builds.gate(builds.run(facts=PATCHED))
    assert patched["base_campaign_ids"] == before[::-1]
    assert (patched["exit_code"], patched["mismatches"]) == (0, [])
    assert (
        "Since the base was measured, the machine changed (kernel 6.18 → 6.18.2)"
        in (patched["message"])
    )
    later = builds.gate(builds.run(0.8, facts=PATCHED))
    assert later["exit_code"] == 1, "a loss is one over a patch, too"
    assert "Since 2 of 3 bases were measured" in later["message"]
    other = builds.gate(builds.run(facts=OTHER))
    assert other["verdict"] == "not_comparable"
    assert {one["field"] for one in other["mismatches"]} == {"machine.kernel"}


@pytest.fixture(scope="module")
def built(laboratory):
    """Campaigns of a main branch, of another, of a pull request, and of no commit."""
    builds = Builds(laboratory, "apart")

    def git(commit, **told):
        return {"git": {"commit": commit * 40, "default_branch": "trunk", **told}}

    ids = {
        "request": builds.run(0.5, git={"commit": "a" * 40, "pull_request": 7, "branch": "mine"}),
        "alone": course(laboratory, "apart")["points"],
        "main": builds.run(**git("b", branch="trunk")),
        "branch": builds.run(0.7, **git("c", branch="faster")),
        "nothing": builds.run(),
        "again": builds.run(0.5, git={"commit": "d" * 40, "pull_request": 7, "branch": "mine"}),
    }
    return builds, ids, course(laboratory, "apart")


def test_requests_and_branches_stand_apart_once_there_is_a_main_line(built):
    _, ids, seen = built
    assert [one["off_main_line"] for one in ids["alone"]] == [False], "there is no other line"
    apart = {one["campaign_id"]: one["off_main_line"] for one in seen["points"]}
    assert apart == {
        ids["request"]: True, ids["main"]: False, ids["branch"]: True, ids["nothing"]: False,
        ids["again"]: True,
    }  # fmt: skip
    last = next(one for one in seen["points"] if one["campaign_id"] == ids["nothing"])
    assert seen["last_value"] == last["value"]


def test_lists_show_the_course_of_the_main_line(built, laboratory):
    _, ids, seen = built
    values = {one["campaign_id"]: one["value"] for one in seen["points"]}
    (listed,) = (
        one
        for one in laboratory.get("/series", experiment_id=seen["experiment"]["id"])["items"]
        if one["id"] == seen["id"]
    )
    assert listed["course"] == [values[ids["main"]], values[ids["nothing"]]]


def test_series_are_found_by_a_campaign_that_they_have_a_point_of(built, laboratory):
    _, ids, seen = built
    experiment = seen["experiment"]["id"]
    all_of_it = laboratory.get("/series", experiment_id=experiment)["items"]
    assert laboratory.get("/series", campaign_id=ids["again"])["items"] == all_of_it
    assert laboratory.get("/series", campaign_id=experiment)["items"] == []


def test_a_campaign_without_a_branch_takes_no_requests_as_base(built):
    builds, ids, _ = built
    assert ids["request"] not in builds.gate(ids["nothing"])["base_campaign_ids"]
    assert ids["main"] in builds.gate(ids["nothing"])["base_campaign_ids"]


def test_what_an_experiment_names_as_base_is_its_main_branch(laboratory):
    builds = Builds(laboratory, "named-main")
    builds.document["gate"] = {"base": "branch:release"}
    for branch, commit in (("release", "a"), ("main", "b")):
        git = {"commit": commit * 40, "branch": branch, "default_branch": "main"}
        builds.run(git=git)
    seen = course(laboratory, "named-main")["points"]
    assert [one["off_main_line"] for one in seen] == [False, True]


def test_the_watch_learns_nothing_from_requests(laboratory):
    builds = Builds(laboratory, "watched-apart")
    for _ in range(9):
        builds.run()
    for number in range(1, 6):
        git = {"commit": f"{number}" * 40, "pull_request": number, "branch": "slow"}
        builds.run(0.6, git=git)
    series = UUID(course(laboratory, "watched-apart")["id"])
    laboratory.work(lambda services: services.get(WatchService).detect([series]))
    seen = course(laboratory, "watched-apart")
    assert [one["off_main_line"] for one in seen["points"]] == [False] * 9 + [True] * 5
    assert seen["change_points"] == []
    assert {one["segment"] for one in seen["points"]} == {0}
