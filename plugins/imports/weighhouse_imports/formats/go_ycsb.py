"""go-ycsb: lines, tables or JSON of its measurements, in the layouts of 2018 and since."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from weighhouse_protocol.percent import percent
from weighhouse_protocol.published.cells import MOST_INTERVALS
from weighhouse_protocol.published.figures import ALL, PublishedInterval
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import MOST_NAMES, Draft, DraftCell, columns_of, titled
from weighhouse_imports.formats.ycsb_clients import operations_of, properties
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.numbers import (
    Rounded,
    cut,
    go_seconds,
    number,
    percentile_name,
    rounded,
    whole,
)
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

LINE = re.compile(r"^([A-Z][A-Z_]{1,60})\s*- (Takes\(s\): .*)$")
LINE_BYTES = re.compile(rb"^[A-Z][A-Z_]{1,60}\s*- Takes\(s\): ", re.MULTILINE)
TABLE_BYTES = re.compile(rb"^\|\s*OPERATION\s*\|\s*TAKES\(S\)\s*\|", re.MULTILINE)
JSON_BYTES = re.compile(rb'"Operation"\s*:\s*"[A-Z_]+"[^}]{0,400}"Takes\(s\)"|"Takes\(s\)"\s*:')
PAIR = re.compile(r"([\w.]{1,20}(?:\([a-z]{1,2}\))?): ([^,]{1,40})")
PROPERTY = re.compile(r'^"([\w.\-]{1,100})"="(.{0,2000})"$')
FINISHED = re.compile(r"^Run finished, takes (\S{1,40})")
NAMED = re.compile(r"(avg|min|max|[\d.]+(?:th|st|nd|rd))\((ns|us|ms|s)\)", re.IGNORECASE)
UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
FIGURES = {"avg": "mean_us", "min": "min_us", "max": "max_us"}
LONGEST = 366 * 86_400
"""Seconds that a run may have taken."""
MILLISECOND_US = 1000


@dataclass
class Row:
    """One operation's measurements since the start, as they stood at a moment."""

    operation: str
    line: int
    values: dict[str, str]
    """In small letters, without `%`: `takes(s)`, `count`, `avg(us)` …"""

    @property
    def seconds(self) -> float | None:
        """Since the start."""
        return number(self.values.get("takes(s)", ""))


@dataclass
class Output:
    """A file: of each operation what was last told, and how the counts grew."""

    told: dict[str, str] = field(default_factory=dict)
    running: dict[str, Row] = field(default_factory=dict)
    """The last row of each operation before the end of the run."""
    final: dict[str, Row] = field(default_factory=dict)
    """The same after it."""
    course: dict[float, int] = field(default_factory=dict)
    """Seconds since the start → operations until then."""
    thinned: bool = False
    """Whether moments were left out of it."""
    finished: float | None = None
    ended: bool = False

    @property
    def last(self) -> dict[str, Row]:
        """What counts as the result."""
        return self.final or self.running

    def take(self, row: Row, file: ImportFile) -> None:
        """One more row.

        :raises Refused: when it names one operation too many.
        """
        rows = self.final if self.ended else self.running
        rows[row.operation] = row
        if len(rows) > MOST_NAMES:
            raise Refused(f"names more than {MOST_NAMES} operations", file.name, row.line)
        many, at = whole(row.values.get("count", "")), row.seconds
        if self.ended or row.operation == "TOTAL" or row.operation.endswith("_ERROR"):
            return
        if many is None or at is None or not 0 <= at <= LONGEST:
            return
        self.course[at] = self.course.get(at, 0) + many
        if len(self.course) > MOST_INTERVALS:
            # Counts are since the start: a moment less makes the interval after it longer, no more.
            moments = sorted(self.course)
            self.course = {one: self.course[one] for one in (*moments[:-2:2], *moments[-2:])}
            self.thinned = True


class GoYcsb(Importer):
    """What was last told of an operation is its result; TOTAL is the sum, and no operation."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="go-ycsb",
        title="go-ycsb",
        reads=("lines with two to six percentiles", "`outputstyle=table` and `outputstyle=json`"),
        known_errors=(
            "its lines count from the start, not from the line before",
            "until 2019 percentiles are whole milliseconds: kept as a range",
            "its last report may hold less than the operations that were asked for",
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By its measurements."""
        del name
        if LINE_BYTES.search(head) or TABLE_BYTES.search(head):
            return Recognition(0.95, "Takes(s) of its measurements")
        if JSON_BYTES.search(head):
            return Recognition(0.85, "Takes(s) of its JSON")
        if b"*** properties ***" in head:
            return Recognition(0.6, "its properties")
        return None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """A cell for each file."""
        draft = Draft(told, title=titled(files), tool="go-ycsb")
        for file in files:
            _add(draft, file, several=len(files) > 1)
        return draft.built()


def _read(file: ImportFile) -> Output:
    output = Output()
    names: list[str] = []
    for line_number, line in file.lines():
        text = line.strip()
        if (match := LINE.match(text)) is not None:
            pairs = {name.lower(): said.strip() for name, said in PAIR.findall(match[2])}
            output.take(Row(match[1], line_number, pairs), file)
        elif text.startswith("|") and "|" in text[1:]:
            cells = [each.strip() for each in text.strip("|").split("|")]
            if cells[0].upper() == "OPERATION":
                names = [each.lower() for each in cells]
            elif names and len(cells) == len(names):
                said = dict(zip(names[1:], cells[1:], strict=True))
                output.take(Row(cells[0], line_number, said), file)
        elif text.startswith("[{") and "Takes(s)" in text:
            for row in _json_rows(file, text, line_number):
                output.take(row, file)
        elif (pair := PROPERTY.match(text)) is not None:
            if len(output.told) < MOST_NAMES:
                output.told[pair[1]] = pair[2]
        elif (done := FINISHED.match(text)) is not None:
            if output.ended:
                reason = "a second run ends here; give each a file of its own"
                raise Refused(reason, file.name, line_number)
            output.ended, output.finished = True, go_seconds(done[1])
    return output


