"""HdrHistogram's interval logs, versions 1.0 to 1.3, tagged or not, of any encoding."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from weighhouse_judging.arithmetic.histograms import HistogramError
from weighhouse_protocol.published.cells import MOST_INTERVALS
from weighhouse_protocol.published.figures import ALL, PublishedInterval
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import MOST_NAMES, Draft, DraftCell, columns_of, titled
from weighhouse_imports.formats.ycsb_clients import PERCENTILE_NAMES, PERCENTILES, Logged
from weighhouse_imports.histograms import Merged, Sparse, decoded
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.numbers import number
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

LINE = re.compile(
    r'^(?:Tag=([^,]{1,120}),)?\s*([\d.,]{1,40}?),\s*([\d.]{1,40}),\s*([\d.eE+\-]{1,40}),\s*"?(HIST[A-Za-z0-9+/=]+|[A-Za-z0-9+/]{20,}=*)"?\s*$'
)
HEAD = re.compile(rb"^#\[Histogram log format version", re.MULTILINE)
COLUMNS = re.compile(rb'^"?StartTimestamp"?,"?(?:Interval_Length|EndTimestamp)"?', re.MULTILINE)
ROW = re.compile(rb"^(?:Tag=[^,\n]{1,120},)?[\d.]+,[\d.]+,[\d.eE+\-]+,HIST", re.MULTILINE)
VERSION = re.compile(r"#\[Histogram log format version ([\d.]{1,10})\]")
FOR = re.compile(r"#\[Logging for: ([^\]]{1,120})\]")
START = re.compile(r"#\[(StartTime|BaseTime): ([\d.]{1,30})")
UNIT = re.compile(
    r"\b(?:units?|values?)\b[^\n]{0,40}?\b(ns|us|µs|ms|nanoseconds|microseconds|milliseconds)\b",
    re.IGNORECASE,
)
LOGGED_WITH = re.compile(r"#\[Logged with ([^\]]{1,80})\]")
UNITS = {"ns": 1e-3, "nanoseconds": 1e-3, "us": 1.0, "µs": 1.0, "microseconds": 1.0,
         "ms": 1e3, "milliseconds": 1e3}  # fmt: skip
STRESS_TAG = re.compile(r"[A-Z]+-(?:st|rt|wt)")
ABSOLUTE = 1e9
"""Moments from here on are unix time."""
INTERVAL_FIGURES = ("p50_us", "p99_us", "max_us")
LONGEST = 366 * 86_400
"""Seconds that a run may have taken; what lies beyond is no interval of it."""


Values = tuple[int | None, ...]
"""Of `INTERVAL_FIGURES`, in the log's unit; empty: of neighbours that became one."""


@dataclass
class Stream:
    """The lines of one tag."""

    first_line: int
    begun: float
    """When its first line begins, where that is a moment; else 0."""
    merged: Merged = field(default_factory=Merged)
    intervals: list[tuple[float, float, int, Values]] = field(default_factory=list)
    """End since it began, length, count, values: of little room, however long the log is."""
    joined: bool = False
    """Whether neighbours became one."""
    left_out: bool = False
    """Whether an interval lies where none can."""

    def keep(self, start: float, length: float, count: int, values: Values) -> None:
        """One more interval."""
        end = start - self.begun + length
        if not 0 <= end <= LONGEST or not 0 <= length <= LONGEST:
            self.left_out = True
            return
        self.intervals.append((end, length, count, values))
        if len(self.intervals) > MOST_INTERVALS:
            self.joined = True
            pairs = zip(self.intervals[::2], [*self.intervals[1::2], None], strict=False)
            self.intervals = [
                one
                if other is None
                else (max(one[0], other[0]), one[1] + other[1], one[2] + other[2], ())
                for one, other in pairs
            ]


