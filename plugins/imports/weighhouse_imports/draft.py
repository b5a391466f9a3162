"""A document that is being written: cells with their figures, and what has to be said of them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from weighhouse_protocol.base import MOST_COUNT
from weighhouse_protocol.masks import masked_command
from weighhouse_protocol.published.cells import (
    MOST_FIGURES,
    MOST_INTERVALS,
    PublishedCell,
    PublishedLoad,
    PublishedSide,
)
from weighhouse_protocol.published.figures import (
    ALL,
    ImportNote,
    PublishedColumn,
    PublishedFigure,
    PublishedInterval,
    PublishedStatistic,
)
from weighhouse_protocol.published.results import PublishedResults
from weighhouse_protocol.published.source import PublishedFile, PublishedSource
from weighhouse_protocol.text import seen

from weighhouse_imports.importer import Told
from weighhouse_imports.numbers import NOTHING, Rounded
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

TOLERANCE = 0.01
"""By how much a printed throughput may differ from operations ÷ time before it is told."""
MOST_NOTES = 500
"""Of one file; who has more to say of it repeats itself."""
MOST_NAMES = 190
"""Operations and return codes that are kept; beyond it is no output of a tool."""
_NOT_IN_NAME = re.compile(r"[^a-z0-9._-]+")
MOST_CELLS = 10_000
"""Of one file: a document has no more."""
LABEL, SENTENCE, WORDS = 300, 4096, 65_536
Level = Literal["refused", "unknown", "doubtful"]


def slug(text: str) -> str:
    """A name that a side may have."""
    return _NOT_IN_NAME.sub("-", text.lower()).strip("-._")[:60] or "unnamed"


def label(text: str) -> str:
    """A text of a file as a label: one line of what is seen, cut."""
    return seen(text)[:LABEL]


@dataclass
class DraftCell:
    """One cell."""

    file: ImportFile | None = None
    workload: str = ""
    run: str = ""
    seconds: float | None = None
    clients: int | None = None
    pipeline: int | None = None
    rate: float | None = None
    loop: Literal["closed", "open", "unknown"] = "unknown"
    load_label: str = ""
    machines: str = ""
    remarks: list[str] = field(default_factory=list)
    figures: list[PublishedFigure] = field(default_factory=list)
    outcomes: dict[str, dict[str, int]] = field(default_factory=dict)
    columns: list[PublishedColumn] = field(default_factory=list)
    intervals: list[PublishedInterval] = field(default_factory=list)
    histograms: dict[str, str] = field(default_factory=dict)
    histogram_unit_us: float | None = None
    command: str = ""
    files: list[PublishedFile] = field(default_factory=list)
    joined: bool = False
    """Whether neighbours among its intervals became one as they came."""

    def add(
        self,
        figure: str,
        value: "Rounded | float | None",
        *,
        operation: str = ALL,
        printed: str = "",
        statistic: PublishedStatistic = "unknown",
        line: int | None = None,
        place: str = "",
        unit: str = "",
        setting: str = "",
    ) -> None:
        """A figure in the platform's unit; None: printed, and no number."""
        if len(self.figures) >= MOST_FIGURES:
            raise Refused(f"holds more than {MOST_FIGURES:,} figures of one cell")
        found = value if isinstance(value, Rounded | None) else Rounded(value)
        if found and figure.endswith("_us") and not 0 <= found.value < NOTHING:
            found = None
        if not place and self.file is not None:
            place = self.file.base[-200:] + (f":{line}" if line else "")
        self.figures.append(
            PublishedFigure(
                figure=figure,
                operation=label(operation),
                printed=label(printed),
                value=found.value if found else None,
                low=found.low if found else None,
                high=found.high if found else None,
                statistic=statistic,
                place=label(place),
                unit=unit,
                setting=label(setting),
            )
        )

    def within(self, low: float, high: float) -> None:
        """The last figure is not known, and lies between."""
        self.figures[-1] = self.figures[-1].model_copy(update={"low": low, "high": high})

    def count(self, operation: str, returned: str, many: int) -> None:
        """Operations that came back with a code; of one that is told again the last counts."""
        if not 0 <= many <= MOST_COUNT:
            return
        codes = self.outcomes.setdefault(label(operation), {})
        codes[label(returned)] = many
        if len(codes) > MOST_NAMES or len(self.outcomes) > MOST_NAMES:
            raise Refused(f"names more than {MOST_NAMES} operations or return codes")

    def recompute(self, operations: int | None, how: str = "", operation: str = ALL) -> str | None:
        """Put operations ÷ time beside the throughput that is printed.

        :returns: what to say when they differ.
        """
        if not operations or not self.seconds:
            return None
        made = operations / self.seconds
        how = how or f"{operations:,} operations ÷ {self.seconds:,.6g} s"
        for at, one in enumerate(self.figures):
            if (one.figure, one.operation) != ("throughput", operation):
                continue
            self.figures[at] = one.model_copy(update={"recomputed": made, "recomputed_how": how})
            if one.value is None or one.value < 0:
                self.figures[at] = self.figures[at].model_copy(
                    update={"value": None, "low": None, "high": None}
                )
                return f"a throughput of {one.printed} cannot be; {how} is {made:,.2f} a second"
            if abs(one.value - made) > TOLERANCE * made:
                return (
                    f"a throughput of {one.printed} is printed, and {how} is {made:,.2f} a second"
                )
            return None
        self.figures.append(
            PublishedFigure(
                figure="throughput",
                operation=operation,
                statistic="counted",
                recomputed=made,
                recomputed_how=how,
            )
        )
        return None

    def add_interval(self, one: PublishedInterval) -> None:
        """One more, in little room however many there are."""
        self.intervals.append(one)
        if len(self.intervals) > MOST_INTERVALS:
            self.joined = self.keep_intervals()

    def keep_intervals(self) -> bool:
        """Hold no more intervals than a document does: neighbours become one, whose counts add up
        and whose percentiles are left out, for they cannot be.

        :returns: whether any were joined.
        """
        joined = False
        while len(self.intervals) > MOST_INTERVALS:
            joined = True
            pairs = zip(self.intervals[::2], [*self.intervals[1::2], None], strict=False)
            self.intervals = [_together(one, other) for one, other in pairs]
        return joined

    def built(self, side: str) -> PublishedCell:
        """The cell of a document."""
        remarks = " ".join(dict.fromkeys(self.remarks))
        return PublishedCell(
            side=side,
            workload=label(self.workload),
            run=label(self.run),
            load=PublishedLoad(
                clients=self.clients if self.clients and self.clients > 0 else None,
                pipeline=self.pipeline if self.pipeline and self.pipeline > 0 else None,
                rate=self.rate if self.rate and 0 < self.rate <= 1e12 else None,  # noqa: PLR2004
                loop=self.loop,
                label=label(self.load_label),
            ),
            seconds=self.seconds,
            machines=self.machines[:SENTENCE],
            notes=remarks[:SENTENCE],
            figures=tuple(self.figures),
            outcomes=self.outcomes,
            columns=tuple(self.columns),
            intervals=tuple(self.intervals),
            histograms=self.histograms,
            histogram_unit_us=self.histogram_unit_us if self.histograms else None,
            command=masked_command(self.command)[:WORDS],
            files=tuple(self.files),
        )


