"""In short, what is said of something shared where there is no room for its page. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_judging.studies.terms import figure_words, interval_words
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.text import numbered
from weighhouse_protocol.verdicts import verdict_words

from weighhouse_backend.alerts.schemas import SeriesRead
from weighhouse_backend.comparisons.schemas import ComparisonRead
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead

MOST_ROWS = 12
"""Of figures in a picture."""
MOST_POINTS = 60
FIGURE = "throughput"
"""Of a comparison, in a picture."""


@dataclass(frozen=True)
class Row:
    """One figure with its interval."""

    label: str
    value: float
    low: float
    high: float
    words: str


@dataclass(frozen=True)
class Summary:
    """What pictures, badges, embeds and search engines are given."""

    sentence: str
    caveats: tuple[CaveatRead, ...]
    figure: str
    """What `rows` or `course` are figures of."""
    rows: tuple[Row, ...] = ()
    """Of a comparison."""
    more_rows: int = 0
    """That are not among them."""
    course: tuple[Row, ...] = ()
    """Of a series, oldest first."""
    latest: str = ""
    """Of a series: its last figure with its unit."""
    verdict: str = ""
    """Of the last campaign as a whole, where it has one."""


def of_comparison(read: ComparisonRead) -> Summary:
    """Of a campaign or comparison."""
    labels = {side.key: side.label for side in read.sides}
    places: dict[str, list[Row]] = {}
    for cell in read.cells:
        found = cell.figures.get(FIGURE)
        if found is not None:
            place = f"{cell.workload}, {cell.load_level.label}"
            words = interval_words(found.median, found.low, found.high, FIGURE)
            label = f"{labels.get(cell.side, cell.side)}, {place}"
            rows = places.setdefault(place, [])
            rows.append(Row(label, found.median, found.low, found.high, words))
    shown = beside(list(places.values()))
    head = read.headline
    sure = f"How sure: {head.sure}" if head.sure else ""
    said = [head.sentence, *(f"{one}." for one in (sure, head.failed) if one)]
    return Summary(
        sentence=" ".join(said),
        caveats=tuple(read.caveats),
        figure=CATALOGUE[FIGURE].label,
        rows=shown,
        more_rows=sum(map(len, places.values())) - len(shown),
    )


def beside(places: Sequence[Sequence[Row]]) -> tuple[Row, ...]:
    """What there is room for: all sides of one place, then of the next; no place in part, but one
    that has more sides than there is room for.

    :param places: the figures of each, one a side.
    """
    shown: list[Row] = []
    for rows in places:
        if shown and len(shown) + len(rows) > MOST_ROWS:
            break
        shown += rows[:MOST_ROWS]
    return tuple(shown)


def of_report(title: str) -> Summary:
    """Of a report: its figures stand in it, each with what has to be known."""
    return Summary(f"{title}: a report, with its figures as they stand now.", (), "figures")


def of_series(read: SeriesRead, verdict: str | None) -> Summary:
    """Of a series.

    :param verdict: of the campaign of its last point.
    """
    course = [
        Row(f"campaign {numbered(one.campaign_number)}, {one.at:%Y-%m-%d}", one.value, one.low,
            one.high, interval_words(one.value, one.low, one.high, read.metric))
        for one in read.points
        if not one.off_main_line
    ][-MOST_POINTS:]  # fmt: skip
    what = f"{read.target_name}, {read.workload}, {read.load_level.label}"
    figure = CATALOGUE[read.metric].label
    said = "" if verdict is None else verdict_words(verdict)
    if not course:
        return Summary(f"{what}: {figure} has not been measured yet.", tuple(read.caveats), figure)
    last = course[-1]
    judged = f" That campaign as a whole: {said}." if said else ""
    return Summary(
        sentence=f"{what}: {figure} {last.words}, {last.label}.{judged}",
        caveats=tuple(read.caveats),
        figure=f"{figure}, {what}",
        course=tuple(course),
        latest=figure_words(last.value, read.metric),
        verdict=said,
    )
