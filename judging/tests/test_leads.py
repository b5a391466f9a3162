"""Who leads: the sentence says no more than the verdicts, and where the lead changes."""

import itertools
from dataclasses import replace

import pytest
from weighhouse_judging.verdicts.lead_cells import LeadCell, Pair
from weighhouse_judging.verdicts.leads import lead, lead_of_targets

SIDES = {"d": "Dragonfly", "g": "Garnet", "r": "Redis"}
LOADS = ((1, "1 client"), (4, "4 clients"), (8, "8 clients"), (16, "16 clients"))


def cell(order, workload="balanced", load=LOADS[0], *, sides="dgr", repeats=5, higher=True):
    """A cell whose sides stand as `order` says: `d>r~g` = d is better than both others, which
    cannot be told apart; `=` differ by less than matters; `?` too few repeats.
    """
    names = [each for each in order if each.isalpha()]
    marks = [each for each in order if not each.isalpha()]
    pairs = []
    for (at, first), (to, second) in itertools.combinations(list(enumerate(names)), 2):
        between = set(marks[at:to])
        if ">" in between:
            pairs.append(Pair(first, second, "less" if higher else "more", 0.5 if higher else 2.0))
        else:
            word = {"~": "cannot_tell", "=": "as_much", "?": "too_few"}[min(between)]
            pairs.append(Pair(first, second, word))
    value, label = load
    present = {side: repeats if side in names else 0 for side in sides}
    return LeadCell(workload, label, value, present, pairs)


def row(*orders, workload="balanced", **more):
    """Cells of one workload, the lightest load first."""
    return [cell(order, workload, load, **more) for order, load in zip(orders, LOADS, strict=False)]


def said(cells, metric="throughput", sides=SIDES, barred=()):
    return lead(metric, sides, cells, barred)


def test_one_that_leads_everywhere():
    found = said(row("d>r>g", "d>r>g"))
    assert found.sentence == "Dragonfly leads: most throughput in both cells."
    assert found.sure == (
        "beyond doubt in both cells (1 workload × 2 loads), from 5 repeats a side; "
        "by ×2.0 over the next"
    )
    assert (found.kind, found.leaders, found.decided) == ("leads", ("d",), 2)


def test_who_is_ahead_of_the_leader_is_said_with_the_load():
    found = said(
        [
            *row("r>d>g", "d>r>g", "d>r>g", "d>r>g"),
            *row("d>r>g", "d>r>g", "d>r>g", "d>r>g", workload="scans"),
        ]
    )
    assert found.sentence == (
        "Dragonfly leads: most throughput in 7 of 8 cells, behind Redis at balanced, 1 client."
    )
    everywhere = said(
        [
            *row("r>d>g", "d>r>g", "d>r>g", "d>r>g", workload="a"),
            *row("r>d>g", "d>r>g", "d>r>g", "d>r>g", workload="b"),
            *row("d>r>g", "d>r>g", "d>r>g", "d>r>g", workload="c"),
        ]
    )
    assert everywhere.sentence.endswith("in 10 of 12 cells, behind Redis in 2 cells.")


def test_a_lead_that_changes_with_the_load_is_told_by_the_load():
    found = said(row("r>d>g", "r>d>g", "d>g>r", "d>g>r"))
    assert found.kind == "by_load"
    assert found.leaders == ("r", "d")
    assert found.sentence == (
        "Redis leads up to 4 clients: most throughput in 2 of 4 cells; "
        "from 8 clients on Dragonfly leads."
    )


def test_the_greater_part_of_the_loads_is_told_first():
    found = said(row("r>d>g", "d>g>r", "d>g>r", "d>g>r"))
    assert found.sentence == (
        "Dragonfly leads from 4 clients on: most throughput in 3 of 4 cells; "
        "at 1 client Redis leads."
    )


def test_a_load_that_nobody_leads_between_two_that_somebody_does():
    found = said(row("r>d>g", "r>d>g", "d~r>g", "d>g>r"))
    assert found.sentence == (
        "Redis leads up to 4 clients: most throughput in 2 of 4 cells; "
        "at 8 clients nobody leads; at 16 clients Dragonfly leads."
    )
    assert "loads; Dragonfly or Redis at balanced, 8 clients is open)" in found.sure


def test_a_load_that_is_decided_in_half_belongs_to_who_leads_it():
    found = said(
        [
            *row("r>d>g", "r>d>g", "d>g>r", "d>g>r"),
            *row("r>d>g", "r~d>g", "d>g>r", "d>g>r", workload="scans"),
        ]
    )
    assert found.sentence == (
        "Dragonfly leads from 8 clients on: most throughput in 4 of 8 cells; "
        "up to 4 clients Redis leads."
    )
    assert "(2 workloads × 4 loads; Dragonfly or Redis at scans, 4 clients is open)" in found.sure


