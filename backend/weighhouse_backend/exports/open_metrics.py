"""The latest figures of series as OpenMetrics, for people's own dashboards.

Samples carry no time: a scraper refuses what is older than some hours, and a series may have its
latest figure from last month. When it was measured is a metric of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from prometheus_client.metrics_core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.registry import Collector, CollectorRegistry
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.text import in_one_line

from weighhouse_backend.alerts.schemas import SeriesSummaryRead
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.series.models import SeriesPoint

LABELS = ("series", "experiment", "system", "target", "workload", "load_level", "figure", "unit")


@dataclass(frozen=True)
class Latest:
    """A series with its latest point."""

    series: SeriesSummaryRead
    point: SeriesPoint
    interim: str
    """`so far, …` where more may come of the point's campaign; else empty."""


def open_metrics(found: Sequence[Latest], caveats: Sequence[CaveatRead]) -> bytes:
    """The exposition (OpenMetrics 1.0)."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(found, caveats))
    return cast("bytes", generate_latest(registry))  # type: ignore[no-untyped-call]


class _Collector(Collector):
    def __init__(self, found: Sequence[Latest], caveats: Sequence[CaveatRead]) -> None:
        self._found, self._caveats = found, caveats

    def collect(self) -> Iterable[Metric]:
        yield from _families(self._found)
        yield _interim(self._found)
        yield _disclaimers(self._caveats)


def _families(found: Sequence[Latest]) -> Iterator[Metric]:
    value = _gauge("weighhouse_series_value", "Latest figure, in the unit of its label.")
    low = _gauge("weighhouse_series_low", "Lower bound of the latest figure.")
    high = _gauge("weighhouse_series_high", "Upper bound of the latest figure.")
    repeats = _gauge("weighhouse_series_repeats", "Repeats that the latest figure comes from.")
    measured = _gauge(
        "weighhouse_series_measured_timestamp_seconds", "When the latest figure was asked for."
    )
    changes = _gauge("weighhouse_series_change_points", "Confirmed change points.")
    for one in found:
        labels, point = _labels(one.series), one.point
        value.add_metric(labels, point.value)
        low.add_metric(labels, point.low)
        high.add_metric(labels, point.high)
        repeats.add_metric(labels, len(point.repeats))
        measured.add_metric(labels, point.at.timestamp())
        changes.add_metric(labels, one.series.change_points_count)
    yield from (value, low, high, repeats, measured, changes)


def _gauge(name: str, documentation: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, documentation, labels=LABELS)


def _labels(series: SeriesSummaryRead) -> list[str]:
    figure = CATALOGUE.find(series.metric)
    told = (
        str(series.id), series.experiment.name, series.system_id, series.target, series.workload,
        series.load_level.label, series.metric, "" if figure is None else figure.unit,
    )  # fmt: skip
    return [in_one_line(one) for one in told]


def _interim(found: Sequence[Latest]) -> Metric:
    family = GaugeMetricFamily(
        "weighhouse_series_interim",
        "1 where more may come of the campaign of the latest figure.",
        labels=("series", "words"),
    )
    for one in found:
        family.add_metric([str(one.series.id), one.interim], 1 if one.interim else 0)
    return family


def _disclaimers(caveats: Sequence[CaveatRead]) -> Metric:
    family = InfoMetricFamily(
        "weighhouse_disclaimers",
        "What must stand beside the figures.",
        labels=("id", "severity"),
    )
    for one in caveats:
        text = in_one_line(f"{one.title}: {one.text}")
        family.add_metric([one.id, one.severity], {"text": text})
    return family
