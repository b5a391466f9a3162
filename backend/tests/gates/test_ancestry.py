"""Campaigns stand in the order of their commits, whenever they were measured; a pull request is
held against what it began at."""

import datetime
import random
from uuid import UUID

import pytest
from weighhouse_backend.alerts.watch import WatchService

from backend.tests.gates.test_bases import Builds
from backend.tests.results.sides import weigh

BEGUN = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
STEP = 8
"""The commit, from 0, that made it slower."""


@pytest.fixture(scope="module", autouse=True)
def weighed(laboratory):
    """How much campaigns differ is known here."""
    weigh(laboratory)


def name(number, branch="a"):
    return f"{branch}{number:x}".ljust(40, "0")


def told(commit, parents, days=0.0):
    at = BEGUN + datetime.timedelta(days=days)
    return {"commit": commit, "committed_at": at.isoformat(), "parents": parents}


def line(last, branch="a", days=1.0):
    """A commit of a line and all before it, the latest first, `days` between two."""
    return [
        told(name(at, branch), [name(at - 1, branch)] if at else [], at * days)
        for at in range(last, -1, -1)
    ]


def of(number, branch="main", **changes):
    return {"git": {"commit": name(number), "branch": branch, "history": line(number), **changes}}


def course(laboratory, slug):
    """The throughput of an experiment, in order."""
    experiment = laboratory.get(f"/experiments/{slug}")["id"]
    [series] = laboratory.get("/series", experiment_id=experiment, metric="throughput")["items"]
    return laboratory.get(f"/series/{series['id']}")


@pytest.mark.parametrize(
    ("clock", "days"), [("forth", 1.0), ("still", 0.0), ("back", -1.0)], ids=str
)
def test_twelve_commits_in_any_order_stand_in_that_of_their_ancestry(laboratory, clock, days):
    branch = {"forth": "1", "still": "2", "back": "3"}[clock]
    builds = Builds(laboratory, f"shuffled-{clock}")
    order = random.Random(11).sample(range(12), 12)
    assert order != sorted(order)
    campaigns = {
        number: builds.run(
            0.8 if number >= STEP else 1.0,
            git={"commit": name(number, branch), "history": line(number, branch, days)},
        )
        for number in order
    }
    series = UUID(course(laboratory, builds.document["slug"])["id"])
    laboratory.work(lambda services: services.get(WatchService).detect([series]))
    seen = course(laboratory, builds.document["slug"])
    assert [one["campaign_id"] for one in seen["points"]] == [campaigns[at] for at in range(12)]
    places = [one["at"] for one in seen["points"]]
    assert places == sorted(set(places))
    [change] = [one for one in seen["change_points"] if one["status"] == "confirmed"]
    assert change["campaign_id"] == campaigns[STEP]
    assert change["at"] == places[STEP]


def test_without_histories_the_times_of_commits_are_the_order(laboratory):
    builds = Builds(laboratory, "by-time")
    days = {0: 3, 1: 1, 2: 2}
    ids = [
        builds.run(git={"commit": name(at, "4"), "committed_at": told("", [], day)["committed_at"]})
        for at, day in days.items()
    ]
    last = builds.run()
    seen = [one["campaign_id"] for one in course(laboratory, "by-time")["points"]]
    assert seen == [ids[1], ids[2], ids[0], last]


def test_a_backfilled_commit_is_compared_with_what_was_before_it(laboratory):
    builds = Builds(laboratory, "backfilled")
    first, slow = builds.run(**of(0)), builds.run(0.8, **of(5))
    assert builds.gate(slow)["base_campaign_ids"] == [first]
    between = builds.run(**of(3))
    gate = builds.gate(between)
    assert (gate["exit_code"], gate["base_campaign_ids"]) == (0, [first])
    after = builds.gate(builds.run(**of(4)))
    assert after["base_campaign_ids"] == [between, first]


def pull_request(number=9, **changes):
    head = name(1, "b")
    return {
        "git": {
            "commit": head,
            "branch": "faster",
            "pull_request": number,
            "history": [told(head, [name(3)], 9.0), *line(3)],
            **changes,
        }
    }


def test_a_pull_request_from_an_old_parent_is_compared_with_it(laboratory):
    builds = Builds(laboratory, "from-an-old-parent")
    ids = [builds.run(1.0 if at < STEP else 1.3, **of(at)) for at in range(12)]
    mine = builds.run(**pull_request(merge_base=name(3)))
    shown = laboratory.get(f"/campaigns/{mine}")
    assert (shown["base"], shown["git"]["merge_base"]) == ("merge-base", name(3))
    gate = builds.gate(mine)
    assert (gate["exit_code"], gate["base_campaign_ids"]) == (0, [ids[3]]), gate["message"]
    assert gate["anchor_campaign_id"] is None
    number = laboratory.get(f"/campaigns/{ids[3]}")["number"]
    assert (
        f"The base is the merge base, commit {name(3)[:10]} (campaign № {number})."
        in (gate["message"])
    )
    assert builds.gate(mine, base="branch:main")["exit_code"] == 1, "main is quicker by now"

    again = builds.run(0.4, **pull_request(merge_base=name(3)))
    assert builds.gate(again)["base_campaign_ids"] == [ids[3]], "its own campaigns are none"
    assert builds.gate(again)["exit_code"] == 1
    asked = builds.run(**pull_request(merge_base=name(3)), base="pooled")
    assert laboratory.get(f"/campaigns/{asked}")["base"] == "pooled"


