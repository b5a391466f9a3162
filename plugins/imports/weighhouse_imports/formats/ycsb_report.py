"""What one YCSB client wrote: its command, its status lines and its report. Read from its sources
(core/src/main/java/site/ycsb: Client, the measurements and their exporters), 0.1 to 0.18.
"""

import datetime
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from weighhouse_protocol.published.cells import MOST_INTERVALS

from weighhouse_imports.draft import MOST_NAMES, Draft
from weighhouse_imports.numbers import (
    NOTHING,
    Rounded,
    cut,
    number,
    percentile_name,
    rounded,
    whole,
)
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

ROW = re.compile(r"^\[([^\]]{1,120})\], ?([^,]{1,120}), ?(.{1,120})$")
STATUS = re.compile(r"(?:^|\s)(\d{1,9}) sec: (\d{1,18}) operations;(.*)$")
STAMP = re.compile(r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)[:.,](\d{3})")
CURRENT = re.compile(r"([^;\s]{1,40}) current ops/sec")
BLOCK = re.compile(r"\[([A-Za-z][\w\- ]{0,80}): ([^\]]{1,2000})\]")
OLD_BLOCK = re.compile(r"\[([A-Za-z][\w\-]{0,80}) AverageLatency\((us|ms)\)=([^\]]{1,40})\]")
LATENCY = re.compile(r"(Average|Min|Max)Latency\((ns|us|ms)\)")
PERCENTILE = re.compile(r"(\d{1,3}(?:\.\d+)?)(?:th|st|nd|rd)?PercentileLatency\((ns|us|ms)\)")
BUCKET = re.compile(r">?\d{1,12}")
COMMAND = re.compile(r"^(?:Command line: |\[?command line\]?[:,] )(.*)$")
STARTED = re.compile(r"(?:site\.ycsb|com\.yahoo\.ycsb)\.Client\s(.*)$|^\S*bin/ycsb(?:\.sh)?\s(.*)$")
VERSION = re.compile(r"YCSB Client ([\w.\-]{1,40})|/core-(\d[\w.\-]{1,40}?)\.jar")
FIGURES = {"Average": "mean_us", "Min": "min_us", "Max": "max_us"}
US = {"ns": 1e-3, "us": 1.0, "ms": 1e3}
MOST_COLUMNS = 100
MOST_KEYS = 1_000
MOST_BUCKETS = 100_000
NONE_BELOW = 2
"""Decimals from which on a value is a mean of a time series, and no count of a bucket."""


@dataclass(slots=True)
class Status:
    """A status line."""

    second: int
    operations: int
    at: float | None
    """Unix time, s, of a clock whose zone is not told."""
    throughput: float | None
    values: tuple[float | None, ...] = ()
    """In the order of the report's keys; shorter, where a later line named more."""


@dataclass
class Latency:
    """A row of the report."""

    figure: str
    text: str
    unit: str
    line: int

    @property
    def found(self) -> Rounded | None:
        """In µs; what was counted in buckets of a millisecond was cut off."""
        if self.unit == "ms" and self.figure.startswith("p"):
            return cut(self.text, US["ms"])
        return rounded(self.text, US[self.unit])

    @property
    def printed(self) -> str:
        """With its unit."""
        return f"{self.text} {self.unit}"


@dataclass
class Operation:
    """What the report says of one operation."""

    count: int | None = None
    returns: dict[str, int] = field(default_factory=dict)
    latencies: list[Latency] = field(default_factory=list)
    percentiles: list[tuple[str, Latency]] = field(default_factory=list)
    """Name as it is printed, and its row."""
    course: list[tuple[int, float]] = field(default_factory=list)
    """Of `measurementtype=timeseries`: ms since the start → mean latency, µs."""

    @property
    def answered(self) -> int:
        """All that came back, with whatever code."""
        return sum(self.returns.values()) if self.returns else self.count or 0


