"""memtier_benchmark: its JSON with whole histograms, and the table that it prints."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from weighhouse_judging.arithmetic.histograms import HistogramError
from weighhouse_protocol.published.figures import ALL, PublishedInterval
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import Draft, DraftCell, columns_of, titled
from weighhouse_imports.formats.memtier_table import (
    AVERAGED,
    UNLIKE,
    US_PER_MS,
    hold_against_load,
    read_text,
    tell_runs_apart,
)
from weighhouse_imports.histograms import merged
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.numbers import number, percentile_name, rounded, whole
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

JSON_BYTES = re.compile(
    rb'"(?:ALL STATS|(?:BEST|WORST) RUN RESULTS|RUN #\d+ RESULTS|AGGREGATED AVERAGE RESULTS[^"]*)"\s*:'
)
CONFIGURED = re.compile(rb'"configuration"\s*:\s*\{')
TABLE_BYTES = re.compile(
    rb"^Type\s+Ops/sec\s+(?:Hits/sec\s+Misses/sec|(?:Avg\. )?Latency)", re.MULTILINE
)
NO_JSON = re.compile(r"(?<=[:\[,\s])-?(?:nan|inf(?:inity)?)(?=\s*[,\]}\s])", re.IGNORECASE)
MOST_COLUMNS = 100
CLOSE = 0.01
"""By how much of it a mean of rounded means may be off."""


class Memtier(Importer):
    """Sets and SET are one operation, told twice; Totals are their sum."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="memtier",
        title="memtier_benchmark",
        reads=("`--json-out-file` of 1.2 to 2.x", "the table that it prints, of all versions"),
        known_errors=(
            (
                "with `-n` its throughput is of the last thread's clients alone: held against "
                "connections ÷ latency, and against the time it took"
            ),
            "percentiles of a second are of one connection",
            "`-nan` and `inf` are no JSON: they are unknown",
            "a least latency of 9.2e15 and a percentile of 0.000 say that nothing was there",
            "its JSON cuts the mean of all to whole milliseconds: made of its operations' means",
            "it keeps no histogram of all of several runs, and prints percentiles of the empty one",
            "its best and its worst of several runs may be the same run",
            "in a cluster its connections are for each shard",
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By the names of its sections."""
        del name
        if JSON_BYTES.search(head) or (CONFIGURED.search(head) and b'"run_count"' in head):
            return Recognition(0.95, "the sections of its JSON")
        if TABLE_BYTES.search(head):
            return Recognition(0.9, "the head of its table")
        if b"[RUN #1]" in head:
            return Recognition(0.6, "its progress")
        return None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """A cell for each file, and for each of several runs that it tells apart."""
        draft = Draft(told, title=titled(files), tool="memtier_benchmark")
        for file in files:
            if file.head.lstrip().startswith(b"{"):
                _read_json(file, draft, several=len(files) > 1)
            else:
                read_text(file, draft, several=len(files) > 1)
        return draft.built()


def _read_json(file: ImportFile, draft: Draft, *, several: bool) -> None:
    text = file.whole()
    mended, changed = NO_JSON.subn("null", text)
    if changed:
        draft.note("unknown", f"{changed} numbers are no numbers (-nan, inf): unknown", file)
    try:
        document = json.loads(mended, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise Refused(f"is no whole JSON: {error}", file.name, line) from error
    if not isinstance(document, dict):
        raise Refused("is no object of sections", file.name)
    configuration = _object(document.get("configuration"))
    sections = {
        name: stats
        for name, stats in document.items()
        if isinstance(stats, dict) and ("Totals" in stats or "Sets" in stats or "Gets" in stats)
    }
    cells: dict[str, DraftCell] = {}
    for name, stats in sections.items():
        cell = DraftCell(file=file, files=[file.told("memtier")], loop="closed")
        several_runs = name if name != "ALL STATS" else ""
        cell.run = " ".join(filter(None, [file.stem if several else "", several_runs]))
        _configure(cell, configuration, draft, commands=not stats.keys() & {"Sets", "Gets"})
        _add_section(cell, stats, draft, averaged=name.startswith(AVERAGED))
        draft.add(draft.side(), cell)
        cells[name] = cell
    if not sections:
        raise Refused("has no section of results", file.name)
    tell_runs_apart(cells, draft)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _configure(cell: DraftCell, told: Mapping[str, Any], draft: Draft, *, commands: bool) -> None:
    """:param commands: it sent what somebody wrote, and no sets and gets in a ratio."""
    clients, threads = _whole(told.get("clients")), _whole(told.get("threads"))
    if clients and threads:
        cell.clients = clients * threads
        cell.load_label = f"{threads} threads × {clients} connections"
    cell.pipeline = _whole(told.get("pipeline"))
    if (limit := _number(told.get("rate_limit"))) and cell.clients:
        cell.rate = limit * cell.clients
    words = [f"ratio {told['ratio']}" if told.get("ratio") and not commands else "",
             f"{told['data_size']} B" if told.get("data_size") else "",
             f"keys {told['key_pattern']}" if told.get("key_pattern") else ""]  # fmt: skip
    cell.workload = ", ".join(filter(None, words))
    if str(told.get("cluster_mode", "false")).lower() == "true":
        draft.note("unknown", "in a cluster its connections are for each shard: how many there "
                   "were is not told", cell.file)  # fmt: skip
        cell.clients = None
    if _whole(told.get("requests")):
        draft.note("doubtful", "with a count of requests its throughput is of the last thread's "
                   "clients alone", cell.file)  # fmt: skip


def _number(value: Any) -> float | None:
    return None if isinstance(value, bool) or value is None else number(str(value))


def _whole(value: Any) -> int | None:
    return None if isinstance(value, bool) or value is None else whole(str(value))


def _add_section(
    cell: DraftCell, stats: Mapping[str, Any], draft: Draft, *, averaged: bool
) -> None:
    runtime = _object(stats.get("Runtime"))
    milliseconds = _number(runtime.get("Total duration"))
    if milliseconds and str(runtime.get("Time unit", "MILLISECONDS")).upper() == "MILLISECONDS":
        cell.seconds = milliseconds / 1e3
    total = 0
    courses: dict[str, Mapping[str, Any]] = {}
    for name, told in stats.items():
        if name == "Runtime" or not isinstance(told, dict) or "Count" not in told:
            continue
        many = _whole(told["Count"])
        if not many:
            continue
        operation = ALL if name == "Totals" else name
        if operation != ALL:
            cell.count(operation, "not told", many)
            total += many
        courses[operation] = _object(told.get("Time-Serie"))
        _add_operation(cell, operation, told, draft, averaged=averaged)
    if not total:
        raise Refused("no operation was answered", cell.file.name if cell.file else "")
    _hold_mean(cell, draft)
    if (said := cell.recompute(total)) is not None:
        draft.note("doubtful", said, cell.file)
    hold_against_load(cell, draft)
    _add_course(cell, courses)


def _add_operation(
    cell: DraftCell, operation: str, told: Mapping[str, Any], draft: Draft, *, averaged: bool
) -> None:
    if _number(told.get("Ops/sec")) is not None:
        cell.add("throughput", rounded(str(told["Ops/sec"])), operation=operation,
                 printed=f"{told['Ops/sec']} ops/sec", statistic="averaged" if averaged else "counted")  # fmt: skip
    percentiles = _object(told.get("Percentile Latencies"))
    empty = _keep_histogram(cell, operation, percentiles, _whole(told["Count"]) or 0, draft)
    latencies = (("mean_us", told.get("Average Latency", told.get("Latency"))),
                 ("min_us", told.get("Min Latency")), ("max_us", told.get("Max Latency")))  # fmt: skip
    for figure, value in latencies:
        if _number(value) is not None:
            known = not empty or figure == "mean_us"
            cell.add(figure, rounded(str(value), US_PER_MS) if known else None, operation=operation,
                     printed=f"{value} ms", statistic="averaged" if averaged else "merged")  # fmt: skip
    for printed_name, value in percentiles.items():
        figure_name = percentile_name(str(printed_name))
        if figure_name is None or isinstance(value, dict):
            if not isinstance(value, dict):
                draft.note("refused", f"{printed_name} is no percentile that can be meant; left "
                           "out", cell.file)  # fmt: skip
            continue
        cell.add(figure_name, None if empty else rounded(str(value), US_PER_MS),
                 operation=operation, printed=f"{value} ms",
                 statistic="averaged" if averaged else "merged")  # fmt: skip


def _keep_histogram(
    cell: DraftCell, operation: str, percentiles: Mapping[str, Any], count: int, draft: Draft
) -> bool:
    """:returns: whether there is one, and nothing in it, though operations were counted."""
    encoded = _object(percentiles.get("Histogram log format")).get("Compressed Histogram")
    if not isinstance(encoded, str):
        return False
    try:
        whole_one = merged([encoded])
    except HistogramError as error:
        draft.note("unknown", f"the histogram of {operation} {error}", cell.file)
        return False
    if not whole_one.total:
        reason = (
            f"the histogram of {operation} is empty: percentiles, the least and the greatest are "
            "printed, and unknown"
        )
        draft.note("unknown", reason, cell.file)
        return True
    if whole_one.total != count:
        reason = f"the histogram of {operation} counts {whole_one.total:,} of {count:,}"
        draft.note("doubtful", reason, cell.file)
    cell.histograms[operation] = whole_one.encoded()
    cell.histogram_unit_us = 1.0
    return False


def _hold_mean(cell: DraftCell, draft: Draft) -> None:
    """The mean of all is the mean of its operations' means, weighted by their counts."""
    means = {one.operation: (at, one) for at, one in enumerate(cell.figures)
             if one.figure == "mean_us"}  # fmt: skip
    at, told = means.pop(ALL, (0, None))
    weights = {name: sum(codes.values()) for name, codes in cell.outcomes.items()}
    if told is None or not weights or weights.keys() - means.keys():
        return
    values = [(means[name][1].value, many) for name, many in weights.items()]
    made = sum((value or 0.0) * many for value, many in values) / sum(weights.values())
    if any(value is None for value, _ in values) or made <= 0:
        return
    if told.value is None or abs(told.value - made) > max(1.0, CLOSE * made):
        how = "its operations' means, weighted by their counts"
        cell.figures[at] = told.model_copy(
            update={
                "value": None,
                "low": None,
                "high": None,
                "recomputed": made,
                "recomputed_how": how,
            }
        )
        reason = (
            f"a mean of {told.printed} is printed of all, and {how}, are {made / US_PER_MS:,.3f} ms"
        )
        draft.note("doubtful", reason, cell.file)


def _add_course(cell: DraftCell, courses: Mapping[str, Mapping[str, Any]]) -> None:
    names: dict[tuple[str, str], str] = {}
    for operation, course in courses.items():
        for told in course.values():
            for name in _object(told):
                figure = {"Average Latency": "mean_us", "Max Latency": "max_us"}.get(
                    name, percentile_name(name) or ""
                )
                if figure and len(names) < MOST_COLUMNS:
                    names[operation, figure] = name
    cell.columns = columns_of(
        (figure, operation, "one_connection" if figure[0] == "p" else "merged")
        for operation, figure in names
    )
    seconds = sorted({at for course in courses.values() for at in course if at.isdigit()}, key=int)
    for at in seconds[: 366 * 86_400]:
        if len(at) > 8:
            continue
        rows = {operation: _object(course.get(at)) for operation, course in courses.items()}
        many = {operation: _whole(row.get("Count")) or 0 for operation, row in rows.items()}
        count = many.get(ALL, sum(n for name, n in many.items() if name != ALL))
        values = tuple(
            _value_of(rows[operation], name) if many.get(operation) else None
            for (operation, _), name in names.items()
        )
        cell.intervals.append(
            PublishedInterval(
                at_seconds=int(at) + 1,
                seconds=1.0,
                operations=count,
                throughput=float(count),
                values=values,
            )
        )


def _value_of(row: Mapping[str, Any], name: str) -> float | None:
    """A number of a second; a percentile below its least latency is of a histogram not yet filled."""
    found, least = _number(row.get(name)), _number(row.get("Min Latency"))
    if found is None or not 0 <= found < 9.2e12:
        return None
    if name.startswith("p") and least is not None and found < least * (1 - UNLIKE):
        return None
    return found * US_PER_MS


IMPORTER = Memtier()