@dataclass
class Log:
    """A whole log."""

    file: ImportFile
    streams: dict[str, Stream] = field(default_factory=dict)
    unit_us: float | None = None
    unit_because: str = ""
    operation: str = ""
    writer: str = ""
    earliest: float = math.inf
    latest: float = -math.inf

    @property
    def seconds(self) -> float:
        """From the first interval's begin to the last one's end."""
        return self.latest - self.earliest if self.streams else 0.0


def read_log(file: ImportFile, draft: Draft) -> Log:
    """What one log holds.

    :raises Refused: for a line that is no histogram.
    """
    log = Log(file)
    ends = False
    for line_number, line in file.lines():
        text = line.strip()
        if not text:
            continue
        if text.startswith("#"):
            _comment(log, text)
            continue
        if "StartTimestamp" in text:
            ends = "EndTimestamp" in text and "Interval_Length" not in text
            continue
        match = LINE.match(text)
        if match is None:
            reason = f"is no line of a histogram log: {text[:60]!r}"
            raise Refused(reason, file.name, line_number)
        try:
            found = decoded(match[5])
        except HistogramError as error:
            raise Refused(f"a histogram {error}", file.name, line_number) from error
        _take(log, match, found, line_number)
    if ends:
        reason = "its head says EndTimestamp where the library writes lengths; taken as lengths"
        draft.note("unknown", reason, file)
    return log


def _take(log: Log, match: re.Match[str], found: Sparse, line_number: int) -> None:
    tag = match[1] or ""
    if tag not in log.streams and len(log.streams) >= MOST_NAMES:
        raise Refused(f"has more than {MOST_NAMES} tags", log.file.name, line_number)
    start = number(match[2].replace(",", "."), "decimal")
    length = number(match[3])
    if start is None or length is None:
        raise Refused("its moments are no numbers", log.file.name, line_number)
    log.earliest, log.latest = min(log.earliest, start), max(log.latest, start + length)
    stream = log.streams.setdefault(tag, Stream(line_number, start if start >= ABSOLUTE else 0.0))
    stream.merged.add(found)
    if tag in {"", next(iter(log.streams))}:  # of the others none is shown over time
        one = Merged()
        one.add(found)
        values = (one.quantile(0.5), one.quantile(0.99), one.greatest)
        stream.keep(start, length, one.total, values)


def _comment(log: Log, text: str) -> None:
    if (match := FOR.match(text)) is not None:
        log.operation = match[1].strip()
        log.unit_us, log.unit_because = 1.0, "YCSB logs microseconds"
    elif (match := LOGGED_WITH.match(text)) is not None:
        log.writer = match[1]
        if match[1].startswith("jHiccup"):
            log.unit_us, log.unit_because = 1e-3, "jHiccup logs nanoseconds"
    elif (
        START.match(text) is None
        and VERSION.match(text) is None
        and (unit := UNIT.search(text)) is not None
    ):
        log.unit_us, log.unit_because = UNITS[unit[1].lower()], "a comment says so"


def ycsb_log(file: ImportFile, draft: Draft) -> Logged | None:
    """A log that YCSB wrote of one operation; None for every other file."""
    if not HEAD.search(file.head) or b"#[Logging for:" not in file.head[:4000]:
        return None
    log = read_log(file, draft)
    whole = Merged()
    for tag, stream in log.streams.items():
        if not tag:
            whole = stream.merged
    return Logged(file.name, log.operation, whole)


class HdrLog(Importer):
    """Each tag is an operation of its own, for some repeat what others hold."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="hdr-log",
        title="HdrHistogram interval log (.hlog, .hdr)",
        reads=("log versions 1.0 to 1.3 with histograms of encodings V0, V1 and V2",),
        known_errors=(
            (
                "no log says what one of its values is: known of YCSB, jHiccup, cassandra-stress and "
                "where a comment says it, else unknown until whoever imports says it"
            ),
            "tagged lines may repeat untagged ones: tags are never added up",
            "its start may be 1970, and its head may call lengths ends",
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By its head, or by lines that end in a histogram."""
        del name
        if HEAD.search(head):
            return Recognition(0.97, "Histogram log format version")
        if COLUMNS.search(head) or ROW.search(head):
            return Recognition(0.9, "lines of encoded histograms")
        return None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """A cell for each log; logs of one run are told by whoever imports."""
        draft = Draft(told, title=titled(files))
        logs = [read_log(file, draft) for file in files]
        logs = [log for log in logs if log.streams or _empty(log, draft)]
        together: dict[str, list[Log]] = {}
        for log in logs:
            together.setdefault(log.operation if told.one_run else log.file.name, []).append(log)
        for same in together.values():
            _add(draft, same, told)
        return draft.built()


