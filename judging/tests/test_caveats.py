"""The one list of caveats: each thing once, the gravest first, counted over runs."""

from dataclasses import replace

from weighhouse_judging.caveats.caveat import MOST_EVIDENCE, shortened
from weighhouse_judging.caveats.caveat_list import Beside, OfRun, Said, Undecided, caveats
from weighhouse_judging.fairness.sheet import AspectRow
from weighhouse_judging.findings.checks import (
    COMPARABILITY,
    MOST_WORDS,
    REPEATS,
    STEADY_STATE,
)

SIDES = ("c~redis", "c~rocksdb")


def of_run(run, side=SIDES[0], check="co-located", severity="caution", message="Shared."):
    title = "Driver shares the machine"
    return OfRun(run, side, check, severity, title, message, "rule", "/docs/x")


def row(aspect="durability", *, confounder=True, favours=()):
    return AspectRow(
        aspect, aspect.capitalize(), ("a", "b"), not confounder, confounder, "Why.", (),
        "may_explain" if confounder else "same", favours,
    )  # fmt: skip


def test_long_titles_are_cut_at_eight_words():
    assert shortened("one two three") == "one two three"
    assert shortened("1 2 3 4 5 6 7 8, 9") == "1 2 3 4 5 6 7 8…"


def test_a_check_over_ninety_runs_is_one_caveat():
    found = [of_run(run, SIDES[run % 2]) for run in range(90)]
    (one,) = caveats(Beside(SIDES, runs=90, found=found))
    assert (one.id, one.severity, one.short) == (
        "check:co-located", "caution", "Driver shares the machine",
    )  # fmt: skip
    assert len(one.runs) == one.runs_of == 90
    assert one.sides == (), "of all sides"
    assert one.text == "Shared."
    assert [(each.side, each.run) for each in one.evidence] == [
        (SIDES[0], 0), (SIDES[1], 1), (None, None),
    ], "the same words once a side, then the rule"  # fmt: skip


def test_two_outcomes_of_one_check_are_two_caveats_and_neither_has_the_others_text():
    texts = {1: "Unsteady: two stretches.", 2: "Not assessable: 5 intervals."}
    found = [
        OfRun(run, SIDES[0], "steady-state", severity, STEADY_STATE.title_of(texts[run]),
              texts[run], "rule", "/docs/x")
        for run, severity in ((1, "caution"), (2, "info"))
    ]  # fmt: skip
    listed = caveats(Beside(SIDES, runs=2, found=found))
    assert [(one.id, one.short, one.text, one.runs) for one in listed] == [
        ("check:steady-state", "Not in a steady state", texts[1], (1,)),
        (
            "check:steady-state:steady-state-not-assessable",
            "Steady state not assessable",
            texts[2],
            (2,),
        ),
    ]


def test_a_check_of_one_side_names_it_and_gives_an_example():
    found = [of_run(1, message="51 %."), of_run(2, message="49 %.")]
    (one,) = caveats(Beside(SIDES, runs=90, found=found))
    assert one.sides == (SIDES[0],)
    assert one.text == "For example: 51 %."
    assert len(one.runs) == 2


def test_the_same_words_of_many_runs_are_as_each_of_them_alone():
    alone = [of_run(run, message=f"{run % 3} %") for run in range(30)]
    others = [tuple(range(first + 3, 30, 3)) for first in range(3)]
    together = [replace(of_run(k, message=f"{k} %"), others=others[k]) for k in range(3)]
    counted = [replace(one, others=one.others[:2], unnamed=7) for one in together]
    (one,), (same,), (few,) = (
        caveats(Beside(SIDES, 30, found=found)) for found in (alone, together, counted)
    )
    assert sorted(same.runs) == sorted(one.runs)
    assert (few.runs_count, len(few.runs)) == (30, 9)
    assert replace(few, runs=()) == replace(same, runs=()) == replace(one, runs=())


def test_evidence_is_bounded_and_runs_are_not():
    found = [of_run(run, message=f"{run} %") for run in range(200)]
    (one,) = caveats(Beside(SIDES, runs=200, found=found))
    assert len(one.evidence) == MOST_EVIDENCE + 1
    assert len(one.runs) == 200


def test_the_gravest_stand_first_and_impossible_figures_bar():
    listed = caveats(
        Beside(
            SIDES,
            runs=4,
            said=[Said("a-note", "note", "A note", "."), Said("a-bar", "bar", "A bar", ".")],
            found=[of_run(1), of_run(2, check="littles-law", severity="error")],
            rows=[row()],
            completeness=0.89,
        )
    )
    assert [(one.severity, one.id) for one in listed] == [
        ("bar", "check:littles-law"),
        ("bar", "statement:a-bar"),
        ("caution", "confounder:conditions"),
        ("caution", "check:co-located"),
        ("note", "statement:a-note"),
        ("note", "disclosure:completeness"),
    ]
    assert listed[-1].short == "People disclosed 89\u2009%"


def test_a_statement_of_two_sides_is_said_once():
    said = [Said("one", "note", "One", ".", sides=(side,)) for side in SIDES]
    (one,) = caveats(Beside(SIDES, runs=1, said=said))
    assert one.sides == ()
    (alone,) = caveats(Beside(SIDES, runs=1, said=said[:1]))
    assert alone.sides == (SIDES[0],)


def test_conditions_are_one_caveat_with_their_likely_direction():
    beside = Beside(
        SIDES,
        runs=1,
        rows=[row(favours=(1,)), row("memory"), row("nodes", confounder=False)],
        labels={SIDES[0]: "Redis", SIDES[1]: "RocksDB"},
        of_comparison=[COMPARABILITY.found("caution", "2 aspects …", {})],
    )
    (one,) = caveats(beside)
    assert one.short == "2 of 3 conditions differ"
    assert [each.text for each in one.evidence] == [
        "Durability: Redis: a; RocksDB: b. Likely favours RocksDB. Why.",
        "Memory: Redis: a; RocksDB: b. Why.",
    ]


def test_too_few_repeats_are_statistics():
    finding = REPEATS.found("caution", "6 of 6 …", {"cells": 6, "cells_short": 6})
    (one,) = caveats(Beside(SIDES, runs=18, of_comparison=[finding]))
    assert (one.kind, one.short) == ("statistics", "Too few repeats in 6 of 6 cells")
    assert len(one.short.split()) <= MOST_WORDS


def test_what_cannot_be_told_says_how_many_repeats_could_decide():
    undecided = [
        Undecided(SIDES[1], "balanced, 8 clients", 0.67, 7),
        Undecided(SIDES[1], "balanced, 1 client", 1.0, 1000),
    ]
    beside = Beside(SIDES, runs=90, undecided=undecided, judged=6, tests=84)
    (one,) = caveats(beside)
    assert one.short == "2 of 6 differences cannot be told"
    assert one.text == (
        "The nearest to being told, balanced, 8 clients: p 0.67 after correction for 84 tests; "
        "7 more repeats a side could decide."
    )
    assert one.sides == (SIDES[1],)
    assert "more repeats than anybody will make" in one.evidence[1].text


def test_nothing_to_say_is_an_empty_list():
    assert caveats(Beside(SIDES, runs=90)) == []
