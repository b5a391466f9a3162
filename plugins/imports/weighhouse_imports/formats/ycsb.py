"""YCSB: what it prints, its JSON, its time series, and the histogram logs beside them."""

import re
from collections.abc import Sequence
from typing import ClassVar

from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import Draft, titled
from weighhouse_imports.formats import hdr_log
from weighhouse_imports.formats.ycsb_clients import (
    Logged,
    cell_of,
    clients_of_one_run,
    outcomes,
    properties,
)
from weighhouse_imports.formats.ycsb_report import Report, read_report
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

REPORTED = re.compile(rb"^\[OVERALL\], ?(?:RunTime|Throughput)\(", re.MULTILINE)
ROWS = re.compile(
    rb"^\[[A-Z][\w\-]{1,60}\], ?(?:Operations|AverageLatency\([num]s\)), ?", re.MULTILINE
)
STATUS = re.compile(rb"\d+ sec: \d+ operations;")
JSON_ROW = re.compile(rb'"metric"\s*:\s*"[^"]{1,80}"\s*,\s*"measurement"\s*:')
STARTED = re.compile(
    rb"YCSB Client \d|(?:site\.ycsb|com\.yahoo\.ycsb)\.Client|^\S*bin/ycsb ", re.MULTILINE
)
SYSTEMS = {
    "redis": "redis", "memcached": "memcached", "rocksdb": "rocksdb", "mongo": "mongodb",
    "scylla": "scylladb", "cassandra": "cassandra", "aerospike": "aerospike",
    "dragonfly": "dragonfly", "keydb": "keydb", "valkey": "valkey", "garnet": "garnet",
}  # fmt: skip
"""What a binding's name begins with → the system."""
SYNTHETIC = ("basic", "goodbadugly")
BINDING = re.compile(r"(?:^|\s)(?:run|load|shell)\s+([\w\-]{1,60})")


class Ycsb(Importer):
    """Clients of one folder that ran one command at one time are one cell."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="ycsb",
        title="YCSB",
        reads=(
            "what YCSB 0.1 to 0.18 and its forks print: report, status lines, or both",
            "the JSON of its exporters, and `measurementtype=timeseries`",
            "several clients of one run in one folder, with their `.hdr` logs",
        ),
        known_errors=(
            (
                "throughput that overflowed 32 bits is printed negative: it is unknown, and operations "
                "÷ run time stand beside it"
            ),
            "the oldest versions print percentiles in whole milliseconds: kept as a range",
            (
                "`-FAILED`, `-ERROR` and `-NOT_FOUND` rows repeat what return codes count; `-COMB` and "
                "`Intended-` rows are no operations of their own"
            ),
            "`Min=9223372036854775807`, `Avg=NaN`, `∞ current ops/sec` say that nothing was there",
            (
                "names of percentiles are rounded, so that two are one or one is the hundredth: taken "
                "from the command line, or left out"
            ),
            "status lines have decimal commas where the machine's language has",
        ),
        takes_along=("hdr-log",),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By its report, its status lines, or the start of its JSON."""
        del name
        if REPORTED.search(head):
            return Recognition(0.95, "[OVERALL] rows of its report")
        if JSON_ROW.search(head):
            return Recognition(0.9, "metric and measurement of its JSON")
        if STATUS.search(head):
            return Recognition(0.9, "its status lines")
        if ROWS.search(head):
            return Recognition(0.8, "rows of its report")
        if STARTED.search(head):
            return Recognition(0.6, "its command line")
        return None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """Reports, and the histogram logs that lie beside them."""
        draft = Draft(told, title=titled(files))
        reports: list[Report] = []
        logs: list[Logged] = []
        for file in files:
            logged = hdr_log.ycsb_log(file, draft)
            if logged is not None:
                logs.append(logged)
            elif hdr_log.IMPORTER.recognises(file.head, file.name):
                reason = "a histogram log that is not YCSB's; import it by itself"
                draft.note("refused", reason, file)
            else:
                reports.append(read_report(file, draft))
        reports = _paired([one for one in reports if _says_something(one, draft)])
        groups = [[one] for one in reports]
        if told.one_run:
            groups = [reports] if reports else []
        elif told.one_run is None:
            groups = clients_of_one_run(reports)
        for number, group in enumerate(groups, 1):
            self._add(draft, group, logs if len(groups) == 1 else _own(logs, group), number)
        if not groups and logs:
            raise Refused("histogram logs without a report of YCSB", logs[0].name)
        return draft.built()

    def _add(self, draft: Draft, group: list[Report], logs: Sequence[Logged], number: int) -> None:
        first = group[0]
        cell = cell_of(group, logs, draft)
        if number > 1:
            cell.run = first.file.stem
        system, binding = _system(first.command)
        if binding.lower().startswith(SYNTHETIC) or ".BasicDB" in first.command:
            draft.note("doubtful", "YCSB's own stand-in for a database: no system was measured",
                       first.file)  # fmt: skip
        if not all(one.has_report for one in group):
            reason = "ends before its report: the run was broken off, or the file is cut short"
            draft.note("doubtful", reason, next(one.file for one in group if not one.has_report))
        draft.tool = f"YCSB {first.version}".strip()
        draft.add(draft.side(system), cell)


def _says_something(report: Report, draft: Draft) -> bool:
    if report.has_report or report.statuses:
        return True
    draft.note("refused", "neither a report nor a status line is in it", report.file)
    return False


def _paired(reports: list[Report]) -> list[Report]:
    """Standard output and standard error of one client, when they were kept apart."""
    found: list[Report] = []
    for one in reports:
        other = next(
            (
                each
                for each in found
                if each.file.stem == one.file.stem
                and each.has_report != one.has_report
                and bool(each.statuses) != bool(one.statuses)
            ),
            None,
        )
        if other is None:
            found.append(one)
            continue
        reported, running = (one, other) if one.has_report else (other, one)
        reported.statuses, reported.keys = running.statuses, running.keys
        reported.stride = running.stride
        reported.command = reported.command or running.command
        reported.version = reported.version or running.version
        reported.files = [*reported.files, *running.files]
        found[found.index(other)] = reported
    return found


def _own(logs: Sequence[Logged], group: Sequence[Report]) -> list[Logged]:
    """Logs that count what a report among several does: those of the same beginning of a name, or
    of the same count.
    """
    counts = {
        name: sum(
            report.operations[name].count or 0 for report in group if name in report.operations
        )
        for report in group
        for name in outcomes(report)
    }
    return [one for one in logs if counts.get(one.operation) == one.merged.total]


def _system(command: str) -> tuple[str, str]:
    told = properties(command)
    binding = told.get("db", "").rpartition(".")[2]
    if not binding:
        match = BINDING.search(command)
        binding = match[1] if match else ""
    low = binding.lower()
    for start, system in SYSTEMS.items():
        if low.startswith(start):
            return system, binding
    return re.sub(r"(?:Client|CQLClient|DB)$", "", binding), binding


IMPORTER = Ycsb()
