"""The figures of a published source, so that rules and claims find them. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.published.cells import PublishedCell, PublishedLoad
from weighhouse_protocol.published.figures import ALL, PublishedFigure, PublishedStatistic
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_judging.claims.commands import QuotedCommand, read_command
from weighhouse_judging.studies import terms
from weighhouse_judging.studies.language import Cell, Quoted
from weighhouse_judging.studies.printed import Printed, printed
from weighhouse_judging.studies.terms import Figures, Key, Missing, Names, Value

PLAIN: frozenset[PublishedStatistic] = frozenset(
    {"counted", "merged", "read", "sampled", "unknown"}
)
"""Statistics of a whole run, or such as nobody said anything else of."""
OF_INTERVALS: frozenset[PublishedStatistic] = frozenset(
    {"averaged", "highest_of_intervals", "lowest_of_intervals", "range_of_intervals"}
)
STATISTIC_WORDS: Mapping[str, str] = {
    "averaged": "mean of intervals",
    "highest_of_intervals": "highest interval",
    "lowest_of_intervals": "lowest interval",
    "range_of_intervals": "peak to trough",
    "one_connection": "of one connection",
}
_DIGITS = re.compile(r"\d(?:[\d,'\u2009\u202f\u00a0]*\d)?(?:\.\d+)?")


@dataclass(frozen=True)
class Stated:
    """A figure of a source, with what it may have been rounded from."""

    cell: PublishedCell
    figure: PublishedFigure
    read: Printed

    @property
    def key(self) -> Key:
        """Where claims find it, whatever its statistic."""
        figure = terms.figure_key(self.figure.figure, self.figure.operation)
        return (self.cell.side, self.cell.workload, label_of(self.cell.load), figure,
                self.figure.setting)  # fmt: skip

    @property
    def place(self) -> str:
        """Where it stands."""
        return self.figure.place

    @property
    def step(self) -> float:
        """A step of its last printed digit, in the platform's unit; 0: it is not printed."""
        return self.read.high - self.read.low

    def words(self, names: Names) -> str:
        """`Redis, balanced, 32 clients: READ p99 latency, mean of intervals`."""
        found = CATALOGUE.find(self.figure.figure)
        name = found.label if found else self.figure.figure
        operation = "" if self.figure.operation == ALL else f"{self.figure.operation} "
        how = STATISTIC_WORDS.get(self.figure.statistic, "")
        where = terms.place_words(
            self.cell.side, self.cell.workload, label_of(self.cell.load), names
        )
        setting = f", {self.figure.setting}" if self.figure.setting else ""
        return f"{where}{setting}: {operation}{name}{', ' if how else ''}{how}"

    @property
    def said(self) -> str:
        """As it is printed."""
        return self.figure.printed or terms.figure_words(self.read.value, self.figure.figure)


@dataclass(frozen=True)
class Text:
    """A source: its figures, and how its sides are called."""

    results: PublishedResults
    raw: Sequence[PublishedResults] = ()
    """What was read from files of its raw data, its cells named as the source names them."""
    names: Names = field(default_factory=dict)

    @cached_property
    def stated(self) -> list[Stated]:
        """Every figure that is a number, in the source's order."""
        return [
            Stated(cell, figure, found)
            for cell in self.results.cells
            for figure in cell.figures
            if (found := read_figure(figure)) is not None
        ]

    @cached_property
    def printed(self) -> Mapping[Key, Printed]:
        """By key; of what is printed in several places, the one with the most digits."""
        found: dict[Key, Printed] = {}
        for one in self.stated:
            for key in _keys(one):
                if key not in found or _width(one.read) < _width(found[key]):
                    found[key] = one.read
        return found

    @cached_property
    def commands(self) -> Mapping[int, QuotedCommand]:
        """What the quoted command lines ask for, by the number of the cell."""
        return {
            at: found
            for at, cell in enumerate(self.results.cells)
            if cell.command and (found := read_command(cell.command)) is not None
        }

    @cached_property
    def figures(self) -> Figures:
        """The same for claims."""
        return terms.of_print(self.printed, self.names, self._quoted, self._has_raw)

    def cells(self, asked: Cell | Quoted) -> Iterator[tuple[int, PublishedCell]]:
        """Cells that are meant, with their numbers."""
        for at, cell in enumerate(self.results.cells):
            if _meant(cell, asked):
                yield at, cell

    def _quoted(self, asked: Quoted) -> Value | Missing:
        for at, _ in self.cells(asked):
            command = self.commands.get(at)
            value = None if command is None else getattr(command, asked.quoted)
            if command is not None and value is not None:
                how = command.words_of(asked.quoted)
                words = f"{value:,.10g} ({asked.quoted.replace('_', ' ')} of its command"
                return Value(value, value, value, f"{words}{': ' if how else ''}{how})")
        return Missing(f"{terms.quoted_words(asked, self.names)}: it says no {asked.quoted}")

    def _has_raw(self, asked: Cell) -> bool | Missing:
        given = [*(cell for one in self.raw for cell in one.cells)]
        recomputed = [
            one for one in self.stated if one.figure.recomputed is not None
        ]  # somebody had the data
        if not given and not recomputed:
            return Missing(f"raw data of {terms.cell_words(asked, self.names)}: no file was given")
        held = [*given, *(one.cell for one in recomputed)]
        return any(_meant(cell, asked) for cell in held)


