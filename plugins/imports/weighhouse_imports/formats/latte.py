"""latte's JSON reports."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from weighhouse_judging.arithmetic.histograms import HistogramError
from weighhouse_protocol.published.figures import ALL, PublishedInterval
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import Draft, DraftCell, columns_of, titled
from weighhouse_imports.histograms import merged
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.numbers import number, whole
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

MARK = re.compile(rb'"(?:cycle_count|cycle_throughput|request_latency|concurrency_ratio)"\s*:')
CONFIGURED = re.compile(rb'^\s*\{\s*"conf"\s*:\s*\{')
SHARES = (None, "p01_us", "p02_us", "p05_us", "p10_us", "p25_us", "p50_us", "p75_us", "p90_us",
          "p95_us", "p98_us", "p99_us", "p999_us", "p9999_us", None)  # fmt: skip
"""What its list of fifteen percentiles holds; its first is the least, its last the greatest."""
US_PER_MS = 1000.0
MOST_FUNCTIONS = 50


class Latte(Importer):
    """A report is a cell; its functions are operations."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="latte",
        title="latte",
        reads=("the JSON that latte 0.26 and later write, with whole histograms",),
        known_errors=(
            "its rate is the mean over samples: cycles ÷ time stand beside it",
            "earlier versions name other fields: refused by name",
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By its configuration and the names of its results."""
        del name
        if CONFIGURED.search(head) and (MARK.search(head) or b'"result"' in head):
            return Recognition(0.9, "conf and result of its report")
        if CONFIGURED.search(head) and b'"workload"' in head:
            return Recognition(0.7, "the configuration of its report")
        return None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """A cell for each report."""
        draft = Draft(told, title=titled(files), tool="latte")
        for file in files:
            _add(draft, file, several=len(files) > 1)
        return draft.built()


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _add(draft: Draft, file: ImportFile, *, several: bool) -> None:
    try:
        document = _object(json.loads(file.whole(), parse_constant=lambda _: None))
    except (ValueError, RecursionError) as error:
        raise Refused(
            f"is no whole JSON: {error}", file.name, getattr(error, "lineno", None)
        ) from (error)
    conf, result = _object(document.get("conf")), _object(document.get("result"))
    if "cycle_latency" not in result:
        reason = "has no cycle_latency: a report of a version of latte that is not known"
        raise Refused(reason, file.name)
    cell = DraftCell(file=file, files=[file.told("latte")], run=file.stem if several else "")
    cell.seconds = _number(result.get("elapsed_time_s")) or None
    threads, each = _whole(conf.get("threads")) or 1, _whole(conf.get("concurrency"))
    cell.clients = threads * each if each else None
    cell.pipeline = 1 if each else None
    cell.rate = _number(conf.get("rate"))
    cell.loop = "open" if cell.rate else "closed"
    cell.load_label = f"{threads} threads × {each}" if each else ""
    cell.workload = str(conf.get("workload", ""))[-200:]
    cycles = _whole(result.get("cycle_count"))
    rate = _number(_object(result.get("cycle_throughput")).get("value"))
    if rate is not None:
        cell.add("throughput", rate, printed=f"{rate:g} op/s", statistic="sampled")
    _add_latency(cell, ALL, _object(result["cycle_latency"]), draft)
    for name, told in list(_object(result.get("cycle_latency_by_fn")).items())[:MOST_FUNCTIONS]:
        _add_latency(cell, str(name), _object(told), draft)
    failed = _whole(result.get("error_count")) or 0
    if cycles is not None:
        cell.count(ALL, "OK", max(0, cycles - failed))
        if failed:
            cell.count(ALL, "errors", failed)
        if cycles and failed >= cycles:
            raise Refused("every cycle failed: nothing was measured", file.name)
    if (said := cell.recompute(cycles)) is not None:
        draft.note("doubtful", said, file)
    _add_log(cell, result.get("log"))
    cluster = _object(conf.get("cluster")) or conf
    version = str(cluster.get("cass_version") or conf.get("cass_version") or "")
    draft.add(draft.side("", version), cell)


def _add_latency(cell: DraftCell, operation: str, told: Mapping[str, Any], draft: Draft) -> None:
    mean = _number(_object(told.get("mean")).get("value"))
    if mean is not None:
        cell.add("mean_us", mean * US_PER_MS, operation=operation, printed=f"{mean:g} ms",
                 statistic="merged")  # fmt: skip
    values = told.get("percentiles")
    if isinstance(values, list) and len(values) == len(SHARES):
        names = ("min_us", *SHARES[1:-1], "max_us")
        for name, one in zip(names, values, strict=True):
            value = _number(_object(one).get("value"))
            if value is not None and name:
                cell.add(name, value * US_PER_MS, operation=operation, printed=f"{value:g} ms",
                         statistic="merged")  # fmt: skip
    encoded = told.get("histogram")
    if isinstance(encoded, str):
        try:
            cell.histograms[operation] = merged([encoded + "=" * (-len(encoded) % 4)]).encoded()
            cell.histogram_unit_us = 1e-3
        except HistogramError as error:
            draft.note("unknown", f"the histogram of {operation} {error}", cell.file)


def _add_log(cell: DraftCell, log: Any) -> None:
    if not isinstance(log, list):
        return
    cell.columns = columns_of([("mean_us", ALL, "merged")])
    for sample in log:
        told = _object(sample)
        at, length = _number(told.get("time_s")), _number(told.get("duration_s"))
        if at is None or length is None or not 0 <= at + length <= 366 * 86_400 or length < 0:
            continue
        mean = _number(_object(_object(told.get("cycle_latency")).get("mean")).get("value"))
        cell.intervals.append(
            PublishedInterval(
                at_seconds=at + length,
                seconds=length,
                operations=_whole(told.get("cycle_count")),
                throughput=_number(told.get("cycle_throughput")),
                values=(None if mean is None else mean * US_PER_MS,),
            )
        )


def _number(value: Any) -> float | None:
    return None if isinstance(value, bool) or value is None else number(str(value))


def _whole(value: Any) -> int | None:
    return None if isinstance(value, bool) or value is None else whole(str(value))


IMPORTER = Latte()
