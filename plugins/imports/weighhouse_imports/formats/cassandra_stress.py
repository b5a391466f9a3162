"""cassandra-stress: its summary and its log lines, of 2.1 to 5, one or several thread counts."""

import re
from collections.abc import Sequence
from typing import ClassVar

from weighhouse_protocol.published.figures import ALL, PublishedInterval
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import Draft, DraftCell, columns_of, titled
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.numbers import number, rounded, whole
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

STAMP = r"^(?:\[[^\]]{1,60}\]\s*)?\s*"
FACT = re.compile(
    STAMP + r"(op rate|partition rate|row rate|latency mean|latency median|latency max|"
    r"latency [\d.]+th percentile|total partitions|total operations|total errors|"
    r"total operation time)\s*:\s+(.{1,400}?)\s*$", re.IGNORECASE
)  # fmt: skip
RATE_BYTES = re.compile(rb"^(?:\[[^\]\n]{1,60}\])?\s*op rate\s+:\s", re.MULTILINE | re.IGNORECASE)
HEAD = re.compile(STAMP + r"(?:type\s*,?\s*)?total ops\s*,\s*op/s\s*,")
HEAD_BYTES = re.compile(
    rb"^(?:\[[^\]\n]{1,60}\])?\s*(?:type\s*,?\s*)?total ops\s*,\s*op/s\s*,", re.MULTILINE
)
LINE = re.compile(STAMP + r"(?:([A-Za-z][\w\-]{0,40})\s*,)?\s*(\d{1,18}\s*,\s*.{4,300})$")
RUNNING = re.compile(
    r"[Rr]unning (?:(\[[^\]]{1,120}\]|\S{1,60}) )?with (\d{1,9}) (?:threads?|threadCount)"
)
RESULTS = re.compile(STAMP + r"Results:\s*$")
PER_KIND = re.compile(r"([\w\-]{1,60}): ([\d.,]{0,30}\d|NaN)")
SPLIT = re.compile(r"^([\d.,]{1,30}|NaN)\s*(\S{0,10})\s*(?:\[(.*)\])?\s*$")
TIME = re.compile(r"^(?:(\d{1,4}):)?(\d{1,4}):(\d\d):(\d\d)$|^(\d{1,4}):(\d\d):(\d\d)$")
COMMAND = re.compile(r"(?:^|\s|\$)((?:\S*/)?cassandra-stress\s+\w.*)$")
THREAD_COUNT = re.compile(r"^\s*(?:\[[^\]]{1,60}\]\s*)?Thread [Cc]ount: (\d{1,9})")
RATIOS = re.compile(r"^\s*Command Ratios: \{(.{1,200})\}\s*$")
ASKED_RATE = re.compile(r"^\s*OpsPer Sec: (\d{1,9})\s*$")
RATE_LIMIT = re.compile(r"\b(fixed|throttle)=(\d{1,9})/s")
FIGURES = {"latency mean": "mean_us", "latency median": "p50_us", "latency max": "max_us",
           "latency 95th percentile": "p95_us", "latency 99th percentile": "p99_us",
           "latency 99.9th percentile": "p999_us"}  # fmt: skip
LATENCIES = ("mean_us", "p50_us", "p95_us", "p99_us", "p999_us", "max_us")
US_PER_MS = 1000.0


class CassandraStress(Importer):
    """Each number of threads that it tried is a cell."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="cassandra-stress",
        title="cassandra-stress",
        reads=("its summary and log lines, also one behind the other for several thread counts",),
        known_errors=(
            "latencies have one decimal of a millisecond: kept as a range",
            "its rate counts to the last whole second of its time: held against it",
            "lines of a kind of operation stand between those of all: `total` alone is the run's",
            "a time of a whole day is told in hours",
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By its summary or its columns."""
        del name
        if RATE_BYTES.search(head) or HEAD_BYTES.search(head):
            return Recognition(0.9, "its summary, or the columns of its log")
        if b"******************** Stress Settings ********************" in head:
            return Recognition(0.9, "its settings")
        return None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """A cell for each number of threads in each file."""
        draft = Draft(told, title=titled(files), tool="cassandra-stress")
        for file in files:
            for cell in _read(file, draft):
                if len(files) > 1:
                    cell.run = file.stem
                draft.add(draft.side(), cell)
        return draft.built()


