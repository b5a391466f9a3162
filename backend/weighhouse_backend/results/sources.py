"""How each figure of the catalogue is worked out of what was measured. Pure."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from operator import attrgetter

from weighhouse_judging.arithmetic.histograms import Histogram
from weighhouse_protocol.figures import CATALOGUE, Figure, Figures, Value

from weighhouse_backend.measurements.models import RunSummary
from weighhouse_backend.measurements.records import AttemptRecord
from weighhouse_backend.results.figure_rows import FigureFacts, OperationRow, Totals
from weighhouse_backend.results.footprints import per_record


@dataclass(frozen=True)
class Measured:
    """What a completed run left; None where there was no such phase."""

    measured: RunSummary | OperationRow | Totals | None
    """Of the measured phase, over all operations."""
    loaded: RunSummary | OperationRow | Totals | None
    record: AttemptRecord | FigureFacts | None


SERVER_CPU = "server_cpu_us"
"""Where the processor time of the system's processes over the measured phase, µs, stands in a
record's settled facts, `RunRecord.driver`; none of runs from before it was kept."""
SERVER_CALL, SERVER_BYTES, HIT_RATIO = "server_call_us", "server_bytes", "hit_ratio"
"""Likewise what the servers counted of their own work: µs and bytes a call, and percent."""
CLIENT_HIT_RATIO = "client_hit_ratio"
"""Likewise the drivers' own count of it, percent, where a workload fills what it misses."""
WIRE, FLOW = "wire_bytes", "bytes_per_second"
"""Likewise bytes on the drivers' connections, for an operation sent and for a second."""
READ_FLOW, WRITTEN_FLOW = "read_bytes_per_second", "written_bytes_per_second"
"""Likewise bytes of values that successful operations asked for, and wrote, a second."""
Source = Callable[[Measured], float | None]


def _summary(column: str) -> Source:
    read = attrgetter(column)
    return lambda run: None if run.measured is None else read(run.measured)


def _memory(moment: str) -> Source:
    return lambda run: (
        None if run.record is None else run.record.memory.get(moment, {}).get("resident_bytes")
    )


def _added_a_record(size: str) -> Source:
    def read(run: Measured) -> float | None:
        told = {} if run.record is None else run.record.memory
        empty, loaded = (told.get(one, {}).get(size) for one in ("before", "after_load"))
        held = told.get("after_load", {}).get("records") or (run.loaded.ok if run.loaded else 0)
        return per_record(empty, loaded, held)

    return read


def _server_cpu(run: Measured) -> float | None:
    used = None if run.record is None else (run.record.driver or {}).get(SERVER_CPU)
    if used is None or run.measured is None:
        return None
    answered = run.measured.ok + run.measured.not_found + run.measured.verify_failed
    return used / answered if answered else None


def _settled(name: str) -> Source:
    return lambda run: None if run.record is None else (run.record.driver or {}).get(name)


SOURCES: Mapping[str, Source] = {
    **{
        name: _summary(name)
        for name in ("throughput", "mean_us", "p50_us", "p95_us", "p99_us", "p999_us", "p9999_us",
                     "max_us")
    },
    "load_throughput": lambda run: None if run.loaded is None else run.loaded.throughput,
    "memory_before_bytes": _memory("before"),
    "memory_after_load_bytes": _memory("after_load"),
    "memory_after_bytes": _memory("after"),
    "server_cpu_us": _server_cpu,
    SERVER_CALL: _settled(SERVER_CALL),
    SERVER_BYTES: _settled(SERVER_BYTES),
    HIT_RATIO: _settled(HIT_RATIO),
    CLIENT_HIT_RATIO: _settled(CLIENT_HIT_RATIO),
    WIRE: _settled(WIRE),
    FLOW: _settled(FLOW),
    READ_FLOW: _settled(READ_FLOW),
    WRITTEN_FLOW: _settled(WRITTEN_FLOW),
    "memory_per_record_bytes": _added_a_record("resident_bytes"),
    "used_per_record_bytes": _added_a_record("used_bytes"),
    "disk_per_record_bytes": _added_a_record("disk_bytes"),
}  # fmt: skip
"""By the figure's name. A percentile that is not among them comes out of the stored histogram."""


def worked_out(run: Measured) -> Figures:
    """Every figure of the catalogue that has a source and that the run gave."""
    found = {}
    for figure in CATALOGUE:
        source = SOURCES.get(figure.name)
        value = None if source is None else source(run)
        if value is not None:
            found[figure.name] = Value(float(value), figure.statistic)
    return found


def is_asked_of_histogram(figure: Figure) -> bool:
    """Is it a percentile that nobody worked out before?"""
    return figure.quantile is not None and figure.name not in SOURCES


def percentiles(asked: Collection[Figure], encoded: bytes | None) -> Figures:
    """Percentiles out of the merged histogram of a run's measured phase; µs.

    :param asked: those of `is_asked_of_histogram`.
    :param encoded: the histogram, in the compressed V2 form; None: there is none.
    """
    if encoded is None:
        return {}
    values = Histogram.merged([encoded]).quantiles_us(
        [figure.quantile for figure in asked if figure.quantile is not None]
    )
    return {
        figure.name: Value(value, figure.statistic)
        for figure, value in zip(asked, values, strict=True)
        if value is not None
    }
