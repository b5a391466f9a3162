"""Published sources held against themselves: rules find what is wrong, and leave what is not."""

import pytest
from weighhouse_judging.bench import papers
from weighhouse_judging.claims.check import check
from weighhouse_judging.studies.language import Claim, RawFile
from weighhouse_protocol.published.results import PublishedResults

LOOP = {"clients": 10, "pipeline": 1, "loop": "closed"}


def figure(name, printed, value, **more):
    return {"figure": name, "printed": printed, "value": value, "place": "table 1", **more}


def source(figures, **cell):
    told = {"side": "a", "workload": "w", "load": LOOP, "figures": figures, **cell}
    return PublishedResults.model_validate(
        {"source": {"title": "A text"}, "sides": [{"name": "a", "label": "A"}], "cells": [told]}
    )


def wrong(results, *more):
    return [one for one in check(results, *more) if one.kind == "contradiction"]


RATE = figure("throughput", "1,001 ops/s", 1001)
SOUND_AND_WRONG = {
    "closed-loop": ([RATE, figure("mean_us", "9.9 ms", 9900)],
                    [RATE, figure("mean_us", "11.2 ms", 11200)]),
    "percentile-order": ([figure("p50_us", "1.1 ms", 1100), figure("p99_us", "1.1 ms", 1100)],
                         [figure("p50_us", "1.4 ms", 1400), figure("p99_us", "1.1 ms", 1100)]),
    "interval-order": (
        [figure("p99_us", "1.0 ms", 1000, statistic="lowest_of_intervals"),
         figure("p99_us", "1.4 ms", 1400, statistic="averaged"),
         figure("p99_us", "1.5 ms", 1500, statistic="highest_of_intervals"),
         figure("p99_us", "0.5 ms", 500, statistic="range_of_intervals")],
        [figure("p99_us", "1.0 ms", 1000, statistic="lowest_of_intervals"),
         figure("p99_us", "1.5 ms", 1500, statistic="highest_of_intervals"),
         figure("p99_us", "0.8 ms", 800, statistic="range_of_intervals")]),
    "sum": ([figure("throughput", "3,003 ops/s", 3003),
             figure("throughput", "1,001 ops/s", 1001, operation="GET"),
             figure("throughput", "2,002 ops/s", 2002, operation="SET")],
            [figure("throughput", "1,502 ops/s", 1502),
             figure("throughput", "1,001 ops/s", 1001, operation="GET"),
             figure("throughput", "2,002 ops/s", 2002, operation="SET")]),
    "printed-twice": ([figure("mean_us", "250 µs", 250),
                       figure("mean_us", "0.2541 ms", 254.1, place="summary")],
                      [figure("mean_us", "251 µs", 251),
                       figure("mean_us", "0.2601 ms", 260.1, place="summary")]),
    "recomputed": ([figure("mean_us", "251 µs", 251, recomputed=251.4)],
                   [figure("mean_us", "251 µs", 251, recomputed=260.0)]),
}  # fmt: skip


@pytest.mark.parametrize("rule", SOUND_AND_WRONG)
def test_a_rule_finds_what_is_wrong_and_leaves_what_is_not(rule):
    right, false = SOUND_AND_WRONG[rule]
    told = check(source(right))
    assert {one.kind for one in told if one.rule == rule} == {"sound"}
    assert wrong(source(right)) == []
    found = [one for one in wrong(source(false)) if one.rule == rule]
    assert found, rule
    assert all(one.reason.endswith(".") and one.where.startswith("A, w") for one in found)


def test_the_mean_in_the_place_of_the_sum_is_named():
    _, false = SOUND_AND_WRONG["sum"]
    (found,) = wrong(source(false))
    assert "the mean of them and not the sum" in found.reason


def test_a_thousandth_that_fits_is_told_and_one_that_does_not_is_not():
    (found,) = wrong(source([RATE, figure("p99_us", "14,200 ms", 14.2e6)]))
    assert "plausible as µs in place of ms" in found.reason
    (found,) = wrong(source([RATE, figure("p99_us", "1,420 ms", 1.42e6)]))
    assert "plausible" not in found.reason