def label_of(load: PublishedLoad) -> str:
    """A load as claims name it: `32 clients`, `300 clients, pipeline 10`; else its own label."""
    if load.clients is None:
        return load.label
    clients = f"{load.clients} client{'' if load.clients == 1 else 's'}"
    return f"{clients}, pipeline {load.pipeline}" if (load.pipeline or 1) > 1 else clients


def read_figure(figure: PublishedFigure) -> Printed | None:
    """A figure's value, and what it was rounded from; None where it is no number.

    Bounds that the document gives count; without them those of its printed digits do. Noughts at
    the end of a whole number may be rounding, and count as such: `53,600` is 53,550 to 53,650.
    """
    if figure.value is None:
        return None
    if figure.low is not None and figure.high is not None:
        return Printed(figure.value, figure.low, figure.high)
    if figure.printed and CATALOGUE.find(figure.figure) is not None:
        found = _printed(figure)
        if found is not None and found.low <= figure.value <= found.high:
            wider = 10.0 ** _noughts(figure.printed)
            below, above = found.value - found.low, found.high - found.value
            return Printed(found.value, found.value - wider * below, found.value + wider * above)
    return _by_digits(figure) or Printed(figure.value, figure.value, figure.value)


def _printed(figure: PublishedFigure) -> Printed | None:
    try:
        return printed(figure.printed, figure.figure)
    except ValueError:
        return None


def _by_digits(figure: PublishedFigure) -> Printed | None:
    """By the digits of a number whose unit is not known here: its value is in the document."""
    found = _DIGITS.search(figure.printed)
    if found is None or not figure.value:
        return None
    digits = re.sub(r"[^\d.]", "", found[0])
    decimals = len(digits.partition(".")[2])
    shown = float(digits)
    if shown == 0:
        return None
    half = 0.5 * 10.0 ** (_noughts(figure.printed) - decimals) * abs(figure.value) / shown
    return Printed(figure.value, figure.value - half, figure.value + half)


def _noughts(text: str) -> int:
    """How many a whole number ends with."""
    found = _DIGITS.search(text)
    if found is None or "." in found[0]:
        return 0
    digits = re.sub(r"\D", "", found[0])
    return len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0


def _keys(one: Stated) -> Iterator[Key]:
    cell, figure = one.cell, one.figure
    statistics = [figure.statistic, *([""] if figure.statistic in PLAIN else [])]
    for load in dict.fromkeys((label_of(cell.load), cell.load.label)):
        for statistic in statistics:
            name = terms.figure_key(figure.figure, figure.operation, statistic)
            yield (cell.side, cell.workload, load, name, figure.setting)


def _width(read: Printed) -> float:
    return (read.high - read.low) / abs(read.value) if read.value else 0.0


def _meant(cell: PublishedCell, asked: Cell | Quoted) -> bool:
    if asked.side not in {None, cell.side} or asked.workload not in {None, cell.workload}:
        return False
    if asked.setting and all(one.setting != asked.setting for one in cell.figures):
        return False
    return asked.load in {None, cell.load.label, label_of(cell.load)}
