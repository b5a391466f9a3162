"""HdrHistogram's percentile tables (.hgrm), and the rows of such a table wherever they stand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from weighhouse_protocol.published.figures import ALL
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import Draft, DraftCell, titled
from weighhouse_imports.formats.hdr_log import UNIT, UNITS
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.numbers import Rounded, number, whole
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

HEAD = re.compile(r"^\s*Value\s+Percentile\s+TotalCount\s+1/\(1-Percentile\)\s*$")
HEAD_BYTES = re.compile(rb"^\s*Value\s+Percentile\s+TotalCount\s+1/\(1-Percentile\)", re.MULTILINE)
ROW = re.compile(r"^\s*([\d.,]{1,40})\s+([01][.,]\d{1,20})\s+(\d{1,18})(?:\s+(\S{1,40}))?\s*$")
FOOTER = re.compile(
    r"^\s*#\[(Mean|Max|Buckets)\s*=\s*([^,]{1,40}?)\s*,\s*[\w ]{1,30}?\s*=\s*([^\]]{1,40}?)\s*\]"
)
SHARES = ((0.5, "p50_us"), (0.75, "p75_us"), (0.9, "p90_us"), (0.95, "p95_us"), (0.99, "p99_us"),
          (0.999, "p999_us"), (0.9999, "p9999_us"), (0.99999, "p99999_us"))  # fmt: skip
CLOSE = 1e-9
MOST_ROWS = 100_000
NEAR = 0.05
"""By how much the rows around a percentile may differ for the upper one to stand for it."""


@dataclass
class Table:
    """One table."""

    rows: list[tuple[float, float, int, str, int]] = field(default_factory=list)
    """Share, value, count up to here, value as it is printed, line."""
    mean: str = ""
    greatest: str = ""
    total: int | None = None
    unit_us: float | None = None

    @property
    def counted(self) -> int:
        """Of the footer, or of the last row."""
        return (
            self.total if self.total is not None else max((row[2] for row in self.rows), default=0)
        )

    def take(self, line: str, line_number: int) -> bool:
        """Take one line of it.

        :returns: whether it is one.
        """
        if (row := ROW.match(line)) is not None:
            value, share = number(row[1], "decimal"), number(row[2], "decimal")
            if value is not None and share is not None and 0 <= share <= 1:
                self.rows.append((share, value, int(row[3]), row[1], line_number))
                if len(self.rows) > MOST_ROWS:
                    reason = f"a table of more than {MOST_ROWS:,} rows: no histogram has so many"
                    raise Refused(reason, line=line_number)
            return True
        if (told := FOOTER.match(line)) is not None:
            if told[1] == "Mean":
                self.mean = told[2]
            elif told[1] == "Max":
                self.greatest, self.total = told[2], whole(told[3])
            return True
        return False

    def add_to(self, cell: DraftCell, unit: float | None, operation: str = ALL) -> None:
        """Its percentiles as figures. One that has no row of its own lies above the row before it,
        and is at most the next one's value.
        """
        for share, name in SHARES:
            at = next((n for n, row in enumerate(self.rows) if row[0] >= share - CLOSE), None)
            if at is None:
                continue
            found, value, _, printed, line = self.rows[at]
            exact = abs(found - share) < CLOSE
            low = value if exact else self.rows[at - 1][1] if at else 0.0
            known = unit if unit and (exact or value <= low * (1 + NEAR)) else None
            cell.add(
                name, Rounded(value * known, low * known, value * known) if known else None,
                operation=operation, printed=printed, statistic="merged", line=line,
            )  # fmt: skip
            if unit and not known:
                cell.within(low * unit, value * unit)
        for name, text in (("mean_us", self.mean), ("max_us", self.greatest)):
            if text:
                value_of = number(text, "decimal")
                cell.add(
                    name, value_of * unit if unit and value_of is not None else None,
                    operation=operation, printed=text, statistic="merged",
                )  # fmt: skip
        if self.counted:
            cell.count(operation, "not told", self.counted)

    def faults(self) -> str | None:
        """What in it cannot be."""
        for before, row in zip(self.rows, self.rows[1:], strict=False):
            if row[0] < before[0] - CLOSE or row[1] < before[1] or row[2] < before[2]:
                return f"its rows do not rise at line {row[4]}"
        if self.total is not None and self.rows and self.rows[-1][2] != self.total:
            return f"its last row counts {self.rows[-1][2]:,}, its foot {self.total:,}"
        return None


class HdrTable(Importer):
    """One histogram a file, as percentiles."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="hdr-table",
        title="HdrHistogram percentile table (.hgrm)",
        reads=("what outputPercentileDistribution of any HdrHistogram library prints",),
        known_errors=(
            "no table says what one of its values is: unknown until whoever imports says it",
            "a table may be cut off before its foot",
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By the head of the table."""
        del name
        return Recognition(0.8, "the head of its table") if HEAD_BYTES.search(head) else None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """A cell for each table."""
        draft = Draft(told, title=titled(files))
        for file in files:
            table = _read(file)
            unit = told.unit_us or table.unit_us
            if unit is None:
                reason = "says nowhere what one of its values is; tell the unit (--unit us or ms)"
                draft.note("unknown", reason, file)
            if not table.greatest:
                draft.note("doubtful", "has no foot: it may be cut short", file)
            if (fault := table.faults()) is not None:
                draft.note("doubtful", fault, file)
            cell = DraftCell(file=file, files=[file.told("hdr-table")])
            if len(files) > 1:
                cell.run = file.stem
            table.add_to(cell, unit)
            draft.add(draft.side(), cell)
        return draft.built()


def _read(file: ImportFile) -> Table:
    table: Table | None = None
    for line_number, line in file.lines():
        if HEAD.match(line):
            if table is not None:
                reason = "a second table begins here; give each a file of its own"
                raise Refused(reason, file.name, line_number)
            table = Table()
        elif table is not None:
            table.take(line, line_number)
        if line.lstrip().startswith("#") and (unit := UNIT.search(line)) is not None:
            table = table or Table()
            table.unit_us = UNITS[unit[1].lower()]
    if table is None or not table.rows:
        raise Refused("holds no rows of a percentile table", file.name)
    return table


IMPORTER = HdrTable()
