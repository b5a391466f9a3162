"""A comparison as a source of a report. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from weighhouse_judging.studies.terms import Key
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_protocol.digits import number
from weighhouse_protocol.figures import CATALOGUE, Figure
from weighhouse_protocol.text import numbered

from weighhouse_backend.comparisons.estimate_schemas import FigureRead
from weighhouse_backend.comparisons.schemas import (
    ComparedCellRead,
    ComparisonRead,
    DifferenceRead,
    SideRead,
)
from weighhouse_backend.findings.schemas import RunFinding
from weighhouse_backend.reports.claims import ClaimSides, claim_name
from weighhouse_backend.reports.items import (
    Chart,
    Item,
    Line,
    Panel,
    Point,
    Table,
    Texts,
    Withdrawn,
    Words,
)
from weighhouse_backend.reports.quantities import figure_words, interval_words
from weighhouse_backend.reports.shelves import CLAIM, Give, Offer, Shelf, ids_of, notes_of
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.studies.service import repeats_of

READS = {"more": "more", "less": "less", "as_much": "as much", "cannot_tell": "cannot tell",
         "too_few": "too few repeats"}  # fmt: skip
MOST_OFFERED = 600
"""Figures of single cells."""
NAMED_FIRST = (*(one.name for one in CATALOGUE.as_read[:3]), "memory_after_bytes")


@dataclass(frozen=True)
class Compared:
    """Sides beside each other, as reports refer to them."""

    read: ComparisonRead
    label: str
    refused: Mapping[str, str]
    """Targets that may not be shown, and why."""
    stamps: tuple[str, ...]
    runs: Mapping[str, Sequence[RunFigures]]
    """Of the sides, by key."""
    untrue: Sequence[RunFinding]
    """What checks found of figures that cannot be true."""

    def shelf(self) -> Shelf:
        """What can be referred to."""
        whole: dict[str, Give] = {
            "answer": self._answer,
            "method": self._method,
            "chart": self._chart,
            "table": self._table,
            "differences": self._differences,
            "fairness": self._fairness,
            "disclosure": self._disclosure,
            "replies": self._replies,
        }
        gives = {name: self._guarded(give) for name, give in whole.items()}
        return Shelf(
            label=self.label,
            gives={**gives, "*": self._figure},
            offers=tuple(self._offers()),
            notes=notes_of(self.read.caveats),
            stamps=self.stamps,
            claim=self._claim,
        )

    def _claim(self, line: str) -> Item:
        notes = {
            claim_name(name): ids_of(self.read.caveats, [side.key])
            for name, side in self._sides.items()
        }
        return self._claims.claimed(line, notes)

    @cached_property
    def _claims(self) -> ClaimSides:
        titles = {one.run_id: one.title for one in self.untrue}
        repeats: dict[Key, Repeats] = {}
        untrue: dict[tuple[str, str, str], str] = {}
        for name, side in self._sides.items():
            mine = self.runs.get(side.key, ())
            called = claim_name(name)
            repeats |= {(called, *key[1:]): found for key, found in repeats_of(mine).items()}
            untrue |= {
                (called, run.workload, run.load_label): titles[run.run_id]
                for run in mine
                if run.run_id in titles
            }
        sides = {claim_name(name): side for name, side in self._sides.items()}
        return ClaimSides(
            repeats,
            {name: side.label for name, side in sides.items()},
            {name: self.refused[side.target] for name, side in sides.items()
             if side.target in self.refused},
            untrue,
        )  # fmt: skip

    @cached_property
    def _sides(self) -> dict[str, SideRead]:
        """By the names that references call them: targets, told apart where two have one name."""
        names: dict[str, SideRead] = {}
        for form in ("{0.target}", "{0.target}@{0.campaign_number}", "{0.target}@{0.campaign_id}"):
            count = Counter(form.format(side) for side in self.read.sides)
            taken = {side.key for side in names.values()}
            for side in self.read.sides:
                name = form.format(side)
                if count[name] == 1 and side.key not in taken:
                    names[name] = side
        return names

    @cached_property
    def figures(self) -> list[Figure]:
        """Those that any cell has, the ones that people ask for first."""
        had = {name for cell in self.read.cells for name in cell.figures}
        found = [CATALOGUE[name] for name in had if CATALOGUE.find(name) is not None]
        first = {name: at for at, name in enumerate(NAMED_FIRST)}
        return sorted(found, key=lambda one: (first.get(one.name, len(first)), one.read_at))

    @cached_property
    def _notes(self) -> tuple[str, ...]:
        return ids_of(self.read.caveats)

    def _guarded(self, give: Give) -> Give:
        """Nothing is said of sides together while one of them may not be shown."""

        def guarded(parts: Sequence[str]) -> Item:
            if self.refused:
                return Withdrawn(reason="; ".join(dict.fromkeys(self.refused.values())))
            return give(parts)

        return guarded

    def _figure(self, parts: Sequence[str]) -> Item:
        name, *where = parts
        if CATALOGUE.find(name) is None or len(where) != 3:  # noqa: PLR2004 - side, workload, load
            return Withdrawn(
                reason=f"{self.label} has no {name!r}; a figure is named FIGURE(TARGET; WORKLOAD; "
                "LOAD)"
            )
        target, workload, load = where
        side = self._sides.get(target)
        if side is None:
            return Withdrawn(reason=f"{target} is no side of {self.label}")
        if side.target in self.refused:
            return Withdrawn(reason=self.refused[side.target])
        cell = self._cells.get((side.key, workload, load))
        found = None if cell is None else cell.figures.get(name)
        if found is None:
            return Withdrawn(
                reason=f"{CATALOGUE[name].label} of {target}, {workload}, {load} is not there: it "
                "was not measured, or is gone"
            )
        notes = ids_of(self.read.caveats, [side.key])
        return Words(words=_words(found, name), notes=notes)

    @cached_property
    def _cells(self) -> dict[tuple[str, str, str], ComparedCellRead]:
        return {(one.side, one.workload, one.load_level.label): one for one in self.read.cells}

    def _answer(self, _: Sequence[str]) -> Item:
        head = self.read.headline
        said = [head.sentence, f"How sure: {head.sure}." if head.sure else "",
                f"{head.failed}." if head.failed else ""]  # fmt: skip
        return Texts(texts=(("", " ".join(one for one in said if one)),), notes=self._notes)

    def _method(self, _: Sequence[str]) -> Item:
        rows = [
            (side.label, f"{side.system_id} {side.version or '(version not known)'}",
             numbered(side.campaign_number), f"{side.runs_completed} of {side.runs}")
            for side in self.read.sides
        ]  # fmt: skip
        caption = (
            f"What was measured: {', '.join(self.read.workloads) or 'no workload'}, each at "
            f"{', '.join(one.label for one in self.read.load_levels) or 'no load'}"
        )
        columns = ("Side", "System", "Campaign", "Completed runs")
        return Table(caption=caption, columns=columns, rows=tuple(rows), notes=self._notes)

    def _shown(self, parts: Sequence[str]) -> tuple[Figure, list[str]] | Withdrawn:
        """The figure and the workloads that a chart or a table is of."""
        name, *rest = parts or ("throughput",)
        figure = CATALOGUE.find(name)
        if figure is None or figure not in self.figures:
            has = ", ".join(one.name for one in self.figures[:12]) or "none yet"
            return Withdrawn(reason=f"{self.label} has no figure {name!r}; it has {has}")
        workloads = [one for one in self.read.workloads if not rest or one == rest[0]]
        if not workloads:
            return Withdrawn(reason=f"{self.label} has no workload {rest[0]!r}")
        return figure, workloads

    def _chart(self, parts: Sequence[str]) -> Item:
        shown = self._shown(parts)
        if isinstance(shown, Withdrawn):
            return shown
        figure, workloads = shown
        places = tuple(one.label for one in self.read.load_levels)
        panels = tuple(
            Panel(title=workload, lines=lines)
            for workload in workloads
            if (lines := self._lines(figure.name, workload, places))
        )
        return Chart(
            caption=f"{figure.label} of {', '.join(one.label for one in self.read.sides)}",
            unit=_unit(figure),
            places=places,
            panels=panels,
            notes=self._notes,
        )

    def _lines(self, name: str, workload: str, places: Sequence[str]) -> tuple[Line, ...]:
        lines = []
        for side in self.read.sides:
            points = tuple(
                Point(at=at, value=found.median, low=found.low, high=found.high,
                      words=_words(found, name))
                for at, place in enumerate(places)
                if (cell := self._cells.get((side.key, workload, place))) is not None
                and (found := cell.figures.get(name)) is not None
            )  # fmt: skip
            if points:
                lines.append(Line(label=side.label, colour=side.colour, mark=side.mark,
                                  hollow=side.hollow, points=points))  # fmt: skip
        return tuple(lines)

    def _table(self, parts: Sequence[str]) -> Item:
        shown = self._shown(parts)
        if isinstance(shown, Withdrawn):
            return shown
        figure, workloads = shown
        rows = []
        for workload in workloads:
            for level in self.read.load_levels:
                found = [self._cells.get((side.key, workload, level.label))
                         for side in self.read.sides]  # fmt: skip
                if any(found):
                    said = [_told(cell, figure.name) for cell in found]
                    rows.append((f"{workload}, {level.label}", *said))
        return Table(
            caption=f"{figure.label}: median of the repeats (95 % interval; least to greatest "
            "below four repeats)",
            columns=("Workload, load", *(side.label for side in self.read.sides)),
            rows=tuple(rows),
            notes=self._notes,
        )

    def _differences(self, parts: Sequence[str]) -> Item:
        labels = {side.key: side.label for side in self.read.sides}
        shown = [one for one in self.read.differences if not parts or one.metric == parts[0]]
        rows = tuple(
            (f"{one.workload}, {one.load_level.label}", CATALOGUE[one.metric].label,
             labels.get(one.side, one.side), labels.get(one.baseline_side, one.baseline_side),
             figure_words(one.baseline_median, one.metric), figure_words(one.median, one.metric),
             _ratio(one), READS[one.word])
            for one in shown
        )  # fmt: skip
        columns = ("Workload, load", "Figure", "Side", "Against", "Baseline", "This side", "Ratio",
                   "Reads")  # fmt: skip
        caption = "What differs: each side against its baseline"
        return Table(caption=caption, columns=columns, rows=rows, notes=self._notes)

    def _fairness(self, _: Sequence[str]) -> Item:
        rows = [one for one in self.read.fairness if not one.same]
        if not rows:
            said = "Nothing that is known differs between the sides."
            return Texts(texts=(("", said),), notes=self._notes)
        labels = [side.label for side in self.read.sides]
        told = tuple((one.label, *one.values, one.explanation) for one in rows)
        return Table(caption="What differs between the sides besides what is compared",
                     columns=("Aspect", *labels, "What that means"), rows=told,
                     notes=self._notes)  # fmt: skip

    def _disclosure(self, _: Sequence[str]) -> Item:
        sheet = self.read.disclosure
        rows = tuple((one.label, one.value or "not answered") for one in sheet.items)
        caption = f"Disclosure: {sheet.answered} of {sheet.asked} answered"
        return Table(caption=caption, columns=("Asked", "Answer"), rows=rows, notes=self._notes)

    def _replies(self, _: Sequence[str]) -> Item:
        said = [one for one in self.read.caveats
                if one.code in {"vendor_reply", "challenge", "override"}]  # fmt: skip
        texts = tuple((one.title, one.text) for one in said)
        return Texts(texts=texts or (("", "Nobody has replied."),), notes=ids_of(said))

    def _offers(self) -> list[Offer]:
        named = [
            Offer("answer", (), "Who leads, and how sure that is"),
            Offer("method", (), "What was measured"),
            Offer("differences", (), "Table: what differs"),
            Offer("fairness", (), "Table: what else differs between the sides"),
            Offer("disclosure", (), "Table: the disclosure"),
            Offer("replies", (), "What vendors and others replied"),
            *self._claimable(),
        ]
        for figure in self.figures:
            named += [Offer("chart", (figure.name,), f"Chart: {figure.label}"),
                      Offer("table", (figure.name,), f"Table: {figure.label}")]  # fmt: skip
        names = {side.key: name for name, side in self._sides.items()}
        cells = [
            Offer(figure.name, (names[cell.side], cell.workload, cell.load_level.label),
                  f"{figure.label}: {names[cell.side]}, {cell.workload}, {cell.load_level.label}")
            for figure in self.figures
            for cell in self.read.cells
            if figure.name in cell.figures and cell.side in names
        ]  # fmt: skip
        return [*named, *cells[:MOST_OFFERED]]

    def _claimable(self) -> list[Offer]:
        """A claim to begin with: one side against the next, where both have been measured."""
        names = {side.key: claim_name(name) for name, side in self._sides.items()}
        for metric in (one.name for one in self.figures[:1]):
            told = [one for one in self.read.cells if metric in one.figures and one.side in names]
            for one in told:
                for other in told:
                    where = (one.workload, one.load_level.label)
                    if (other.workload, other.load_level.label) == where and other != one:
                        cells = [f"[{' / '.join((names[each.side], *where))}]"
                                 for each in (one, other)]  # fmt: skip
                        label = "Claim: one side is ahead of another, to be written on"
                        return [Offer(CLAIM, (" > ".join(cells),), label)]
        return []


def _unit(figure: Figure) -> str:
    return "operations a second" if figure.name == "throughput" else figure.unit


def _told(cell: ComparedCellRead | None, name: str) -> str:
    if cell is None:
        return "not measured"
    found = cell.figures.get(name)
    return cell.status if found is None else _words(found, name)


def _words(found: FigureRead, name: str) -> str:
    return interval_words(found.median, found.low, found.high, name)


def _ratio(one: DifferenceRead) -> str:
    low, middle, high = (number(1 + each) for each in (one.low, one.relative, one.high))
    return f"×{middle} ({low} to {high})"
