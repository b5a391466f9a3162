"""Claims on one line: what can be said, and what is refused with how to mend it."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighhouse_judging.claims.expressions import NotAnExpression, judge_claim, read_expression
from weighhouse_judging.claims.text import Text
from weighhouse_protocol.published.results import PublishedResults


def figures():
    cells = [
        {"side": side, "workload": "balanced", "load": {"clients": clients}, "figures": [
            {"figure": "throughput", "printed": f"{rate:,} ops/s", "value": rate},
            {"figure": "p99_us", "printed": f"{late} µs", "value": late},
        ]}
        for side, clients, rate, late in (
            ("redis", 1, 1001, 991), ("redis", 32, 10_403, 2003), ("keydb", 32, 9_001, 3003),
        )
    ]  # fmt: skip
    told = {"source": {"title": "A text"}, "sides": [{"name": "redis"}, {"name": "keydb"}]}
    return Text(PublishedResults.model_validate({**told, "cells": cells})).figures


HIGH, LOW, OTHER = ("[redis / balanced / 32 clients]", "[redis / balanced / 1 client]",
                    "[keydb / balanced / 32 clients]")  # fmt: skip
LATE = "[redis / balanced / 32 clients / p99_us]"
SAID = [
    (f"{HIGH} > {OTHER}", "holds"),
    (f"{HIGH} < {OTHER}", "fails"),
    (f"{HIGH} > {OTHER} > {LOW}", "holds"),
    (f"ratio({HIGH}, {LOW}) is 10 to 11 times", "holds"),
    (f"ratio({HIGH}, {LOW}) is about 9 times", "fails"),
    (f"{LATE} is below 3 ms", "holds"),
    (f"max_of({HIGH}, {OTHER}) = {HIGH}", "holds"),
    (f"spread({HIGH}, {OTHER}, {LOW}) is at most 11", "holds"),
    (f"sum({HIGH}, {OTHER}) = 19,404 within 1 %", "holds"),
    ("monotone([redis / balanced]) in clients", "holds"),
    ("monotone([redis / balanced], falls) in clients", "fails"),
    (f"near_linear({HIGH}, {LOW}, 32, 25 %)", "fails"),
    (f"maximum({HIGH}, {OTHER}, {LOW})", "holds"),
    (f"closed_loop({HIGH}, {LATE})", "holds"),
    ("[redis / balanced / 64 clients] is above 3", "missing"),
]


@pytest.mark.parametrize(("line", "truth"), SAID)
def test_what_a_line_says_is_held_against_figures(line, truth):
    found = judge_claim(line, figures(), of_print=True)
    assert found.truth == truth, found
    assert found.words


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("redis is fast", "is no cell"),
        (f"{HIGH}", "nothing is said of it"),
        (f"{HIGH} is fast", "no printed number"),
        (f"ratio({HIGH}) is 2 times", "two cells; 1"),
        (f"root({HIGH}) is 2 times", "no function of cells"),
        (f"{HIGH} > {OTHER} < {LOW}", "one way"),
        ("[ / balanced] > [redis]", "is no cell"),
        ("[redis / balanced / 1 client / p98] is below 1 ms", "not known"),
        ("[redis] " * 101 + "> 1", "at most"),
    ],
)
def test_a_line_that_says_nothing_is_refused_with_what_would_be_right(line, message):
    with pytest.raises(NotAnExpression, match=message):
        read_expression(line)


@given(st.text(alphabet="[]()/,#=<>is 0123abc%", max_size=120))
def test_no_line_breaks_it(line):
    with suppress(NotAnExpression):
        assert judge_claim(line, figures()).words