def _together(one: PublishedInterval, other: PublishedInterval | None) -> PublishedInterval:
    if other is None:
        return one
    known = one.operations is not None and other.operations is not None
    seconds = (one.seconds or 0) + (other.seconds or 0) if one.seconds and other.seconds else None
    operations = (one.operations or 0) + (other.operations or 0) if known else None
    return PublishedInterval(
        at_seconds=max(one.at_seconds, other.at_seconds),
        seconds=seconds,
        operations=operations,
        throughput=operations / seconds if operations is not None and seconds else None,
    )


@dataclass
class Draft:
    """The document of files of one format."""

    told: Told
    title: str = ""
    tool: str = ""
    notes: list[ImportNote] = field(default_factory=list)
    sides: dict[str, PublishedSide] = field(default_factory=dict)
    cells: list[tuple[str, DraftCell]] = field(default_factory=list)
    source: dict[str, str] = field(default_factory=dict)

    def note(
        self, level: Level, reason: str, file: ImportFile | None = None, line: int | None = None
    ) -> None:
        """Say something; what was said before is not said again."""
        one = ImportNote(
            level=level, reason=reason[:SENTENCE], file=file.name[-SENTENCE:] if file else "",
            line=line,
        )  # fmt: skip
        if len(self.notes) < MOST_NOTES and all(
            (known.reason, known.file) != (one.reason, one.file) for known in self.notes
        ):
            self.notes.append(one)

    def side(self, system: str = "", version: str = "", text: str = "") -> str:
        """A side by its system; whoever imports may know better.

        :param text: what it is called; default: the system, or the title.
        """
        system = seen(self.told.system) or seen(system)
        version = seen(self.told.version) or seen(version)
        shown = label(text or system or self.title or "unnamed")
        name = slug(system or shown)
        wanted = PublishedSide(name=name, label=shown, system=label(system), version=label(version))
        number = 2
        while name in self.sides and self.sides[name] != wanted.model_copy(update={"name": name}):
            name, number = f"{slug(system or shown)[:56]}-{number}", number + 1
        self.sides[name] = wanted.model_copy(update={"name": name})
        return name

    def add(self, side: str, cell: DraftCell) -> None:
        """A cell that is whole."""
        if cell.keep_intervals() or cell.joined:
            self.note(
                "unknown",
                f"more than {MOST_INTERVALS:,} lines of a run: neighbours were joined, counts "
                "added up, their percentiles left out",
                cell.file,
            )
        self.cells.append((side, cell))

    def built(self) -> PublishedResults:
        """The document.

        :raises Refused: when there is no cell in it.
        """
        if not self.cells:
            raise Refused("holds no results")
        title = label(self.told.title or self.title) or "untitled"
        return PublishedResults(
            source=PublishedSource(title=title, tool=label(self.tool), **self.source),
            sides=tuple(self.sides.values()),
            cells=tuple(cell.built(side) for side, cell in self.cells),
            notes=tuple(self.notes),
        )


def require_few(cells: Sequence[DraftCell], file: ImportFile, line: int) -> None:
    """Look whether a file holds more results than a document does, before they fill memory.

    :raises Refused: when it does.
    """
    if len(cells) > MOST_CELLS:
        raise Refused(f"holds more than {MOST_CELLS:,} results; give it in parts", file.name, line)


def titled(files: Sequence[ImportFile]) -> str:
    """What files that name no study are called: the file, or its folder."""
    if len(files) == 1:
        return files[0].base
    folder = files[0].folder.rstrip("/!")
    return re.split(r"[/!]", folder)[-1] or f"{files[0].base} and {len(files) - 1} more"


def columns_of(names: Iterable[tuple[str, str, PublishedStatistic]]) -> list[PublishedColumn]:
    """Columns of intervals: figure, operation, statistic."""
    return [
        PublishedColumn(figure=figure, operation=label(operation), statistic=statistic)
        for figure, operation, statistic in names
    ]