def test_of_a_merge_base_that_was_not_measured_the_nearest_ancestor_is_the_base(laboratory):
    builds = Builds(laboratory, "nearest")
    first, second = builds.run(**of(0)), builds.run(0.8, **of(1))
    assert builds.gate(second)["verdict"] == "regression"
    for changes, words in (
        ({"merge_base": name(3)}, f"2 commits before the merge base {name(3)[:10]}"),
        ({}, "3 commits before this one"),
    ):
        gate = builds.gate(builds.run(0.8, **pull_request(**changes)))
        assert gate["base_campaign_ids"] == [second], "what was lost before is not its own"
        assert (gate["exit_code"], words in gate["message"]) == (0, True), gate["message"]
    assert first


def test_two_lines_that_met_are_counted_as_git_counts_them(laboratory):
    builds = Builds(laboratory, "merged")
    side = [told(name(at, "c"), [name(at - 1, "c") if at else name(0)], 1 + at) for at in range(3)]
    merged = told("d" * 40, [name(2), name(2, "c")], 8.0)
    builds.run(**of(0))
    base = builds.run(**of(2))
    git = {"commit": "e" * 40, "branch": "mine", "merge_base": "d" * 40}
    git["history"] = [told("e" * 40, ["d" * 40], 9.0), merged, *side, *line(2)]
    gate = builds.gate(builds.run(git=git | {"pull_request": 3}))
    assert gate["base_campaign_ids"] == [base]
    assert "4 commits before the merge base" in gate["message"], "the merge, and three of the side"


def test_where_no_history_is_known_it_is_said(laboratory):
    builds = Builds(laboratory, "shallow")
    builds.run(**of(0))
    head = name(1, "5")
    cut = [{**told(head, None), "parents": None}]
    mine = builds.run(**pull_request(commit=head, history=cut))
    assert laboratory.get(f"/campaigns/{mine}")["base"] == "pooled", "as it was"
    gate = builds.gate(mine, base="merge-base")
    assert (gate["verdict"], gate["exit_code"]) == ("no_baseline", 2)
    assert "fetch-depth: 0" in gate["message"]
    none = builds.gate(builds.run(), base="merge-base")
    assert "no commit is known" in none["message"]


def test_a_history_that_is_learned_later_moves_what_was_measured_before(laboratory):
    builds = Builds(laboratory, "later")
    late, early = name(2, "f"), name(1, "f")
    made = {"committed_at": told("", [], 1.0)["committed_at"]}
    second = builds.run(git={"commit": late, **made})
    first = builds.run(git={"commit": early, "committed_at": told("", [], 5.0)["committed_at"]})
    before = [one["campaign_id"] for one in course(laboratory, "later")["points"]]
    assert before == [second, first], "by their times"
    history = [told(name(3, "f"), [late], 6.0), told(late, [early], 1.0), told(early, [], 5.0)]
    third = builds.run(git={"commit": name(3, "f"), "history": history})
    after = [one["campaign_id"] for one in course(laboratory, "later")["points"]]
    assert after == [first, second, third]


def test_a_commit_of_the_future_is_of_the_moment_it_is_heard_of(laboratory):
    builds = Builds(laboratory, "future")
    first = builds.run(git={"commit": name(1, "9"), "committed_at": "2099-01-01T00:00:00Z"})
    second = builds.run()
    seen = [one["campaign_id"] for one in course(laboratory, "future")["points"]]
    assert seen == [first, second]


@pytest.mark.parametrize(
    ("git", "words"),
    [
        ({"history": [told(name(1), [name(2)]), told(name(2), [name(1)])]}, "each other's"),
        ({"history": line(200)}, "200"),
        ({"history": [told(name(1), [name(at, "c") for at in range(33)])]}, "32"),
        ({"history": [{"commit": name(1), "committed_at": "2026-03-01T12:00:00"}]}, "timezone"),
        ({"history": [{"commit": "; rm", "committed_at": BEGUN.isoformat()}]}, "pattern"),
        ({"merge_base": "main"}, "pattern"),
    ],
)
def test_what_is_no_history_is_refused(laboratory, git, words):
    builds = Builds(laboratory, "refused-histories")
    builds.run()
    answer = laboratory.client.post(
        "/api/v1/campaigns",
        json={"experiment": "refused-histories", "git": {"commit": name(1), **git}},
        headers=laboratory.headers,
    )
    assert answer.status_code == 422
    assert words in answer.text, answer.text