def _empty(log: Log, draft: Draft) -> bool:
    draft.note("refused", "holds no histogram", log.file)
    return False


def _add(draft: Draft, logs: Sequence[Log], told: Told) -> None:
    first = logs[0]
    unit = told.unit_us or first.unit_us
    tags = dict.fromkeys(tag for log in logs for tag in log.streams)
    if unit is None and all(STRESS_TAG.fullmatch(tag) for tag in tags):
        unit = 1e-3
    if unit is None:
        reason = "says nowhere what one of its values is; tell the unit (--unit ns, us or ms)"
        draft.note("unknown", reason, first.file)
    if len(tags) > 1:
        draft.note("unknown", "has several tags, which may repeat one another: none are added up",
                   first.file)  # fmt: skip
    cell = DraftCell(file=first.file, seconds=max(log.seconds for log in logs) or None)
    cell.files = [log.file.told("hdr-log") for log in logs][:100]
    cell.histogram_unit_us = unit
    for tag in tags:
        whole = Merged()
        streams = [log.streams[tag] for log in logs if tag in log.streams]
        for stream in streams:
            for end, count in stream.merged.counts.items():
                whole.counts[end] = whole.counts.get(end, 0) + count
                whole.middles[end] = stream.merged.middles[end]
            whole.total += stream.merged.total
            whole.digits = min(whole.digits, stream.merged.digits)
        _add_stream(cell, tag or first.operation or ALL, whole, unit, streams[0].first_line)
    if len(logs) == 1:
        _add_intervals(cell, first, unit, draft)
    draft.tool = draft.tool or first.writer
    draft.add(draft.side(), cell)


def _add_stream(
    cell: DraftCell, operation: str, whole: Merged, unit: float | None, line: int
) -> None:
    cell.count(operation, "not told", whole.total)
    if not whole.total:
        return
    told = [(name, whole.quantile(share)) for name, share in
            zip(PERCENTILE_NAMES, PERCENTILES, strict=True)]  # fmt: skip
    for name, value in (*told, ("max_us", whole.greatest), ("mean_us", whole.mean)):
        if value is not None:
            cell.add(
                name, value * unit if unit else None, operation=operation, statistic="merged",
                printed=f"{value:.3f}" if name == "mean_us" else f"{value}", line=line,
            )  # fmt: skip
    try:
        cell.histograms[operation] = whole.encoded()
    except HistogramError:
        cell.remarks.append(f"The histogram of {operation} holds values beyond 2⁶².")


def _add_intervals(cell: DraftCell, log: Log, unit: float | None, draft: Draft) -> None:
    """Those of the untagged stream, or of the first."""
    tag = "" if "" in log.streams else next(iter(log.streams))
    stream = log.streams[tag]
    operation = tag or log.operation or ALL
    if unit is not None:
        cell.columns = columns_of((name, operation, "merged") for name in INTERVAL_FIGURES)
    if stream.left_out:
        draft.note("unknown", "an interval lies outside of a year; left out", log.file)
    cell.joined = stream.joined
    for end, length, count, values in stream.intervals:
        told = tuple(None if v is None or unit is None else v * unit for v in values)
        cell.intervals.append(
            PublishedInterval(
                at_seconds=end,
                seconds=length,
                operations=count,
                throughput=count / length if length else None,
                values=told if unit is not None else (),
            )
        )


IMPORTER = HdrLog()
