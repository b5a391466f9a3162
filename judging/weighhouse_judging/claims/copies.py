"""Where a figure that is wrong may come from: a neighbour's, or one that is wrong itself. Pure."""

from collections.abc import Callable, Sequence

from weighhouse_judging.claims.text import Stated
from weighhouse_judging.studies.terms import Names, figure_words

Holds = Callable[[Stated], bool | None]
"""Is a figure that of its data? None: nobody knows."""


def explained(wrong: Stated, others: Sequence[Stated], holds: Holds, names: Names) -> str:
    """A sentence that begins with a space, or nothing.

    :param others: the figures of the source.
    """
    return _follows(wrong, others, holds) or _copied(wrong, others, holds, names)


def _copied(wrong: Stated, others: Sequence[Stated], holds: Holds, names: Names) -> str:
    equal = [
        one
        for one in others
        if one is not wrong
        and (one.figure.figure, one.figure.statistic)
        == (wrong.figure.figure, wrong.figure.statistic)
        and one.read.value == wrong.read.value
        and one.key != wrong.key
        and holds(one) is not False
    ]
    # The row of the same side first: a hand that slips stays in its column.
    equal.sort(key=lambda one: (one.cell.side != wrong.cell.side, one.place != wrong.place))
    return f" It equals {equal[0].words(names)}: likely a copy." if equal else ""


def _follows(wrong: Stated, others: Sequence[Stated], holds: Holds) -> str:
    if wrong.figure.statistic != "range_of_intervals":
        return ""
    ends = {
        one.figure.statistic: one
        for one in others
        if one.cell is wrong.cell
        and (one.figure.figure, one.figure.operation)
        == (wrong.figure.figure, wrong.figure.operation)
    }
    high, low = ends.get("highest_of_intervals"), ends.get("lowest_of_intervals")
    if high is None or low is None or holds(low) is not False:
        return ""
    difference = high.read.value - low.read.value
    if abs(difference - wrong.read.value) > high.step + low.step:
        return ""
    said = f"{high.said} - {low.said} = {figure_words(difference, wrong.figure.figure)}"
    return f" It follows from the lowest, which is wrong itself: {said}."
