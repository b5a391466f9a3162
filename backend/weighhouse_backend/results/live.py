"""What people see while a run measures: the latest interval in a few figures. Pure."""

import datetime
from dataclasses import asdict, dataclass
from typing import Any, Self
from uuid import UUID

from weighhouse_judging.arithmetic.histograms import HistogramError

from weighhouse_backend.measurements.packed_intervals import StoredInterval
from weighhouse_backend.measurements.summaries import US_PER_SECOND, PhaseSum
from weighhouse_backend.runs.instants import instant


@dataclass(frozen=True)
class LiveSample:
    """One interval of a run; latencies in µs, None where nothing succeeded."""

    run_id: UUID
    at: datetime.datetime
    phase: str
    throughput: float
    p50_us: float | None
    p99_us: float | None
    elapsed_seconds: float | None
    """Since the attempt began."""

    def as_json(self) -> dict[str, Any]:
        """The sample as the stream of server-sent events carries it."""
        return {**asdict(self), "run_id": str(self.run_id), "at": self.at.isoformat()}

    @classmethod
    def of(
        cls, interval: StoredInterval, run_id: UUID, started_at: datetime.datetime | None
    ) -> Self:
        """The figures of an interval; a histogram that cannot be read leaves latencies out."""
        end = instant(interval.start_us + interval.duration_us)
        phase = PhaseSum(interval.phase, interval.start_us, interval.start_us)
        try:
            phase.add(interval)
            total = phase.everything()
            p50, p99 = total.response.quantiles_us([0.5, 0.99])
        except HistogramError:
            total, p50, p99 = phase.everything(), None, None
        seconds = interval.duration_us / US_PER_SECOND
        return cls(
            run_id=run_id,
            at=end,
            phase=interval.phase,
            throughput=total.ok / seconds if seconds else 0.0,
            p50_us=p50,
            p99_us=p99,
            elapsed_seconds=(end - started_at).total_seconds() if started_at else None,
        )