def _json_rows(file: ImportFile, text: str, line_number: int) -> list[Row]:
    try:
        found = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise Refused(f"is no whole JSON: {error}", file.name, line_number) from error
    return [
        Row(
            str(each.get("Operation", ""))[:60],
            line_number,
            {str(name).lower()[:60]: str(said)[:60] for name, said in each.items()},
        )
        for each in found
        if isinstance(each, dict)
    ]


def _add(draft: Draft, file: ImportFile, *, several: bool) -> None:
    output = _read(file)
    last = output.last
    if not last:
        raise Refused("holds no measurements", file.name)
    cell = DraftCell(file=file, files=[file.told("go-ycsb")], loop="closed")
    cell.run = file.stem if several else ""
    if not output.ended:
        draft.note("doubtful", "does not say that the run finished: broken off, or cut short", file)
    cell.seconds = output.finished or max(row.seconds or 0.0 for row in last.values()) or None
    _set_load(cell, output)
    for name, row in last.items():
        _add_row(cell, name, row, draft)
    _add_total(cell, output, last, draft)
    _add_intervals(cell, output)
    draft.add(draft.side(), cell)


def _set_load(cell: DraftCell, output: Output) -> None:
    told = output.told
    threads = whole(told.get("threadcount", ""))
    cell.clients = threads
    cell.pipeline = 1 if threads else None
    target = number(told.get("target", ""))
    cell.rate = target if target and target > 0 else None
    words = [f"{threads} threads"] if threads else []
    cell.load_label = ", ".join(words)
    shares = properties(" ".join(f"-p {name}={said}" for name, said in told.items()))
    mix = [
        f"{name} {percent(share, None)}"
        for name in ("read", "update", "insert", "scan", "readmodifywrite")
        if (share := number(shares.get(f"{name}proportion", "")))
    ]
    if told.get("dotransactions") == "false":
        mix = ["load"]
    cell.workload = ", ".join([*mix, *filter(None, [told.get("requestdistribution", "")])])
    cell.command = " ".join(f"-p {name}={said}" for name, said in told.items())


def _add_row(cell: DraftCell, name: str, row: Row, draft: Draft) -> None:
    operation = ALL if name == "TOTAL" else name
    percentiles = [
        one for one in row.values if (m := NAMED.fullmatch(one)) and m[1].lower() not in FIGURES
    ]
    coarse = bool(percentiles) and all(
        one.endswith("(us)") and (whole(row.values[one]) or 0) % MILLISECOND_US == 0
        for one in percentiles
    )
    for printed_name, text in row.values.items():
        match = NAMED.fullmatch(printed_name)
        if match is None:
            continue
        unit = UNITS[match[2].lower()]
        figure = FIGURES.get(match[1].lower()) or percentile_name(match[1])
        if figure is None:
            draft.note("refused", f"{match[1]} is no percentile that can be meant; left out",
                       cell.file, row.line)  # fmt: skip
            continue
        found: Rounded | None = rounded(text, unit)
        if coarse and printed_name in percentiles and found is not None:
            found = cut(str(found.value / MILLISECOND_US), float(MILLISECOND_US))
        cell.add(figure, found, operation=operation, printed=f"{text} {match[2]}",
                 statistic="merged", line=row.line)  # fmt: skip
    if "ops" in row.values:
        cell.add("throughput", rounded(row.values["ops"]), operation=operation,
                 printed=f"{row.values['ops']} OPS", statistic="counted", line=row.line)  # fmt: skip
    many = whole(row.values.get("count", ""))
    if many is not None and operation != ALL:
        base, _, code = name.rpartition("_")
        if code == "ERROR" and base:
            cell.count(base, "ERROR", many)
        else:
            cell.count(name, "not told", many)


def _add_total(cell: DraftCell, output: Output, last: dict[str, Row], draft: Draft) -> None:
    made = {
        "READ-MODIFY-WRITE" if name == "READ_MODIFY_WRITE" else name: codes
        for name, codes in cell.outcomes.items()
    }
    total = operations_of(made)
    if "TOTAL" not in last:
        cell.add("throughput", None, statistic="counted")
    if (said := cell.recompute(total)) is not None and "TOTAL" in last:
        draft.note("doubtful", said, cell.file)
    asked = whole(output.told.get(
        "recordcount" if output.told.get("dotransactions") == "false" else "operationcount", ""
    ))  # fmt: skip
    if asked and output.ended and total != asked:
        reason = f"tells of {total:,} operations, and {asked:,} were asked for"
        draft.note("doubtful", reason, cell.file)
    told = whole(last["TOTAL"].values.get("count", "")) if "TOTAL" in last else None
    if told is not None and total and told != total:
        draft.note("doubtful", f"TOTAL counts {told:,}, its operations {total:,}", cell.file)


def _add_intervals(cell: DraftCell, output: Output) -> None:
    """Counts of a line less those of the line before; its latencies are since the start, and so are
    no interval's.
    """
    cell.columns = columns_of(())
    before = (0.0, 0)
    cell.joined = output.thinned
    for at, many in sorted(output.course.items()):
        done, length = max(0, many - before[1]), at - before[0]
        cell.intervals.append(
            PublishedInterval(
                at_seconds=at,
                seconds=length or None,
                operations=done,
                throughput=done / length if length > 0 else None,
            )
        )
        before = (at, many)


IMPORTER = GoYcsb()
