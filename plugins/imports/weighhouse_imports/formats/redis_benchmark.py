"""redis-benchmark: text and CSV, of before and since version 6.2, and its short form (-q)."""

import csv
import re
from collections.abc import Sequence
from typing import ClassVar

from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import Draft, DraftCell, require_few, titled
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.numbers import Rounded, number, percentile_name, rounded
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

TITLE = re.compile(r"^====== (.{1,200}?) ======\s*$")
TITLE_BYTES = re.compile(rb"^(?:.*\r)?====== .{1,200} ======\s*$", re.MULTILINE)
DONE = re.compile(r"^\s+(\d{1,18}) requests completed in ([\d.]{1,20}) seconds")
CLIENTS = re.compile(r"^\s+(\d{1,9}) parallel clients")
PAYLOAD = re.compile(r"^\s+(\d{1,12}) bytes payload")
THREADS = re.compile(r"^\s+threads: (\d{1,6})")
ROW = re.compile(
    r"^\s*([\d.]{1,12})% <= ([\d.]{1,20}) milliseconds(?: \(cumulative count (\d{1,18})\))?\s*$"
)
SUMMARY = re.compile(r"^\s+avg\s+min\s+p50\s+p95\s+p99\s+max\s*$")
RATE = re.compile(r"^\s*(?:throughput summary: )?([\d.]{1,30}) requests per second")
SHORT = re.compile(
    r"^\s*([\w ().\-]{1,200}): ([\d.]{1,30}) requests per second(?:, (p\d{1,2})=([\d.]{1,20}) msec)?\s*$"
)
SHORT_BYTES = re.compile(
    rb"(?:^|\r)\s*[\w ().\-]{1,200}: [\d.]{1,30} requests per second", re.MULTILINE
)
CSV_HEAD = re.compile(rb'^"test","rps"', re.MULTILINE)
CSV_OLD = re.compile(rb'^"[A-Z][^"\n]{0,200}","\d+\.\d\d"\s*$', re.MULTILINE)
CSV_ROW = re.compile(r'^"[^"]{1,300}","[^"]*"')
SUMMARY_NAMES = ("mean_us", "min_us", "p50_us", "p95_us", "p99_us", "max_us")
CSV_COLUMN = re.compile(r"(avg|min|max|p\d+(?:_\d+)?)_latency_ms")
SHARES = ((90.0, "p90_us"), (95.0, "p95_us"), (99.0, "p99_us"), (99.9, "p999_us"))
STEP_US = 8.0
NEAR = 0.05
"""By how much the rows around a percentile may differ for the upper one to stand for it."""
COMMAND = re.compile(r"(?:^|\s|\$)((?:\S*/)?redis-benchmark\s+-.*)$")
US_PER_MS = 1000.0
MOST_ROWS = 50_000
"""Of the distribution of one command; a histogram of three digits has fewer buckets."""
BROKEN = re.compile(r"^(?:Error|ERROR|Could not connect|WARNING: Could not fetch server CONFIG)")


class RedisBenchmark(Importer):
    """Each command is a cell; a pipeline's replies share one time."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="redis-benchmark",
        title="redis-benchmark",
        reads=(
            "its text, with and without percentiles",
            "`--csv` of two and of eight columns",
            "`-q`",
        ),
        known_errors=(
            (
                "times come in steps of a microsecond or, without `--precision`, of 8 µs: kept as a "
                "range"
            ),
            "all replies of a pipeline have the time of the last one",
            "neither CSV nor `-q` says how many clients there were",
            "its progress says `-nan` before anything was answered",
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By its titles or columns."""
        del name
        if TITLE_BYTES.search(head) and b"requests completed in" in head:
            return Recognition(0.95, "titles and requests completed")
        if CSV_HEAD.search(head):
            return Recognition(0.95, "the columns of its CSV")
        if SHORT_BYTES.search(head):
            return Recognition(0.85, "requests per second of its short form")
        if CSV_OLD.search(head):
            return Recognition(0.6, "two columns: a command and a rate")
        return None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """A cell for each command of each file."""
        draft = Draft(told, title=titled(files), tool="redis-benchmark")
        for file in files:
            cells = _read(file, draft)
            if not cells:
                raise Refused("holds no result", file.name)
            for cell in cells:
                cell.files = [file.told("redis-benchmark")]
                cell.loop = "closed"
                if len(files) > 1:
                    cell.run = file.stem
                draft.add(draft.side(), cell)
        return draft.built()


def _read(file: ImportFile, draft: Draft) -> list[DraftCell]:
    cells: list[DraftCell] = []
    names: list[str] = []
    command, summary = "", False
    rows: list[tuple[float, float, int]] = []
    for line_number, line in file.lines():
        require_few(cells, file, line_number)
        if summary:
            summary = False
            for name, text in zip(SUMMARY_NAMES, line.split(), strict=False):
                cells[-1].add(name, _time(text), printed=f"{text} ms", statistic="merged",
                              line=line_number)  # fmt: skip
        elif (title := TITLE.match(line)) is not None:
            _add_rows(cells, rows)
            cells.append(DraftCell(file=file, workload=title[1], command=command))
        elif (typed := COMMAND.search(line)) is not None:
            command = typed[1]
        elif CSV_ROW.match(line):
            names = _csv_row(cells, names, line, line_number, file, draft)
        elif "throughput summary" not in line and (short := SHORT.match(line)) is not None:
            cell = DraftCell(file=file, workload=short[1].strip(), command=command)
            cell.add("throughput", rounded(short[2]), printed=f"{short[2]} requests/s",
                     statistic="counted", line=line_number)  # fmt: skip
            if short[3] and (figure := percentile_name(short[3])):
                cell.add(figure, _time(short[4]), printed=f"{short[4]} ms", statistic="merged",
                         line=line_number)  # fmt: skip
            cells.append(cell)
        elif cells and SUMMARY.match(line):
            summary = True
        elif cells:
            _take(cells[-1], line, line_number, rows)
            if len(rows) > MOST_ROWS:
                reason = f"more than {MOST_ROWS:,} rows of one command: it has no such many times"
                raise Refused(reason, file.name, line_number)
        elif BROKEN.match(line):
            draft.note("doubtful", f"says {line[:200]!r}", file, line_number)
    _add_rows(cells, rows)
    _set_load(cells, command, draft)
    return [cell for cell in cells if _whole(cell, draft)]