@dataclass
class Report:
    """One client's output."""

    file: ImportFile
    files: list[ImportFile] = field(default_factory=list)
    command: str = ""
    version: str = ""
    seconds: float | None = None
    throughput: tuple[str, int] | None = None
    """As it is printed, and its line."""
    operations: dict[str, Operation] = field(default_factory=dict)
    statuses: list[Status] = field(default_factory=list)
    keys: dict[tuple[str, str], int] = field(default_factory=dict)
    """(operation, figure) → its place among the values of status lines."""
    stride: int = 1
    """One of so many status lines is kept: what they count is told since the start, and so none is
    lost; their latencies are."""
    _passed: int = 0
    _last: Status | None = None

    @property
    def latest(self) -> Status | None:
        """The last status line, kept or not."""
        return self._last

    def add_status(self, status: Status) -> None:
        """Take a status line, and hold no more of them than a document does."""
        self._last = status
        self._passed += 1
        if self._passed % self.stride:
            return
        self.statuses.append(status)
        if len(self.statuses) > MOST_INTERVALS:
            self.stride *= 2
            self.statuses = self.statuses[1::2]
            for one in self.statuses:
                one.values, one.throughput = (), None

    def end(self) -> None:
        """Keep the last status line, whatever the stride."""
        if self._last is not None and (not self.statuses or self.statuses[-1] is not self._last):
            self.statuses.append(self._last)

    @property
    def has_report(self) -> bool:
        """Did it come to its end?"""
        return self.seconds is not None or bool(self.operations)

    @property
    def span(self) -> tuple[float, float] | None:
        """When it ran, by its own clock."""
        seen = [one.at for one in self.statuses if one.at is not None]
        return (seen[0], seen[-1]) if len(seen) > 1 else None

    def row(self, metric: str, name: str, text: str, line: int, draft: Draft) -> None:
        """Take one row of the report.

        :raises Refused: for a second result in one file, and for what cannot be.
        """
        if metric == "OVERALL":
            self._overall(name, text, line)
            return
        if metric.startswith(("TOTAL_GC", "TOTAL_", "MAX_", "MIN_", "USED_MEM", "THREADS", "SYS_")):
            return
        if metric not in self.operations and len(self.operations) >= MOST_NAMES:
            raise Refused(f"names more than {MOST_NAMES} operations", self.file.name, line)
        operation = self.operations.setdefault(metric, Operation())
        if name == "Operations":
            if operation.count is not None:
                raise _second(self.file, line)
            operation.count = whole(text)
            if operation.count is None:
                draft.note("unknown", f"[{metric}] has {text!r} operations", self.file, line)
        elif name.startswith("Return="):
            many = whole(text)
            if many is not None:
                operation.returns[name.removeprefix("Return=")] = many
        elif match := LATENCY.fullmatch(name):
            operation.latencies.append(Latency(FIGURES[match[1]], text, match[2], line))
        elif match := PERCENTILE.fullmatch(name):
            operation.percentiles.append((match[1], Latency("p", text, match[2], line)))
        elif BUCKET.fullmatch(name):
            value = number(text)
            if "." in text and value is not None and len(operation.course) < MOST_BUCKETS:
                operation.course.append((int(name.lstrip(">")), value))
        else:
            draft.note("unknown", f"a row is not known: {name[:80]!r}", self.file, line)

    def _overall(self, name: str, text: str, line: int) -> None:
        if name.startswith("RunTime("):
            if self.seconds is not None:
                raise _second(self.file, line)
            value = number(text)
            if value is None or value <= 0:
                reason = f"a run time of {text} ms: nothing can be said of such a run"
                raise Refused(reason, self.file.name, line)
            self.seconds = value / (1e3 if "(ms)" in name else 1e6 if "(us)" in name else 1.0)
        elif name.startswith("Throughput("):
            self.throughput = (text.strip(), line)

    def named(self, operation: Operation, draft: Draft) -> Iterator[tuple[str, Latency]]:
        """Percentiles of an operation by the names that can be meant. Where the tool cut names so
        that one stands twice, or is the hundredth, those of the command are taken; else they are
        left out.
        """
        asked = re.search(r"hdrhistogram\.percentiles=([\d.,]+)", self.command)
        meant = asked[1].strip(",").split(",") if asked else []
        printed = [name for name, _ in operation.percentiles]
        ill = {name for name in printed if printed.count(name) > 1 or percentile_name(name) is None}
        by_order = len(meant) == len(printed)
        for at, (name, row) in enumerate(operation.percentiles):
            figure = percentile_name(meant[at] if name in ill and by_order else name)
            if figure is None or (name in ill and not by_order):
                reason = f"`{name}PercentileLatency` cannot be what is meant; left out"
                draft.note("refused", reason, self.file, row.line)
                continue
            yield figure, row