def test_a_loop_of_which_nobody_knows_is_not_judged():
    open_loop = {"clients": 10, "pipeline": 1}
    assert wrong(source(SOUND_AND_WRONG["closed-loop"][1], load=open_loop)) == []


def test_digits_that_are_cut_off_mislead_and_contradict_nothing():
    fine = figure("throughput", "8,975,121 ops/s", 8975121, place="summary")
    told = check(source([figure("throughput", "8.9 M ops/s", 8.9e6), fine]))
    assert [one.kind for one in told] == ["doubt"]


@pytest.mark.parametrize(
    ("command", "cell", "words"),
    [
        ("memtier_benchmark -t 2 -c 10", {}, "clients: 10 in the text, 20 by the command"),
        ("memtier_benchmark -t 1 -c 10 --pipeline 5", {}, "pipeline: 1 in the text, 5"),
        ("memtier_benchmark -t 1 -c 10 --test-time 30", {"seconds": 60}, "seconds: 60"),
        ("memtier_benchmark -t 1 -c 10 --ratio 0:1", {"workload": "write-only"}, "reads alone"),
    ],
)
def test_a_command_that_asks_for_something_else_is_found(command, cell, words):
    (found,) = wrong(source([RATE], command=command, **cell))
    assert found.rule == "command"
    assert words in found.reason
    assert wrong(source([RATE], command="memtier_benchmark -t 1 -c 10", seconds=60)) == []


def claim(test, **more):
    return Claim.model_validate(
        {"id": "one", "says": "So.", "place": "text", "tests": [test], **more}
    )


ASKED = {"side": "a", "workload": "w", "load": "10 clients"}


def test_a_claim_on_a_quoted_command():
    told = {"kind": "range", "of": {"quoted": "write_share", **ASKED}, "at_least": "100 %"}
    text = source([RATE], command="memtier_benchmark -t 1 -c 10 --ratio 0:1")
    (found,) = wrong(text, [claim(told)])
    assert "--ratio 0:1" in found.reason
    (held,) = check(source([RATE]), [claim(told)])
    assert held.kind == "not_checked"


def test_raw_data_that_is_promised_and_not_there():
    promise = claim({"kind": "raw_data", "of": ASKED})
    text = source([RATE])
    (unknown,) = [one for one in check(text, [promise]) if one.rule == "claim"]
    assert unknown.kind == "not_checked"
    line = {"at_seconds": 1, "throughput": 1000}
    other = source([], workload="", files=[{"name": "x/run.txt", "bytes": 1}], intervals=[line])
    (missing,) = wrong(text, [promise], [other])
    assert "is promised" in missing.reason
    named = RawFile(file="run.txt", side="a", workload="w", load="10 clients")
    assert wrong(text, [promise], [other], [named]) == []


def test_a_figure_that_rises_with_the_clients():
    cells = [{"side": "a", "workload": "w", "load": {**LOOP, "clients": clients},
              "figures": [figure("throughput", f"{rate:,} ops/s", rate)]}
             for clients, rate in ((1, 101), (8, 805), (2, 203))]  # fmt: skip
    told = {"source": {"title": "A text"}, "sides": [{"name": "a"}], "cells": cells}
    rises = claim({"kind": "monotone", "of": {"side": "a", "workload": "w"}})
    falls = claim({"kind": "monotone", "of": {"side": "a", "workload": "w"}, "direction": "falls"})
    text = PublishedResults.model_validate(told)
    assert wrong(text, [rises]) == []
    assert len(wrong(text, [falls])) == 1


def test_sound_texts_are_not_called_wrong_and_those_with_an_error_are():
    assert papers.sound_texts(12, seed=3).wrong == 0
    for kind in papers.ERRORS:
        assert papers.texts_with_an_error(4, kind, seed=3).wrong >= 3, kind
