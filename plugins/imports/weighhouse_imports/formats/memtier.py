"""memtier_benchmark: its JSON with whole histograms, and the table that it prints."""

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
from weighhouse_imports.numbers import number, percentile_name, rounded, whole
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

JSON_BYTES = re.compile(rb'"(?:ALL STATS|BEST RUN RESULTS|AGGREGATED AVERAGE RESULTS[^"]*)"\s*:')
CONFIGURED = re.compile(rb'"configuration"\s*:\s*\{')
TABLE_BYTES = re.compile(rb"^Type\s+Ops/sec\s+Hits/sec\s+Misses/sec", re.MULTILINE)
NO_JSON = re.compile(r"(?<=[:\[,\s])-?(?:nan|inf(?:inity)?)(?=\s*[,\]}\s])", re.IGNORECASE)
HEAD = re.compile(r"^Type\s+Ops/sec\s+")
SECTION = re.compile(
    r"^(ALL STATS|BEST RUN RESULTS|WORST RUN RESULTS|AGGREGATED AVERAGE RESULTS.*)\s*$"
)
SETUP = re.compile(
    r"^\s*(\d{1,9})\s+(Threads|Connections per thread|Requests per client|Seconds)\s*$"
)
COLUMN = re.compile(r"Avg\. Latency|p[\d.]+ Latency|[\w./]+")
AVERAGED = "AGGREGATED AVERAGE RESULTS"
COMMAND = re.compile(r"(?:^|\s|\$)(?:\S*/)?memtier_benchmark\s+-.*$")
US_PER_MS = 1000.0
MOST_COLUMNS = 100
UNLIKE = 0.05


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
                _read_text(file, draft, several=len(files) > 1)
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
    for name, stats in sections.items():
        cell = DraftCell(file=file, files=[file.told("memtier")], loop="closed")
        several_runs = name if name != "ALL STATS" else ""
        cell.run = " ".join(filter(None, [file.stem if several else "", several_runs]))
        _configure(cell, configuration, draft)
        _add_section(cell, stats, draft, averaged=name.startswith(AVERAGED))
        draft.add(draft.side(), cell)
    if not sections:
        raise Refused("has no section of results", file.name)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _configure(cell: DraftCell, told: Mapping[str, Any], draft: Draft) -> None:
    clients, threads = _whole(told.get("clients")), _whole(told.get("threads"))
    if clients and threads:
        cell.clients = clients * threads
        cell.load_label = f"{threads} threads × {clients} connections"
    cell.pipeline = _whole(told.get("pipeline"))
    if (limit := _number(told.get("rate_limit"))) and cell.clients:
        cell.rate = limit * cell.clients
    words = [f"ratio {told['ratio']}" if told.get("ratio") else "",
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
    if (said := cell.recompute(total)) is not None:
        draft.note("doubtful", said, cell.file)
    _hold_against_load(cell, draft)
    _add_course(cell, courses)


def _add_operation(
    cell: DraftCell, operation: str, told: Mapping[str, Any], draft: Draft, *, averaged: bool
) -> None:
    if _number(told.get("Ops/sec")) is not None:
        cell.add("throughput", rounded(str(told["Ops/sec"])), operation=operation,
                 printed=f"{told['Ops/sec']} ops/sec", statistic="averaged" if averaged else "counted")  # fmt: skip
    latencies = (("mean_us", told.get("Average Latency", told.get("Latency"))),
                 ("min_us", told.get("Min Latency")), ("max_us", told.get("Max Latency")))  # fmt: skip
    for figure, value in latencies:
        if _number(value) is not None:
            cell.add(figure, rounded(str(value), US_PER_MS), operation=operation,
                     printed=f"{value} ms", statistic="averaged" if averaged else "merged")  # fmt: skip
    percentiles = _object(told.get("Percentile Latencies"))
    for printed_name, value in percentiles.items():
        figure_name = percentile_name(str(printed_name))
        if figure_name is None or isinstance(value, dict):
            if not isinstance(value, dict):
                draft.note("refused", f"{printed_name} is no percentile that can be meant; left "
                           "out", cell.file)  # fmt: skip
            continue
        cell.add(figure_name, rounded(str(value), US_PER_MS), operation=operation,
                 printed=f"{value} ms", statistic="averaged" if averaged else "merged")  # fmt: skip
    encoded = _object(percentiles.get("Histogram log format")).get("Compressed Histogram")
    if isinstance(encoded, str):
        try:
            whole_one = merged([encoded])
            if whole_one.total != _whole(told["Count"]):
                reason = (
                    f"the histogram of {operation} counts {whole_one.total:,} of {told['Count']:,}"
                )
                draft.note("doubtful", reason, cell.file)
            cell.histograms[operation] = whole_one.encoded()
            cell.histogram_unit_us = 1.0
        except HistogramError as error:
            draft.note("unknown", f"the histogram of {operation} {error}", cell.file)


def _hold_against_load(cell: DraftCell, draft: Draft) -> None:
    """Little's law: what is on the way is throughput × latency."""
    throughput = next((f.value for f in cell.figures
                       if (f.figure, f.operation) == ("throughput", ALL)), None)  # fmt: skip
    mean = next((f.value for f in cell.figures
                 if (f.figure, f.operation) == ("mean_us", ALL)), None)  # fmt: skip
    if throughput and mean and cell.clients and cell.pipeline and not cell.rate:
        there = throughput * mean / 1e6
        wanted = cell.clients * cell.pipeline
        if abs(there - wanted) > UNLIKE * wanted:
            reason = (
                f"throughput × latency is {there:,.2f} requests on the way, and {wanted:,} were: "
                "the printed throughput is doubtful"
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
            _value(rows.get(operation, {}).get(name)) if many.get(operation) else None
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


def _value(told: Any) -> float | None:
    found = _number(told)
    return found * US_PER_MS if found is not None and 0 <= found < 9.2e12 else None


def _read_text(file: ImportFile, draft: Draft, *, several: bool) -> None:
    setup: dict[str, int] = {}
    section, command = "", ""
    columns: list[str] = []
    cells: dict[str, DraftCell] = {}
    for line_number, line in file.lines():
        if (told := SETUP.match(line)) is not None:
            setup[told[2]] = int(told[1])
        elif (named := SECTION.match(line.strip())) is not None:
            section = named[1].strip()
        elif (typed := COMMAND.search(line)) is not None and not command:
            command = typed[0].strip(" $")
        elif HEAD.match(line):
            columns = COLUMN.findall(line)
            if section in cells:
                reason = "a second table begins here; give each a file of its own"
                raise Refused(reason, file.name, line_number)
            cells[section] = DraftCell(file=file, files=[file.told("memtier")], loop="closed")
        elif columns and section in cells:
            words = line.split()
            if len(words) == len(columns) and re.fullmatch(r"[A-Z][\w.]{0,60}", words[0]):
                averaged = section.startswith(AVERAGED)
                _add_text_row(cells[section], columns, words, line_number, averaged=averaged)
            elif words and not set(line) <= set("-= "):
                columns = []
    if not cells:
        raise Refused("ends before its table: the run was broken off, or the file is cut short",
                      file.name)  # fmt: skip
    for name, cell in cells.items():
        if not cell.figures:
            raise Refused("its table is empty", file.name)
        _set_up(cell, setup, command, draft)
        told_run = name if name != "ALL STATS" else ""
        cell.run = " ".join(filter(None, [file.stem if several else "", told_run]))
        draft.add(draft.side(), cell)


def _set_up(cell: DraftCell, setup: Mapping[str, int], command: str, draft: Draft) -> None:
    threads, clients = setup.get("Threads"), setup.get("Connections per thread")
    if threads and clients:
        cell.clients = threads * clients
        cell.load_label = f"{threads} threads × {clients} connections"
    cell.command = command
    pipeline = re.search(r"--pipeline[= ](\d{1,9})", command)
    cell.pipeline = int(pipeline[1]) if pipeline else 1 if command else None
    if setup.get("Seconds"):
        cell.seconds = float(setup["Seconds"])
    if setup.get("Requests per client"):
        draft.note("doubtful", "with a count of requests its throughput is of the last thread's "
                   "clients alone", cell.file)  # fmt: skip
    _hold_against_load(cell, draft)


def _add_text_row(
    cell: DraftCell, columns: Sequence[str], words: Sequence[str], line: int, *, averaged: bool
) -> None:
    operation = ALL if words[0] == "Totals" else words[0]
    rate = number(words[1])
    if not rate:
        return
    for name, text in zip(columns[1:], words[1:], strict=True):
        if name == "Ops/sec":
            cell.add("throughput", rounded(text), operation=operation, printed=f"{text} ops/sec",
                     statistic="averaged" if averaged else "counted", line=line)  # fmt: skip
            continue
        figure = "mean_us" if name in ("Avg. Latency", "Latency") else None
        if name.endswith(" Latency") and figure is None:
            figure = percentile_name(name.removesuffix(" Latency"))
        if figure is not None and number(text) is not None:
            cell.add(figure, rounded(text, US_PER_MS), operation=operation, printed=f"{text} ms",
                     statistic="averaged" if averaged else "merged", line=line)  # fmt: skip


IMPORTER = Memtier()
