"""Counts of one verdict are of one whole: never `1 of 2 cells` beside `1 of 4 cells`."""

import itertools
import re

from weighhouse_judging.verdicts.leads import lead

from .test_leads import SIDES, row

ORDERS = ("d>r>g", "r>d>g", "g~d~r", "d=r=g", "d?r?g", "d>r")
COUNT = re.compile(r"\d+ of (\d+)")
SAYS_WHICH = re.compile(r"\d+ of its \d+")


def wholes(text):
    """The wholes that a text counts of, without those that it says are parts."""
    return {int(whole) for whole in COUNT.findall(SAYS_WHICH.sub("", text))}


def test_a_verdict_counts_cells_of_the_whole_comparison():
    split = set()
    for orders in itertools.product(ORDERS, repeat=4):
        cells = [*row(*orders[:2]), *row(*orders[2:], workload="scans")]
        found = lead("throughput", SIDES, cells)
        texts = [found.sentence, found.sure, *(one.words for one in found.standings)]
        assert set().union(*map(wholes, texts)) <= {len(cells)}, texts
        split |= {found.sentence} if found.kind == "by_workload" else set()
    assert any("(1 of its 2 cells)" in sentence for sentence in split)
