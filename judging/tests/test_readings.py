"""The sentence and the counting of readings: no word says more than the verdict does."""

import pytest
from weighhouse_judging.verdicts.readings import CellReading, ratio_in_words, read, word_of


def cells(*given):
    return [CellReading(*one) for one in given]


@pytest.mark.parametrize(
    ("verdict", "relative", "word"),
    [
        ("changed", 0.4, "more"),
        ("changed", -0.4, "less"),
        ("equivalent", 0.01, "as_much"),
        ("inconclusive", 3.0, "cannot_tell"),
        ("insufficient", 9.0, "too_few"),
    ],
)
def test_words_follow_the_verdict_alone(verdict, relative, word):
    assert word_of(verdict, relative) == word


def test_a_side_that_leads_everywhere_says_by_how_much_of_each_workload():
    reading = read(
        "throughput",
        "Redis",
        cells(
            ("balanced", "more", 2.38, 5), ("balanced", "more", 4.02, 5),
            ("read-heavy", "more", 7.1, 5), ("read-heavy", "more", 11.0, 5),
        ),
    )  # fmt: skip
    assert reading.sentence == (
        "does more operations than Redis in 4 of 4 cells: "
        "×2.4 to ×4.0 balanced, ×7.1 to ×11 read-heavy"
    )
    assert (reading.cells, reading.more, reading.missing) == (4, 4, 0)
    (balanced, heavy) = reading.ranges
    assert (balanced.workload, balanced.low_ratio, balanced.high_ratio) == ("balanced", 2.38, 4.02)
    assert heavy.cells == 2


def test_the_smaller_difference_stands_first_downwards_too():
    reading = read("throughput", "Redis", cells(("a", "less", 0.25, 5), ("a", "less", 0.5, 5)))
    assert reading.sentence == "does fewer operations than Redis in 2 of 2 cells: ÷2.0 to ÷4.0 a"


def test_what_cannot_be_told_is_said_and_nothing_else():
    reading = read("throughput", "Redis", cells(*[("balanced", "cannot_tell", 3.0, 5)] * 6))
    assert reading.sentence == "cannot be told from Redis in 6 of 6 cells"
    assert reading.ranges == ()


def test_cells_that_disagree_are_each_counted():
    reading = read(
        "throughput",
        "Redis",
        cells(
            ("a", "more", 2.0, 5), ("a", "less", 0.5, 5), ("a", "as_much", 1.0, 5),
            ("a", "cannot_tell", 1.2, 5), ("a", "too_few", 1.2, 3), ("a", None),
        ),
    )  # fmt: skip
    assert reading.sentence == (
        "does more operations than Redis in 1 of 6 cells: ×2.0 a; "
        "does fewer operations than it in 1 of 6: ÷2.0 a; "
        "does as many operations as it in 1 of 6; "
        "cannot be told from it in 1 of 6; "
        "too few repeats to tell in 1 of 6: 3 repeats; 5 would do; "
        "no figure to compare in 1 of 6"
    )
    counted = (
        reading.more, reading.less, reading.as_much, reading.cannot_tell, reading.too_few,
        reading.missing,
    )  # fmt: skip
    assert counted == (1,) * 6
    assert reading.cells == 6


def test_too_few_repeats_are_said_with_how_many_would_do():
    reading = read("throughput", "Redis", cells(*[("a", "too_few", 9.0, 3)] * 6))
    assert reading.sentence == "too few repeats to tell in 6 of 6 cells: 3 repeats; 5 would do"


@pytest.mark.parametrize(
    ("word", "ratio", "said"),
    [
        ("more", 1.2, "has a longer p99 latency than Redis in 1 of 1 cell: ×1.20 a"),
        ("less", 0.8, "has a shorter p99 latency than Redis in 1 of 1 cell: ÷1.25 a"),
        ("as_much", 1.0, "has as long a p99 latency as Redis in 1 of 1 cell"),
    ],
)
def test_latencies_are_longer_or_shorter_not_more(word, ratio, said):
    assert read("p99_us", "Redis", cells(("a", word, ratio, 5))).sentence == said


def test_without_cells_there_is_nothing_to_say():
    assert read("throughput", "Redis", []).sentence == "has no cell in common with Redis"


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (1.0, "×1.00"),
        (1.054, "×1.05"),
        (2.38, "×2.4"),
        (11.04, "×11"),
        (0.5, "÷2.0"),
        (0.02, "÷50"),
    ],
)
def test_ratios_have_two_figures_that_matter(ratio, words):
    assert ratio_in_words(ratio) == words