def _second(file: ImportFile, line: int) -> Refused:
    reason = (
        "a second result begins here; give each a file of its own (clients of one run, too: files "
        "of one folder are added up)"
    )
    return Refused(reason, file.name, line)


def read_report(file: ImportFile, draft: Draft) -> Report:
    """What one file holds.

    :raises Refused: for two results in one file, a run time that cannot be, broken JSON.
    """
    report = Report(file, [file])
    if file.head.lstrip()[:1] in (b"[", b"{") and b'"metric"' in file.head[:2000]:
        for metric, name, text in _json_rows(file):
            report.row(metric, name, text, 0, draft)
        return report
    for line_number, line in file.lines():
        if line.startswith("[") and (row := ROW.match(line)):
            report.row(row[1].strip(), row[2].strip(), row[3].strip(), line_number, draft)
        elif (found := STATUS.search(line)) is not None:
            _take_status(report, found, line, line_number)
        elif not report.command or not report.version:
            _take_start(report, line)
    report.end()
    return report


def _take_start(report: Report, line: str) -> None:
    if (told := COMMAND.match(line)) is not None:
        report.command = told[1]
    elif not report.command and (started := STARTED.search(line)) is not None:
        report.command = started[1] or started[2] or ""
    if not report.version and (version := VERSION.search(line)) is not None:
        report.version = version[1] or version[2]


def _take_status(report: Report, found: re.Match[str], line: str, line_number: int) -> None:
    rest = found[3]
    current = CURRENT.search(rest)
    status = Status(
        second=int(found[1]),
        operations=int(found[2]),
        at=_stamp(line),
        throughput=number(current[1], "decimal") if current else None,
    )
    if report.latest is not None and status.second < report.latest.second:
        raise _second(report.file, line_number)
    if report.stride == 1:
        found_values: dict[int, float] = {}
        for block in BLOCK.finditer(rest):
            _take_block(report, found_values, block[1], block[2])
        for old in OLD_BLOCK.finditer(rest):
            value = number(old[3], "decimal")
            if value is not None:
                found_values[_place(report, old[1], "mean_us")] = value * US[old[2]]
        most = max(found_values, default=-1) + 1
        status.values = tuple(found_values.get(at) for at in range(most))
    else:
        status.throughput = None
    report.add_status(status)


def _place(report: Report, operation: str, figure: str) -> int:
    return report.keys.setdefault((operation, figure), len(report.keys))


def _take_block(report: Report, values: dict[int, float], operation: str, text: str) -> None:
    counted = True
    for part in text.split(", "):
        name, _, said = part.partition("=")
        value = number(said.strip(), "decimal")
        if name == "Count":
            counted = bool(value)
        if value is None or value < 0 or not counted:
            continue
        figure = {"Count": "operations", "Max": "max_us", "Min": "min_us", "Avg": "mean_us"}.get(
            name, percentile_name(name) or ""
        )
        fits = figure == "operations" or value < NOTHING
        if figure and fits and len(report.keys) < MOST_KEYS:
            values[_place(report, operation, figure)] = value


def _stamp(line: str) -> float | None:
    match = STAMP.search(line[:200])
    if match is None:
        return None
    year, month, day, hour, minute, second, part = (int(each) for each in match.groups())
    try:
        moment = datetime.datetime(
            year, month, day, hour, minute, second, part * 1000, tzinfo=datetime.UTC
        )
    except ValueError:
        return None
    return moment.timestamp()


def _json_rows(file: ImportFile) -> Iterator[tuple[str, str, str]]:
    """An array of objects, or objects one after the other."""
    text = file.whole()
    decoder = json.JSONDecoder(parse_constant=str)
    at = 0
    while (at := _next(text, at)) < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            line = text.count("\n", 0, at) + 1
            raise Refused(f"is no whole JSON: {error}", file.name, line) from error
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict) and {"metric", "measurement", "value"} <= set(each):
                yield str(each["metric"])[:120], str(each["measurement"])[:120], str(each["value"])


def _next(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at
