"""Histograms that leave the house, in the forms that the field's own tools read. Pure.

`.hgrm` is the percentile text of HdrHistogram (`outputPercentileDistribution`), which its plotter
and most others draw. `.hlog` is its interval log, version 1.3, a line a run, which its log
processors read and merge. Both begin with comments that say what was measured, on what, and what
must stand beside the numbers; all readers of both pass lines that begin with `#` over.
"""

import base64
import datetime
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from weighhouse_judging.arithmetic.histograms import NS_PER_US, Counts, Histogram
from weighhouse_protocol.text import numbered

from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.measurements.charts import spectrum
from weighhouse_backend.results.histogram_schemas import (
    HistogramFacts,
    HistogramPercentile,
    HistogramRead,
)

TICKS = 5
"""Lines of the percentile text from one halving of what is left to the next; HdrHistogram's own."""

NS_PER_MS = 1e6
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


@dataclass(frozen=True)
class RecordedRun:
    """One run in an export."""

    started_at: datetime.datetime | None
    seconds: float
    """Length of the phase."""
    encoded: bytes
    """Its histogram, in the compressed V2 form."""


@dataclass(frozen=True)
class HistogramExport:
    """Histograms of one operation, with all that has to travel with them."""

    facts: HistogramFacts
    caveats: Sequence[CaveatRead]
    view: str
    """Address of the page that shows it."""
    stamp: str | None
    """`not for publication: REASON`, where the systems' terms do not allow it."""
    runs: Sequence[RecordedRun]

    @property
    def merged(self) -> Histogram:
        """All runs together; raises HistogramError when one cannot be read."""
        return Histogram.merged([run.encoded for run in self.runs])


def as_json(export: HistogramExport) -> HistogramRead:
    """Facts, percentiles, buckets, and the encoded histogram."""
    merged = export.merged
    ends, counts = merged.filled()
    return HistogramRead(
        facts=export.facts,
        total=merged.total,
        mean_us=merged.mean_us,
        max_us=merged.max_us,
        percentiles=[HistogramPercentile(**asdict(point)) for point in spectrum(merged)],
        buckets_us=(ends / NS_PER_US).tolist(),
        counts=counts.tolist(),
        encoded=base64.b64encode(merged.encoded()).decode(),
        caveats=list(export.caveats),
        view=export.view,
        stamp=export.stamp,
    )


def as_hgrm(export: HistogramExport) -> str:
    """The percentile text, values in µs."""
    header = [f"# {line}" for line in _notes(export)]
    return "\n".join([*header, *percentile_lines(export.merged)]) + "\n"


def as_hlog(export: HistogramExport) -> str:
    """The interval log: a line a run, tagged by operation; values in ns, largest of each in ms."""
    starts = [run.started_at for run in export.runs if run.started_at is not None]
    begin = min(starts, default=EPOCH)
    lines = [
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {begin.timestamp():.3f} (seconds since epoch), {begin.isoformat()}]",
        f"#[BaseTime: {begin.timestamp():.3f} (seconds since epoch)]",
        *(f"# {line}" for line in _notes(export)),
        "# starts: when each run began, its deployment included",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    for run in export.runs:
        largest = Histogram.merged([run.encoded]).max_us or 0.0
        after = (run.started_at or begin) - begin
        lines.append(
            f"Tag={export.facts.operation},{after.total_seconds():.3f},{run.seconds:.3f},"
            f"{largest * NS_PER_US / NS_PER_MS:.3f},{base64.b64encode(run.encoded).decode()}"
        )
    return "\n".join(lines) + "\n"


def percentile_lines(histogram: Histogram) -> Iterator[str]:
    """HdrHistogram's percentile text, values in µs to three places.

    Levels halve the distance to 100 % in TICKS steps each; the value at a level is the upper end of
    the first bucket that holds so large a share. The last line, at 100 %, has no 1/(1-Percentile).
    """
    yield "       Value     Percentile TotalCount 1/(1-Percentile)"
    yield ""
    ends, counts = histogram.filled()
    total = int(counts.sum())
    if total:
        yield from _levels(ends, counts, total)
    mean = histogram.mean_us or 0.0
    yield f"#[Mean    = {mean:12.3f}, StdDeviation   = {_deviation_us(histogram):12.3f}]"
    yield f"#[Max     = {histogram.max_us or 0.0:12.3f}, Total count    = {total:12d}]"
    half = 1 << histogram.layout.half_magnitude
    buckets = histogram.layout.buckets // half - 1
    yield f"#[Buckets = {buckets:12d}, SubBuckets     = {2 * half:12d}]"


def _levels(ends: Counts, counts: Counts, total: int) -> Iterator[str]:
    running = np.cumsum(counts)
    for step in itertools.count():
        halving, tick = divmod(step, TICKS)
        beyond = 2.0**-halving * (1 - tick / (2 * TICKS))
        rank = max(1, math.ceil((1 - beyond) * total - 1e-9))
        place = int(np.searchsorted(running, rank, side="left"))
        value = float(ends[place]) / NS_PER_US
        yield f"{value:12.3f} {1 - beyond:2.12f} {int(running[place]):10d} {1 / beyond:14.2f}"
        if running[place] == total:
            break
    yield f"{float(ends[-1]) / NS_PER_US:12.3f} {1:2.12f} {total:10d}"


def _deviation_us(histogram: Histogram) -> float:
    filled = np.flatnonzero(histogram.counts)
    if filled.size == 0:
        return 0.0
    middles = histogram.layout.middles(filled) / NS_PER_US
    weights = histogram.counts[filled]
    mean = np.average(middles, weights=weights)
    return float(np.sqrt(np.average((middles - mean) ** 2, weights=weights)))


def _notes(export: HistogramExport) -> Iterator[str]:
    """What is measured, and what must stand beside it, a line each."""
    facts = export.facts
    version = "" if facts.version is None else f" {facts.version}"
    many = len(facts.run_ids) > 1
    if facts.so_far:
        yield _line(facts.so_far)
    if export.stamp is not None:
        yield _line(export.stamp)
    yield from (
        _line(text)
        for text in (
            f"counts: {facts.counts}",
            f"operation: {facts.operation}, {facts.phase} phase",
            f"system: {facts.system}{version}, target {facts.target} ({facts.target_name})",
            f"workload: {facts.workload}, load: {facts.load_level}",
            f"experiment: {facts.experiment}",
            f"campaign: {numbered(facts.campaign_number)} ({facts.campaign_id})",
            f"{'runs, merged' if many else 'run'}: {', '.join(map(str, facts.run_ids))}",
            f"beyond its range, in no percentile: {facts.overflow}",
            f"software: {facts.software}, exported {facts.exported_at.isoformat()}",
            f"view: {export.view}",
            *_caveats(export.caveats),
        )
    )


def _caveats(caveats: Sequence[CaveatRead]) -> Iterator[str]:
    """All short forms in a line, each text as a footnote."""
    if caveats:
        yield "caveats: " + "; ".join(f"{one.chip} [{n}]" for n, one in enumerate(caveats, 1))
    yield from (f"[{n}] {one.title}: {one.text}" for n, one in enumerate(caveats, 1))


def _line(text: str) -> str:
    """On one line, whatever it was."""
    return " ".join(text.split())
