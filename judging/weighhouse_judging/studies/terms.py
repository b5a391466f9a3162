"""What a term of a claim is worth: over printed figures, or over repeats. Pure.

Printed figures are intervals of rounding. Ours are the judge's: the 95 % interval of a median of
repeats; of a ratio, the interval of the ratio (paired by block where the two share blocks). What is
made of intervals (sums, spreads, orders of ratios) takes their ends, which is never too narrow.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.arithmetic.digits import number
from weighhouse_judging.arithmetic.intervals import level_or_range
from weighhouse_judging.studies.documents import Cell, Number, Ratio, Spread, Sum, Term
from weighhouse_judging.studies.printed import Printed
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.readings import Word, word_of
from weighhouse_judging.verdicts.sides import REPEATS_FOR_A_CLAIM, Judgement, judge

Key = tuple[str, str, str, str, str]
"""Side, workload, label of the load level, figure, setting."""
Names = Mapping[str, str]
"""Names of sides, by how claims call them."""
NAMELESS: Names = MappingProxyType({})


@dataclass(frozen=True)
class Value:
    """What a term is worth."""

    low: float
    middle: float
    high: float
    words: str
    """How it came about: `17,158 / 1,656 = 10.4`."""
    repeats: int | None = None
    """The fewest that it rests on; None: it is printed."""

    @property
    def too_few(self) -> bool:
        """Does it rest on fewer repeats than a claim takes?"""
        return self.repeats is not None and self.repeats < REPEATS_FOR_A_CLAIM


@dataclass(frozen=True)
class Missing:
    """There is nothing to say what a term is worth."""

    what: str
    """The cell: `dragonfly, balanced, 32 clients`."""


Worth = Value | Missing
Order = Word


@dataclass(frozen=True)
class Figures:
    """Where values of cells come from."""

    of: Callable[[Cell], Worth]
    ratio: Callable[[Cell, Cell], Worth]
    ahead: Callable[[Cell, Cell], "Order | Missing"]
    """Is the first cell's figure greater than the second's?"""

    def value(self, term: Term) -> Worth:
        """What a term is worth."""
        match term:
            case Number():
                read = term.read
                return Value(read.low, read.value, read.high, f"{number(read.value)} ({term.what})")
            case Cell():
                return self.of(term)
            case Ratio():
                return self.ratio(*term.ratio)
            case Spread():
                return _together([self.of(one) for one in term.spread], _spread)
            case Sum():
                return _together([self.value(one) for one in term.sum], _sum)

    def order(self, first: Term, second: Term) -> Order | Missing:
        """Is the first greater than the second?"""
        if isinstance(first, Cell) and isinstance(second, Cell):
            return self.ahead(first, second)
        one, other = self.value(first), self.value(second)
        if isinstance(one, Missing):
            return one
        if isinstance(other, Missing):
            return other
        return ordered(one, other)


def ordered(one: Value, other: Value) -> Order:
    """Where one value stands to another, as far as their intervals tell."""
    if one.low > other.high:
        return "too_few" if one.too_few or other.too_few else "more"
    if one.high < other.low:
        return "too_few" if one.too_few or other.too_few else "less"
    if one.low == one.high == other.low == other.high:
        return "as_much"
    return "too_few" if one.too_few or other.too_few else "cannot_tell"


def of_print(figures: Mapping[Key, Printed], names: Names = NAMELESS) -> Figures:
    """The printed figures of a text.

    :param names: of sides, for people.
    """

    def of(cell: Cell) -> Worth:
        found = figures.get(key_of(cell))
        if found is None:
            return Missing(cell_words(cell, names))
        return Value(found.low, found.value, found.high, figure_words(found.value, cell.figure))

    def ratio(first: Cell, second: Cell) -> Worth:
        one, other = of(first), of(second)
        if isinstance(one, Missing):
            return one
        if isinstance(other, Missing):
            return other
        if min(one.low, other.low) <= 0:
            return Missing(f"{cell_words(second, names)} rounds to nothing")
        middle = one.middle / other.middle
        return Value(
            one.low / other.high,
            middle,
            one.high / other.low,
            f"{one.words} / {other.words} = {number(middle)}",
        )

    def ahead(first: Cell, second: Cell) -> Order | Missing:
        found = ratio(first, second)
        return found if isinstance(found, Missing) else ordered(found, Value(1, 1, 1, "1"))

    return Figures(of, ratio, ahead)


def of_repeats(repeats: Mapping[Key, Repeats], names: Names = NAMELESS) -> Figures:
    """The repeats of our runs; settings of the text are no settings of ours.

    :param names: of sides, for people.
    """

    def found(cell: Cell) -> Repeats:
        return repeats.get((*key_of(cell)[:4], ""), {})

    def of(cell: Cell) -> Worth:
        values = list(found(cell).values())
        if not values:
            return Missing(cell_words(cell, names))
        bounds = level_or_range(values)
        middle = statistics.median(values)
        words = interval_words(middle, bounds.low, bounds.high, cell.figure)
        return Value(bounds.low, middle, bounds.high, words, len(values))

    def judged(first: Cell, second: Cell) -> Judgement | Missing:
        one, other = found(first), found(second)
        if not one or not other:
            return Missing(cell_words(second if one else first, names))
        said = judge(CATALOGUE[first.figure], other, one)
        return said or Missing(f"{cell_words(first, names)}: a figure that is not above 0")

    def ratio(first: Cell, second: Cell) -> Worth:
        said = judged(first, second)
        if isinstance(said, Missing):
            return said
        low = said.range_low if said.low is None else said.low
        high = said.range_high if said.high is None else said.high
        words = f"×{number(1 + said.relative)} ({number(1 + low)} to {number(1 + high)})"
        fewest = min(said.repeats, said.baseline_repeats)
        return Value(1 + low, 1 + said.relative, 1 + high, words, fewest)

    def ahead(first: Cell, second: Cell) -> Order | Missing:
        said = judged(first, second)
        return said if isinstance(said, Missing) else word_of(said.verdict, said.relative)

    return Figures(of, ratio, ahead)


def key_of(cell: Cell) -> Key:
    """The key of a cell that leaves nothing out."""
    return (cell.side or "", cell.workload or "", cell.load or "", cell.figure, cell.setting)


def cell_words(cell: Cell, names: Names = NAMELESS) -> str:
    """`Redis, balanced, 32 clients`."""
    return place_words(cell.side, cell.workload, cell.load, names)


def place_words(
    side: str | None, workload: str | None, load: str | None, names: Names = NAMELESS
) -> str:
    """Where a figure stands, as far as it is said; a side by the name that people know."""
    named = None if side is None else names.get(side, side)
    return ", ".join(part for part in (named, workload, load) if part)


def figure_words(value: float, figure: str) -> str:
    """A figure with its unit: `17,158/s`, `436,000 µs`."""
    unit = CATALOGUE[figure].unit
    return f"{number(value)}/s" if unit == "1/s" else f"{number(value)} {unit}"


def interval_words(middle: float, low: float, high: float, figure: str) -> str:
    """`17,158/s (16,900 to 17,400)`."""
    return f"{figure_words(middle, figure)} ({number(low)} to {number(high)})"


def _together(worths: list[Worth], made: Callable[[list[Value]], Value]) -> Worth:
    values = []
    for one in worths:
        if isinstance(one, Missing):
            return one
        values.append(one)
    return made(values)


def _fewest(values: list[Value]) -> int | None:
    return min((one.repeats for one in values if one.repeats is not None), default=None)


def _spread(values: list[Value]) -> Value:
    greatest, least = max(one.middle for one in values), min(one.middle for one in values)
    low = max(one.low for one in values) / min(one.high for one in values)
    return Value(
        max(1.0, low),
        greatest / least,
        max(one.high for one in values) / min(one.low for one in values),
        f"{number(greatest)} / {number(least)} = {number(greatest / least)}",
        _fewest(values),
    )


def _sum(values: list[Value]) -> Value:
    middle = sum(one.middle for one in values)
    words = " + ".join(number(one.middle) for one in values)
    return Value(
        sum(one.low for one in values),
        middle,
        sum(one.high for one in values),
        f"{words} = {number(middle)}",
        _fewest(values),
    )
