"""A series, and a published study, as sources of a report. Pure."""

from collections.abc import Sequence

from weighhouse_protocol.digits import number
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.text import numbered

from weighhouse_backend.alerts.schemas import ChangePointRead, SeriesRead
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.reports.claims import Judge, of_a_study
from weighhouse_backend.reports.items import (
    Chart,
    Item,
    Line,
    Note,
    Panel,
    Point,
    Table,
    Texts,
    Words,
)
from weighhouse_backend.reports.quantities import figure_words, interval_words
from weighhouse_backend.reports.shelves import Offer, Shelf, ids_of, note_id, notes_of
from weighhouse_backend.studies.schemas import StudyFigureRead, StudyRead

MOST_POINTS = 60
MOST_ROWS = 12
PAID = "Paid for by"
CHANGED = {"step": "shifted", "drift": "drifted", "spread": "spread another way", "moved": "moved"}


def series_shelf(read: SeriesRead, stamps: tuple[str, ...]) -> Shelf:
    """The course of a cell over campaigns; without commits, branches and digests of machines."""
    figure = CATALOGUE[read.metric]
    label = f"{figure.label} of {read.target_name}, {read.workload}, {read.load_level.label}"
    notes = ids_of(read.caveats)
    course = [one for one in read.points if not one.off_main_line]

    def words(value: float, low: float, high: float) -> str:
        return interval_words(value, low, high, read.metric)

    def latest(_: Sequence[str]) -> Item:
        if not course:
            return Words(words="not measured yet", notes=notes)
        last = course[-1]
        return Words(words=words(last.value, last.low, last.high), notes=notes)

    def chart(_: Sequence[str]) -> Item:
        shown = course[-MOST_POINTS:]
        points = tuple(
            Point(at=at, value=one.value, low=one.low, high=one.high,
                  words=f"{words(one.value, one.low, one.high)}, campaign "
                        f"{numbered(one.campaign_number)}")
            for at, one in enumerate(shown)
        )  # fmt: skip
        line = Line(label=read.target_name, colour="#0b5fa5", mark="●", points=points)
        places = tuple(f"{one.at:%Y-%m-%d}" for one in shown)
        panel = Panel(title=f"{read.workload}, {read.load_level.label}", lines=(line,))
        return Chart(caption=label, unit=figure.unit, places=places,
                     panels=(panel,) if points else (), notes=notes)  # fmt: skip

    def table(_: Sequence[str]) -> Item:
        rows = tuple(
            (f"{one.at:%Y-%m-%d}", numbered(one.campaign_number),
             words(one.value, one.low, one.high))
            for one in reversed(course[-MOST_ROWS:])
        )  # fmt: skip
        return Table(caption=f"{label}: the last campaigns, newest first",
                     columns=("Of", "Campaign", figure.label), rows=rows, notes=notes)  # fmt: skip

    def shifts(_: Sequence[str]) -> Item:
        found = [one for one in read.change_points if one.status == "confirmed"]
        said = tuple((f"{one.at:%Y-%m-%d}", _shift(one, read.metric)) for one in found)
        return Texts(texts=said or (("", "Nothing shifted, as far as can be told."),), notes=notes)

    return Shelf(
        label=label,
        gives={"latest": latest, "chart": chart, "table": table, "shifts": shifts},
        offers=(
            Offer("latest", (), f"Latest figure: {label}"),
            Offer("chart", (), f"Chart: {label}"),
            Offer("table", (), f"Table: {label}"),
            Offer("shifts", (), f"Where it shifted: {label}"),
        ),
        notes=notes_of(read.caveats),
        stamps=stamps,
    )


def _shift(one: ChangePointRead, metric: str) -> str:
    how = CHANGED[one.kind]
    if one.kind == "spread":
        return (
            f"It {how}: {number(100 * one.before)} % to {number(100 * one.after)} % of the level."
        )
    return (
        f"It {how} from {figure_words(one.before, metric)} to {figure_words(one.after, metric)} "
        f"(×{number(1 + one.relative)})."
    )


def study_shelf(read: StudyRead, stamps: tuple[str, ...], judge: Judge) -> Shelf:
    """A published study beside what was measured here.

    :param judge: holds a claim against what it prints, and what was measured of it.
    """
    caveats: list[CaveatRead] = [one for each in read.campaigns for one in each.caveats]
    known = notes_of(caveats) | _of_the_source(read)
    notes = tuple(known)

    def answer(_: Sequence[str]) -> Item:
        left = [(f"{one.label} was not measured here", one.because)
                for one in read.sides if not one.measured]  # fmt: skip
        return Texts(texts=(("", read.answer), *left), notes=notes)

    def asks(_: Sequence[str]) -> Item:
        source = read.source
        said = [("What it asks", read.asks)]
        if source is not None:
            said += [("Source", source.title), (PAID, source.sponsor)]
        said += [(one.what, one.why) for one in read.otherwise]
        return Texts(texts=tuple(said))

    def claims(_: Sequence[str]) -> Item:
        rows = tuple((one.says, one.words, one.sentence) for one in read.claims)
        return Table(caption="Claims, and what may be said of them here",
                     columns=("Claim", "Verdict", "Why"), rows=rows, notes=notes)  # fmt: skip

    def figures(_: Sequence[str]) -> Item:
        rows = tuple(
            (one.side, f"{one.workload}, {one.load}", CATALOGUE[one.figure].label,
             one.printed or "not printed", _ours(one))
            for one in read.figures
        )  # fmt: skip
        return Table(caption="Each figure of the text, and what was measured here",
                     columns=("Side", "Workload, load", "Figure", "Printed", "Measured here"),
                     rows=rows, notes=notes)  # fmt: skip

    def claim(line: str) -> Item:
        return of_a_study(line, judge, {one.name: one.label for one in read.sides}, notes)

    return Shelf(
        label=read.title,
        claim=claim,
        gives={"answer": answer, "asks": asks, "claims": claims, "figures": figures},
        offers=(
            Offer("answer", (), "How many of its claims hold here"),
            Offer("asks", (), "What the study asks, and what is done otherwise here"),
            Offer("claims", (), "Table: claim by claim"),
            Offer("figures", (), "Table: printed figures beside ours"),
        ),
        notes=known,
        stamps=stamps,
    )


def _of_the_source(read: StudyRead) -> dict[str, Note]:
    """What has to be known of whoever published it."""
    if read.source is None:
        return {}
    title, text = f"{PAID}: {read.source.sponsor}", read.source.disclaimer
    return {note_id(title, text): Note(title=title, text=text, severity="caution")}


def _ours(one: StudyFigureRead) -> str:
    if one.ours is None:
        return "not measured"
    return interval_words(one.ours.median, one.ours.low, one.ours.high, one.figure)
