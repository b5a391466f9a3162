"""What a term of a claim is worth: over printed figures, or over repeats. Pure.

Printed figures are intervals of rounding. Ours are the judge's: the 95 % interval of a median of
repeats; of a ratio, the interval of the ratio (paired by block where the two share blocks). What is
made of intervals (sums, spreads, orders of ratios) takes their ends, which is never too narrow.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from weighhouse_protocol.digits import number
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.published.figures import ALL

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.arithmetic.intervals import level_or_range
from weighhouse_judging.studies.language import (
    Cell,
    Difference,
    MaxOf,
    MinOf,
    Number,
    Quoted,
    Ratio,
    Spread,
    Sum,
    Term,
)
from weighhouse_judging.studies.printed import Printed
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.readings import Word, word_of
from weighhouse_judging.verdicts.sides import REPEATS_FOR_A_CLAIM, Judgement, judge

Key = tuple[str, str, str, str, str]
"""Side, workload, label of the load level, figure (`figure_key`), setting."""
Names = Mapping[str, str]
"""Names of sides, by how claims call them."""
NAMELESS: Names = MappingProxyType({})
_CLIENTS = re.compile(r"([\d,]+) clients?\b")


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


def _nothing_quoted(asked: Quoted) -> Worth:
    return Missing(f"{quoted_words(asked)}: none is quoted")


def _no_raw_data(cell: Cell) -> bool | Missing:
    return Missing(f"raw data of {cell_words(cell)}")


@dataclass(frozen=True)
class Figures:
    """Where values of cells come from."""

    of: Callable[[Cell], Worth]
    ratio: Callable[[Cell, Cell], Worth]
    ahead: Callable[[Cell, Cell], "Order | Missing"]
    """Is the first cell's figure greater than the second's?"""
    loads: Callable[[Cell], list[str]]
    """Labels of the loads that a cell without one has figures of, by clients, rising."""
    quoted: Callable[[Quoted], Worth] = _nothing_quoted
    """A property of the command line that stands beside a cell."""
    has_raw: Callable[[Cell], bool | Missing] = _no_raw_data
    """Is the raw data of a cell there?"""

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
            case Quoted():
                return self.quoted(term)
            case _:
                parts, made = _made_of(term)
                return _together([self.value(one) for one in parts], made)

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


def of_print(
    figures: Mapping[Key, Printed],
    names: Names = NAMELESS,
    quoted: Callable[[Quoted], Worth] = _nothing_quoted,
    has_raw: Callable[[Cell], bool | Missing] = _no_raw_data,
) -> Figures:
    """The printed figures of a text.

    :param names: of sides, for people.
    :param quoted: properties of the commands that it quotes.
    :param has_raw: whether the raw data of a cell is there.
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

    return Figures(of, ratio, ahead, lambda cell: _loads(figures, key_of(cell)), quoted, has_raw)


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

    return Figures(of, ratio, ahead, lambda cell: _loads(repeats, key_of(cell)))


def key_of(cell: Cell) -> Key:
    """The key of a cell that leaves nothing out."""
    figure = figure_key(cell.figure, cell.operation, cell.statistic)
    return (cell.side or "", cell.workload or "", cell.load or "", figure, cell.setting)


def figure_key(figure: str, operation: str = ALL, statistic: str = "") -> str:
    """A figure within a key: its name, and what sets it apart from others of that name."""
    told = [figure, "" if operation == ALL else operation, statistic]
    return " ".join(part for part in told if part)


def clients_of(load: str) -> int | None:
    """How many clients a load's label names: `32 clients`, `300 clients, pipeline 10`."""
    found = _CLIENTS.match(load)
    return int(found[1].replace(",", "")) if found else None


def _loads(figures: Mapping[Key, object], cell: Key) -> list[str]:
    found = {
        load: clients
        for side, workload, load, figure, setting in figures
        if (side, workload, figure, setting) == (*cell[:2], *cell[3:])
        and (clients := clients_of(load)) is not None
    }
    return sorted(found, key=lambda load: (found[load], load))


def cell_words(cell: Cell, names: Names = NAMELESS) -> str:
    """`Redis, balanced, 32 clients`."""
    return place_words(cell.side, cell.workload, cell.load, names)


def quoted_words(asked: Quoted, names: Names = NAMELESS) -> str:
    """`the command of Redis, balanced, 32 clients`."""
    return f"the command of {place_words(asked.side, asked.workload, asked.load, names)}"


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


def _made_of(
    term: Spread | Sum | Difference | MaxOf | MinOf,
) -> tuple[Sequence[Cell | Number], Callable[[list[Value]], Value]]:
    match term:
        case Spread():
            return term.spread, _spread
        case Sum():
            return term.sum, _sum
        case Difference():
            return term.difference, _difference
        case MaxOf():
            return term.max_of, _greatest
        case MinOf():
            return term.min_of, _least


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


def _difference(values: list[Value]) -> Value:
    one, other = values
    middle = one.middle - other.middle
    words = f"{number(one.middle)} - {number(other.middle)} = {number(middle)}"
    return Value(one.low - other.high, middle, one.high - other.low, words, _fewest(values))


def _greatest(values: list[Value]) -> Value:
    return _end(values, max, "the greatest of")


def _least(values: list[Value]) -> Value:
    return _end(values, min, "the least of")


def _end(values: list[Value], end: Callable[[list[float]], float], which: str) -> Value:
    middle = end([one.middle for one in values])
    words = f"{which} {', '.join(number(one.middle) for one in values)}"
    low, high = end([one.low for one in values]), end([one.high for one in values])
    return Value(low, middle, high, f"{words} = {number(middle)}", _fewest(values))