def test_a_lead_that_changes_with_the_workload_is_told_by_the_workload():
    found = said(
        [
            *row("r>d>g", "r>d>g", "r>d>g", "r~d>g"),
            *row("d>g>r", "d>g>r", "d>g>r", "d>g>r", workload="scans"),
        ]
    )
    assert found.kind == "by_workload"
    assert found.sentence == (
        "The lead is split by workload: Redis leads balanced (3 of its 4 cells), "
        "Dragonfly scans (4 of its 4)."
    )


def test_leads_without_an_order_are_counted_and_nobody_leads():
    found = said(
        [
            *row("r>d>g", "d>r>g", "r>d>g", "d>r>g"),
            *row("g>d>r", "r>d>g", "d>r>g", "d~r>g", workload="scans"),
        ]
    )
    assert found.kind == "nobody"
    assert found.leaders == ()
    assert found.sentence == (
        "Nobody leads overall: Redis has most throughput in 3 of 8 cells, Dragonfly in 3, "
        "Garnet in 1."
    )


def test_names_with_a_comma_are_told_apart():
    three = {"d": "Dragonfly", "r": "Redis, appendfsync always", "g": "Redis, appendfsync no"}
    found = said([*row("r>d>g", "d>r>g"), *row("g>d>r", "d~r>g", workload="scans")], sides=three)
    assert found.sentence == (
        "Nobody leads overall: Redis, appendfsync always, has most throughput in 1 of 4 cells; "
        "Dragonfly in 1; Redis, appendfsync no, in 1."
    )


def test_what_a_side_is_set_to_is_no_part_of_what_is_said_of_it():
    """`Redis, appendfsync no leads` would read as: no leads."""
    three = {"d": "Dragonfly", "r": "Redis, appendfsync always", "g": "Redis, appendfsync no"}
    leads = said(row("g>d>r", "g>d>r"), sides=three).sentence
    assert leads == "Redis, appendfsync no, leads: most throughput in both cells."
    by_load = said(row("r>g>d", "g>r>d"), sides=three).sentence
    assert "Redis, appendfsync no, leads" in by_load
    assert "Redis, appendfsync always, leads" in by_load
    split = said([*row("r>g>d"), *row("g>r>d", workload="scans")], sides=three).sentence
    assert "Redis, appendfsync always, leads balanced" in split
    assert "Redis, appendfsync no, scans" in split


def test_a_lead_takes_being_better_than_every_other_side():
    found = said(row("d~r>g", "d~r>g"))
    assert found.kind == "nobody"
    assert found.sentence == (
        "Nobody leads: no side has beyond doubt the most throughput in any of 2 cells; "
        "Dragonfly and Redis are never behind."
    )
    assert (
        found.sure
        == "nothing beyond doubt (1 workload × 2 loads; 2 are open), from 5 repeats a side"
    )
    assert [(one.side, one.words) for one in found.standings] == [
        ("d", "1st to 2nd"),
        ("r", "1st to 2nd"),
        ("g", "3rd"),
    ]


def test_medians_without_a_verdict_lead_nowhere():
    far = [LeadCell("a", "1 client", 1, {"d": 5, "r": 5}, [Pair("d", "r", "cannot_tell", 0.1)])]
    two = {"d": "Dragonfly", "r": "Redis"}
    assert said(far, sides=two).sentence == (
        "Nobody leads: Dragonfly and Redis cannot be told apart by throughput, in the only cell."
    )


def test_two_sides_that_differ_by_less_than_matters():
    two = {"d": "Dragonfly", "r": "Redis"}
    found = said(row("d=r", "d=r"), sides=two)
    assert found.sentence == (
        "Nobody leads: Dragonfly and Redis differ by less than matters in throughput, "
        "in both cells."
    )
    assert found.level == 2
    mixed = said(row("d=r", "d~r"), sides=two)
    assert mixed.sentence.endswith(
        "cannot be told apart by throughput in 1 of 2 cells, and differ by less than matters in 1."
    )


@pytest.mark.parametrize(
    ("metric", "sentence"),
    [
        ("p99_us", "Dragonfly leads: shortest p99 latency in both cells."),
        ("p50_us", "Dragonfly leads: shortest median latency in both cells."),
        ("memory_after_bytes", "Dragonfly leads: least memory after the run in both cells."),
    ],
)
def test_of_latency_and_memory_less_leads(metric, sentence):
    found = said(row("d>r>g", "d>r>g", higher=False), metric)
    assert found.sentence == sentence
    assert "by ÷2.0 over the next" in found.sure


def test_too_few_repeats_say_how_many_would_do():
    found = said(row("d?r?g", "d?r?g", repeats=3))
    assert found.kind == "too_few"
    assert found.sentence == (
        "Nobody can be said to lead: 3 repeats a side are too few to tell; 5 would do."
    )