def _read(file: ImportFile, draft: Draft) -> list[DraftCell]:
    cells: list[DraftCell] = []
    cell = DraftCell(file=file)
    command, ratios, threads, begun = "", "", None, False
    rate: float | None = None
    finished: set[int] = set()
    for line_number, line in file.lines():
        if (fact := FACT.match(line)) is not None:
            if id(cell) in finished and fact[1].lower() == "op rate":
                cell = DraftCell(file=file, clients=threads)
            _take_fact(cell, fact[1].lower(), fact[2], line_number)
            if fact[1].lower() == "op rate":
                cells.append(cell)
                finished.add(id(cell))
        elif (running := RUNNING.search(line)) is not None:
            threads = int(running[2])
            if id(cell) in finished or cell.intervals:
                cell = DraftCell(file=file)
            cell.clients, cell.workload = threads, ratios or running[1] or cell.workload
        elif (told := THREAD_COUNT.match(line)) is not None and int(told[1]) > 0:
            threads = int(told[1])
            cell.clients = cell.clients or threads
        elif (mixed := RATIOS.match(line)) is not None:
            ratios = mixed[1]
        elif (asked := ASKED_RATE.match(line)) is not None:
            rate = float(asked[1])
        elif HEAD.match(line):
            begun = True
            if id(cell) in finished:
                cell = DraftCell(file=file, clients=threads)
        elif (typed := COMMAND.search(line)) is not None and not command:
            command = typed[1]
        elif begun and id(cell) not in finished and (row := LINE.match(line)) is not None:
            _take_line(cell, row[1] or "total", row[2])
    if cell.intervals and cell not in cells:
        draft.note("doubtful", "ends before its results: broken off, or cut short", file)
        cells.append(cell)
    if not cells:
        raise Refused("holds neither results nor lines of a run", file.name)
    for one in cells:
        _finish(one, command, rate, draft)
    return cells


def _take_fact(cell: DraftCell, name: str, text: str, line: int) -> None:
    if name == "total operation time":
        cell.seconds = _seconds(text)
        return
    split = SPLIT.match(text)
    if split is None:
        return
    kinds = PER_KIND.findall(split[3] or "")
    if name == "op rate":
        for operation, said in ((ALL, split[1]), *kinds):
            cell.add("throughput", rounded(said), operation=operation, printed=f"{said} op/s",
                     statistic="counted", line=line)  # fmt: skip
    elif name in FIGURES:
        for operation, said in ((ALL, split[1]), *kinds):
            cell.add(FIGURES[name], rounded(said, US_PER_MS), operation=operation,
                     printed=f"{said} ms", statistic="merged", line=line)  # fmt: skip
    elif name in ("total partitions", "total operations", "total errors"):
        code = "errors" if name == "total errors" else "not told"
        for operation, said in kinds or ((ALL, split[1]),):
            many = whole(said)
            if many or (many == 0 and code == "not told"):
                cell.count(operation, code, many)


def _seconds(text: str) -> float | None:
    match = re.fullmatch(r"(?:(\d{1,4}):)?(\d{1,4}):(\d\d):(\d\d)", text.strip())
    if match is None:
        return None
    days, hours, minutes, seconds = (int(each or 0) for each in match.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds) or None


def _take_line(cell: DraftCell, kind: str, text: str) -> None:
    """`total ops, op/s, pk/s, row/s, mean, med, .95, .99, .999, max, time, stderr, …`; the oldest
    lack pk/s and row/s.
    """
    if kind != "total":
        return
    values = [number(each, "decimal") for each in text.split(",")]
    wide = len(values) >= 11
    start = 4 if wide else 2
    if len(values) < start + 7 or values[0] is None:
        return
    latencies = [None if v is None or v < 0 else v * US_PER_MS for v in values[start : start + 6]]
    at = values[start + 6]
    if at is None or not 0 <= at <= 366 * 86_400:
        return
    if not cell.columns:
        cell.columns = columns_of((name, ALL, "merged") for name in LATENCIES)
    before = cell.intervals[-1] if cell.intervals else None
    cell.add_interval(
        PublishedInterval(
            at_seconds=at,
            seconds=max(0.0, at - (before.at_seconds if before else 0.0)) or None,
            throughput=values[1],
            values=tuple(latencies),
        )
    )


def _finish(cell: DraftCell, command: str, rate: float | None, draft: Draft) -> None:
    """:param rate: of its settings, which do not say whether it was fixed or the most."""
    cell.command = command
    cell.files = [cell.file.told("cassandra-stress")] if cell.file else []
    limit = RATE_LIMIT.search(command)
    cell.rate = float(limit[2]) if limit else rate
    if limit or not rate:
        cell.loop = "open" if limit and limit[1] == "fixed" else "closed"
    else:
        draft.note("unknown", f"its settings ask for {rate:,.0f} operations a second, and do not "
                   "say whether `fixed` or `throttle`: whether its loop was open, is not told",
                   cell.file)  # fmt: skip
    asked = re.search(r"threads[=>]+\s?(\d{1,9})", command)
    cell.clients = cell.clients or (int(asked[1]) if asked else None)
    cell.pipeline = 1 if cell.clients else None
    cell.load_label = f"{cell.clients} threads" if cell.clients else ""
    if cell.clients is None:
        draft.note("unknown", "does not say how many threads there were", cell.file)
    total = sum(
        n for codes in cell.outcomes.values() for code, n in codes.items() if code != "errors"
    )
    failed = sum(codes.get("errors", 0) for codes in cell.outcomes.values())
    if failed and not total:
        raise Refused(f"all operations failed ({failed:,} errors): nothing was measured",
                      cell.file.name if cell.file else "")  # fmt: skip
    if cell.seconds and cell.seconds >= 100 and (said := cell.recompute(total)):
        draft.note("doubtful", said, cell.file)


IMPORTER = CassandraStress()
