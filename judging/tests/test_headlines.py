"""What a campaign came to: the words of its lead, and how much failed."""

import pytest
from weighhouse_judging.verdicts.headlines import Runs, headline, unreadable
from weighhouse_judging.verdicts.leads import lead

from .test_leads import SIDES, row

ALL = Runs(total=30, completed=30, failed=0, cancelled=0)


def told(cells, runs=ALL, *, sides=SIDES, barred=(), under_way=False):
    found = lead("throughput", sides, cells, barred)
    return headline({"closed": found}, sides, runs, under_way=under_way), found


def failing(failed, total=30, cancelled=0):
    return Runs(total, total - failed - cancelled, failed, cancelled)


@pytest.mark.parametrize(
    ("cells", "badge", "tone"),
    [
        (row("d>r>g", "d>r>g"), "Dragonfly leads", "told"),
        (row("r>g>d", "g>r>d"), "Redis or Garnet leads, by load", "told"),
        (
            [*row("r>g>d"), *row("g>r>d", workload="scans")],
            "Redis or Garnet leads, by workload",
            "told",
        ),
        (row("d~r~g", "d~r~g"), "Nobody leads", "open"),
        (row("d=r=g", "d=r=g"), "Nobody leads: no difference that matters", "told"),
        (row("d?r?g", repeats=2), "Nobody can be said to lead", "open"),
        ([], "Nothing to compare", "open"),
    ],
)
def test_a_badge_says_what_the_sentence_says(cells, badge, tone):
    said, found = told(cells)
    assert (said.badge, said.tone) == (badge, tone)
    assert (said.sentence, said.sure) == (found.sentence, found.sure)
    assert said.failed == ""


@pytest.mark.parametrize(
    ("runs", "badge", "failed", "tone"),
    [
        (failing(3), "Dragonfly leads", "3 of 30 runs failed", "told"),
        (failing(15), "Half failed: 15 of 30 runs", "Half failed: 15 of 30 runs", "bad"),
        (failing(16), "Most failed: 16 of 30 runs", "Most failed: 16 of 30 runs", "bad"),
        (failing(30), "All 30 runs failed", "All 30 runs failed", "bad"),
        (failing(1, 1), "The only run failed", "The only run failed", "bad"),
        (failing(0, cancelled=20), "Cut short: 10 of 30 runs", "", "caution"),
        (failing(0, cancelled=30), "Nothing measured", "", "open"),
    ],
)
def test_what_failed_is_said_and_before_a_leader_where_it_is_half(runs, badge, failed, tone):
    said, found = told(row("d>r>g", "d>r>g"), runs)
    assert (said.badge, said.failed, said.tone) == (badge, failed, tone)
    assert said.sentence == found.sentence


def test_of_a_campaign_under_way_it_is_so_far_and_of_the_runs_that_have_ended():
    under_way = Runs(total=30, completed=9, failed=1, cancelled=0)
    said, _ = told(row("d>r>g", "d>r>g"), under_way, under_way=True)
    assert (said.badge, said.so_far) == ("So far: Dragonfly leads", True)
    assert said.failed == "1 of 10 runs failed"
    said, _ = told(row("d~r~g"), under_way, under_way=True)
    assert said.badge == "So far: nobody leads"
    half = Runs(total=30, completed=2, failed=2, cancelled=0)
    assert told(row("d>r>g"), half, under_way=True)[0].badge == "So far: half failed: 2 of 4 runs"


def test_a_name_is_written_as_it_is():
    sides = {"d": "dragonfly-2", "g": "Garnet", "r": "Redis"}
    assert told(row("d>r>g"), sides=sides)[0].badge == "dragonfly-2 leads"


def test_a_name_with_its_settings_is_set_apart_from_what_is_said_of_it():
    sides = {"d": "Redis, appendonly no", "g": "Garnet", "r": "Redis, appendonly yes"}
    assert told(row("d>r>g"), sides=sides)[0].badge == "Redis, appendonly no, leads"
    by_load = told(row("r>d>g", "d>r>g"), sides=sides)[0].badge
    assert by_load == "Redis, appendonly yes, or Redis, appendonly no, leads, by load"


def test_one_side_alone_was_measured():
    said, _ = told(row("d", sides="d"), sides={"d": "Dragonfly"})
    assert (said.badge, said.tone) == ("Dragonfly measured", "open")
    assert said.sentence == "Dragonfly alone: there is no other side to compare it with."


def test_figures_that_cannot_be_true_come_first():
    said, found = told(row("d>r>g"), barred=["Throughput and latency contradict each other"])
    assert (said.badge, said.tone) == ("Not to be relied on", "bad")
    assert said.sentence == found.sentence


def test_of_two_kinds_of_load_both_are_told():
    closed = lead("throughput", SIDES, row("d>r>g"))
    opened = lead("p99_us", SIDES, row("r>d>g", higher=False))
    said = headline({"closed": closed, "open": opened}, SIDES, ALL, under_way=False)
    assert said.badge == "Dragonfly leads; Redis leads"
    assert said.sentence == f"Closed loop: {closed.sentence} Open loop: {opened.sentence}"
    assert said.sure == f"closed loop: {closed.sure}; open loop: {opened.sure}"
    alike = headline({"closed": closed, "open": closed}, SIDES, ALL, under_way=False)
    assert alike.badge == "Dragonfly leads"


def test_a_letter_has_all_of_it():
    said, found = told(row("d>r>g", "d>r>g"), failing(3))
    assert said.words == f"{found.sentence} How sure: {found.sure}. 3 of 30 runs failed."
    assert unreadable().words.startswith("What it asked for cannot be read")