def _whole(cell: DraftCell, draft: Draft) -> bool:
    if cell.figures:
        return True
    draft.note("refused", f"{cell.workload} ends before its results; left out", cell.file)
    return False


def _time(text: str) -> Rounded | None:
    """A time, at least as long and less than a step longer than what is told."""
    found = rounded(text, US_PER_MS)
    if found is None:
        return None
    return Rounded(found.value, max(0.0, found.value - STEP_US), found.value + STEP_US)


def _take(
    cell: DraftCell, line: str, line_number: int, rows: list[tuple[float, float, int]]
) -> None:
    if (done := DONE.match(line)) is not None:
        cell.count(cell.workload, "not told", int(done[1]))
        cell.seconds = number(done[2]) or None
    elif (clients := CLIENTS.match(line)) is not None:
        cell.clients = int(clients[1])
        cell.load_label = f"{clients[1]} clients"
    elif (payload := PAYLOAD.match(line)) is not None:
        cell.remarks.append(f"{payload[1]} bytes payload.")
    elif (threads := THREADS.match(line)) is not None:
        cell.remarks.append(f"{threads[1]} threads.")
    elif (row := ROW.match(line)) is not None:
        share, value = number(row[1]), number(row[2])
        if share is not None and value is not None:
            rows.append((share, value, line_number))
    elif (rate := RATE.match(line)) is not None:
        cell.add("throughput", rounded(rate[1]), printed=f"{rate[1]} requests/s",
                 statistic="counted", line=line_number)  # fmt: skip


def _add_rows(cells: list[DraftCell], rows: list[tuple[float, float, int]]) -> None:
    """Percentiles between rows: at most the next row's time, and above the row before. Old versions
    print nothing else.
    """
    if cells and rows:
        cell = cells[-1]
        known = {one.figure for one in cell.figures}
        ordered = sorted(rows)
        for share, name in SHARES:
            at = next((n for n, row in enumerate(ordered) if row[0] >= share), None)
            if at is None or name in known:
                continue
            low = ordered[at - 1][1] if at else 0.0
            value = ordered[at][1]
            exact = ordered[at][0] == share
            near = exact or value <= low * (1 + NEAR)
            high = value * US_PER_MS
            found = Rounded(high, (value if exact else low) * US_PER_MS, high) if near else None
            cell.add(name, found, printed="% <= ".join((f"{ordered[at][0]:g}", f"{value:g} ms")),
                     statistic="merged", line=ordered[at][2])  # fmt: skip
            if not near:
                cell.within(low * US_PER_MS, high)
    rows.clear()


def _csv_row(
    cells: list[DraftCell], names: list[str], line: str, line_number: int, file: ImportFile,
    draft: Draft,
) -> list[str]:  # fmt: skip
    values = next(csv.reader([line]), [])
    if values[:2] == ["test", "rps"]:
        return values
    cell = DraftCell(file=file, workload=values[0])
    if not names:
        names = ["test", "rps"]
        draft.note("unknown", "two columns: no latency is told", file)
    for name, text in zip(names[1:], values[1:], strict=False):
        match = CSV_COLUMN.fullmatch(name)
        if name == "rps":
            cell.add("throughput", rounded(text), printed=f"{text} requests/s",
                     statistic="counted", line=line_number)  # fmt: skip
        elif match is not None:
            figure = {"avg": "mean_us", "min": "min_us", "max": "max_us"}.get(
                match[1], percentile_name(match[1].replace("_", ".")) or ""
            )
            if figure:
                cell.add(figure, _time(text), printed=f"{text} ms", statistic="merged",
                         line=line_number)  # fmt: skip
    cells.append(cell)
    return names


def _set_load(cells: Sequence[DraftCell], command: str, draft: Draft) -> None:
    clients = re.search(r"\s-c\s+(\d{1,9})", command)
    pipeline = re.search(r"\s-P\s+(\d{1,9})", command)
    for cell in cells:
        cell.command = command
        cell.clients = cell.clients or (int(clients[1]) if clients else None)
        cell.pipeline = int(pipeline[1]) if pipeline else 1 if command else None
        many = sum(sum(codes.values()) for codes in cell.outcomes.values())
        # Its seconds have two decimals: of a short run they say little.
        if cell.seconds and cell.seconds >= 1 and (said := cell.recompute(many)) is not None:
            draft.note("doubtful", said, cell.file)
    if cells and cells[0].pipeline is None:
        reason = "does not say its pipeline (-P): replies of one share a time"
        draft.note("unknown", reason, cells[0].file)


IMPORTER = RedisBenchmark()
