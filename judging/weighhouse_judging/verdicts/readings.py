"""What a reader may take away of one side against another: counted cells and one sentence. Pure.

A word a difference, and one sentence a side. Between two products nothing "changed", so the words
say where the other side's figure stands: *more*, *less*, *as much*, *cannot tell*; and *too few*
where there are not repeats enough to claim anything. They follow from the judge's verdict alone: no
word says more than the verdict does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.verdicts.sides import REPEATS_FOR_A_CLAIM, Verdict

Word = Literal["more", "less", "as_much", "cannot_tell", "too_few"]

WHOLE_FROM = 10
"""Ratios from here on are given without decimals."""
FINE_BELOW = 1.5
"""Ratios below this are given with two decimals."""


@dataclass(frozen=True)
class CellReading:
    """One cell of the side that is read, as the judge left it."""

    workload: str
    word: Word | None
    """None: one of the two sides gave no figure."""
    ratio: float = 1.0
    """Other side : baseline, as the judge estimates it; 2.0 = twice as much."""
    repeats: int = 0
    """That took part, of the side that has fewer."""


@dataclass(frozen=True)
class Range:
    """Cells of one workload with one word, and the ratios they lie between."""

    workload: str
    word: Literal["more", "less"]
    cells: int
    low_ratio: float
    high_ratio: float
    """Other side : baseline."""


@dataclass(frozen=True)
class Reading:
    """A side against its baseline over the cells of one figure."""

    metric: str
    cells: int
    more: int
    less: int
    as_much: int
    cannot_tell: int
    too_few: int
    missing: int
    """Cells that one of the two sides gave no figure of."""
    ranges: tuple[Range, ...]
    """Of the cells that are told apart, by workload."""
    sentence: str
    """Without its subject: `does more operations than Redis in 6 of 6 cells: …`."""
    short: str
    """Beside others with the same baseline: `more in 8 of 12, ×1.6 to ×2.4; …`."""


def word_of(verdict: Verdict, relative: float) -> Word:
    """The word of a difference.

    :param relative: 0.05 = the other side's figure is 5 % more.
    """
    if verdict == "changed":
        return "more" if relative > 0 else "less"
    if verdict == "equivalent":
        return "as_much"
    return "too_few" if verdict == "insufficient" else "cannot_tell"


def read(metric: str, baseline: str, cells: Sequence[CellReading]) -> Reading:
    """Read a side against its baseline.

    :param metric: the name of a figure that sides are judged by, of which all cells are.
    :param baseline: its label.
    """
    count = {word: sum(cell.word == word for cell in cells) for word in _WORDS}
    ranges = tuple(_ranges(cells))
    return Reading(
        metric=metric,
        cells=len(cells),
        more=count["more"],
        less=count["less"],
        as_much=count["as_much"],
        cannot_tell=count["cannot_tell"],
        too_few=count["too_few"],
        missing=sum(cell.word is None for cell in cells),
        ranges=ranges,
        sentence=_sentence(metric, baseline, cells, ranges),
        short=_short(metric, cells),
    )


_WORDS: tuple[Word, ...] = ("more", "less", "as_much", "cannot_tell", "too_few")


def _ranges(cells: Sequence[CellReading]) -> Iterable[Range]:
    told: tuple[Literal["more", "less"], ...] = ("more", "less")
    for word in told:
        for workload in dict.fromkeys(cell.workload for cell in cells):
            ratios = [one.ratio for one in cells if (one.workload, one.word) == (workload, word)]
            if ratios:
                yield Range(workload, word, len(ratios), min(ratios), max(ratios))


def _sentence(
    metric: str, baseline: str, cells: Sequence[CellReading], ranges: Sequence[Range]
) -> str:
    if not cells:
        return f"has no cell in common with {baseline}"
    phrases = [*_phrases(metric), (None, "no figure to compare in {share}")]
    parts: list[str] = []
    for word, phrase in phrases:
        mine = [cell for cell in cells if cell.word == word]
        if not mine:
            continue
        cells_word = "" if parts else (" cell" if len(cells) == 1 else " cells")
        share = f"{len(mine)} of {len(cells)}{cells_word}"
        said = phrase.format(baseline="it" if parts else baseline, share=share)
        if word == "too_few":
            said += f": {_repeats(mine)}"
        parts.append(said + _ratios(ranges, word))
    return "; ".join(parts)


def _short(metric: str, cells: Sequence[CellReading]) -> str:
    latency = CATALOGUE[metric].unit == "µs"
    less = "fewer" if metric == "throughput" else "less"
    words: list[tuple[Word | None, str]] = [
        ("more", "longer" if latency else "more"),
        ("less", "shorter" if latency else less),
        ("as_much", "as long" if latency else "as much"),
        ("cannot_tell", "cannot tell"),
        ("too_few", "too few repeats"),
        (None, "no figure"),
    ]
    parts = []
    for word, said in words:
        mine = [cell.ratio for cell in cells if cell.word == word]
        if mine:
            told = word in {"more", "less"}
            between = _between(min(mine), max(mine), upwards=word == "more") if told else ""
            parts.append(f"{said} in {len(mine)} of {len(cells)}{between and f', {between}'}")
    return "; ".join(parts)


def _phrases(metric: str) -> list[tuple[Word | None, str]]:
    """A phrase a word, in the order they are said."""
    if metric == "throughput":
        more, less = "does more operations than {baseline}", "does fewer operations than {baseline}"
        same = "does as many operations as {baseline}"
    else:
        figure = CATALOGUE[metric].label
        if CATALOGUE[metric].unit == "µs":
            figure = figure.lower() if figure.startswith("Median") else figure
            more, less = f"has a longer {figure} than", f"has a shorter {figure} than"
            same = f"has as long a {figure} as"
        else:
            figure = figure.lower()
            more, less = f"has more {figure} than", f"has less {figure} than"
            same = f"has as much {figure} as"
        more, less, same = (f"{words} {{baseline}}" for words in (more, less, same))
    return [
        ("more", f"{more} in {{share}}"),
        ("less", f"{less} in {{share}}"),
        ("as_much", f"{same} in {{share}}"),
        ("cannot_tell", "cannot be told from {baseline} in {share}"),
        ("too_few", "too few repeats to tell in {share}"),
    ]


def _ratios(ranges: Sequence[Range], word: Word | None) -> str:
    mine = [one for one in ranges if one.word == word]
    told = [
        f"{_between(one.low_ratio, one.high_ratio, upwards=word == 'more')} {one.workload}"
        for one in mine
    ]
    return ": " + ", ".join(told) if mine else ""


def _between(low: float, high: float, *, upwards: bool) -> str:
    """The smaller difference first, whichever way it points."""
    near, far = map(ratio_in_words, (low, high) if upwards else (high, low))
    return near if near == far else f"{near} to {far}"


def ratio_in_words(value: float) -> str:
    """`×2.4`; below 1 as a division: `÷2.4`."""
    sign, size = ("×", value) if value >= 1 else ("÷", 1 / value)
    digits = 2 if size < FINE_BELOW else int(size < WHOLE_FROM)
    return f"{sign}{size:.{digits}f}"


def _repeats(cells: Sequence[CellReading]) -> str:
    fewest = min(cell.repeats for cell in cells)
    counted = "1 repeat" if fewest == 1 else f"{fewest} repeats"
    return f"{counted}; {REPEATS_FOR_A_CLAIM} would do"