def test_cells_without_two_figures_are_not_compared_and_said():
    found = said(row("d>r>g", "d>g", "d"))
    assert found.sentence == (
        "Dragonfly leads: most throughput in 2 of 3 cells; in 1 of 3 cells a side has no figure."
    )
    assert found.sure == (
        "beyond doubt in 2 of 3 cells (1 workload × 3 loads; 1 not compared), "
        "from 5 repeats a side; "
        "by ×2.0 over the next"
    )
    assert found.missing == 1


def test_a_side_without_any_figure_stands_last():
    found = said(row("d>r", "d>r"))
    assert [(one.side, one.words) for one in found.standings] == [
        ("d", "1st in both cells"),
        ("r", "2nd"),
        ("g", "no figure"),
    ]


def test_nothing_to_compare():
    elsewhere = [*row("d"), *row("g", workload="scans")]
    for cells, sides, sentence in (
        ([], SIDES, "Nothing was measured."),
        (elsewhere, SIDES, "Nothing can be compared: no cell has figures of two sides."),
        (
            row("d", "d"),
            SIDES,
            "Only Dragonfly has figures: there is nothing to compare them with.",
        ),
        (
            row("d", "d"),
            {"d": "Dragonfly"},
            "Dragonfly alone: there is no other side to compare it with.",
        ),
    ):
        found = said(cells, sides=sides)
        assert found.kind == "nothing"
        assert found.sentence == sentence
        assert found.sure == ""


def test_hidden_sides_have_no_part():
    found = said(row("g>d>r", "g>d>r"), sides={"d": "Dragonfly", "r": "Redis"})
    assert found.sentence == "Dragonfly leads: most throughput in both cells."


def test_what_bars_the_figures_stands_before_the_claim():
    found = said(row("d>r>g", "d>r>g"), barred=["Records came back wrong, 2 of 9 runs", "Other"])
    assert found.sentence == (
        "Not to be relied on (Records came back wrong, 2 of 9 runs and 1 more). "
        "By these figures alone: Dragonfly leads: most throughput in both cells."
    )
    assert found.barred_by == ("Records came back wrong, 2 of 9 runs", "Other")


def test_who_leads_most_stands_first_then_who_is_ahead_of_more():
    found = said(row("r>d>g", "d>g>r", "d>g>r", "d>g>r"))
    assert [(one.side, one.words) for one in found.standings] == [
        ("d", "1st in 3 of 4 cells"),
        ("r", "1st in 1 of 4 cells"),
        ("g", "2nd to 3rd"),
    ]


def test_loads_are_ordered_by_their_value_whatever_order_they_come_in():
    found = said(list(reversed(row("r>d>g", "r>d>g", "d>g>r", "d>g>r"))))
    assert "up to 4 clients" in found.sentence
    assert "from 8 clients on" in found.sentence


def test_repeats_that_vary_are_said_from_to():
    cells = [cell("d>r>g"), cell("d>r>g", load=LOADS[1], repeats=7)]
    assert "from 5 to 7 repeats a side" in said(cells).sure


def test_a_narrow_lead_is_called_narrow():
    pair = Pair("d", "r", "less", 1 / 1.04)
    one = LeadCell("a", "1 client", 1, {"d": 5, "r": 5}, [pair])
    assert said([one], sides={"d": "D", "r": "R"}).sure == (
        "beyond doubt in the only cell, from 5 repeats a side; narrowly, by ×1.04 over the other"
    )


def test_targets_against_themselves_are_counted_and_none_leads():
    labels = {"a1": "A № 1", "a2": "A № 2", "b1": "B № 1", "b2": "B № 2"}
    pairs = [Pair("a1", "a2", "more", 1.2), Pair("b1", "b2", "cannot_tell", 1.0)]
    cells = [LeadCell("a", "1 client", 1, dict.fromkeys(labels, 5), pairs)]
    found = lead_of_targets("throughput", labels, cells, [("a1", "a2"), ("b1", "b2")])
    assert found.sentence == (
        "Of 2 targets, 1 has more throughput than in the base (A № 2) "
        "and 1 cannot be told from before."
    )
    assert found.sure == "1 of 2 differences decided; 5 repeats a side"
    assert found.kind == "by_target"
    alike = [replace(cells[0], pairs=[pairs[0], Pair("b1", "b2", "as_much", 1.0)])]
    assert lead_of_targets("p99_us", labels, alike, [("a1", "a2"), ("b1", "b2")]).sentence == (
        "Of 2 targets, 1 has a longer p99 latency than in the base (A № 2) "
        "and 1 has as long a p99 latency as in the base (B № 2)."
    )
    still = lead_of_targets("p99_us", labels, cells[:0], [("a1", "a2"), ("b1", "b2")])
    assert still.kind == "nothing"
