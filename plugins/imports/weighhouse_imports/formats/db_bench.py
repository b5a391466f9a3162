"""RocksDB's db_bench, and those of its relatives that print the same."""

import re
from collections.abc import Sequence
from typing import ClassVar

from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import Draft, DraftCell, require_few, titled
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

RESULT = re.compile(
    r"^([a-z][\w\-\[\]]{1,60})\s*:\s+([\d.\-+a-z]{1,30}) micros/op(?: (\S{1,30}) ops/sec)?"
    r"(?:;? ([\d.]{1,20}) seconds (\d{1,18}) operations)?;?(.*)$"
)
RESULT_BYTES = re.compile(rb"^[a-z][\w\-\[\]]{1,60}\s*:\s+[\d.]{1,30} micros/op", re.MULTILINE)
AGGREGATE = re.compile(r"^[\w\-]{1,60} \[(AVG|MEDIAN|CI95)[^\]]{0,40}\]")
FOUND = re.compile(r"\((\d{1,18}) of (\d{1,18}) found")
HISTOGRAM = re.compile(r"^Microseconds per (\w[\w \-]{0,40}):")
COUNTED = re.compile(r"^Count: (\d{1,18})\s+Average: (\S{1,30})\s+StdDev: (\S{1,30})")
LEAST = re.compile(r"^Min: (\S{1,30})\s+Median: (\S{1,30})\s+Max: (\S{1,30})")
PERCENTILES = re.compile(r"^Percentiles: (.{1,200})$")
ONE = re.compile(r"P([\d.]{1,10}): (\S{1,30})")
FACT = re.compile(
    r"^(RocksDB|LevelDB|Version|Keys|Values|Entries|CPU|Compression|Threads|Date|DB path):?\s+(.{1,200}?)\s*$"
)
COMMAND = re.compile(r"(?:^|\s|\$)((?:\S*/)?db_bench\s+-.*)$")
THREADS = re.compile(r"--threads[= ](\d{1,6})")


class DbBench(Importer):
    """Each benchmark of a file is a cell; its percentiles are interpolated within buckets."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="db-bench",
        title="db_bench",
        reads=("what RocksDB's db_bench prints, with and without `--histogram`",),
        known_errors=(
            (
                "micros/op of several threads is the time of all threads together: it is no latency, "
                "and is not taken for one"
            ),
            "percentiles are interpolated within buckets of a tenth: said beside them",
            "it counts reads that found nothing as operations: told as NOT_FOUND",
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By its results."""
        del name
        if RESULT_BYTES.search(head):
            return Recognition(0.95, "micros/op of its results")
        if b"Memtablerep:" in head and b"Keys per prefix:" in head:
            return Recognition(0.6, "its facts of a database")
        return None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """A cell for each benchmark of each file."""
        draft = Draft(told, title=titled(files), tool="db_bench")
        for file in files:
            cells = _read(file, draft)
            if not cells:
                raise Refused("ends before its first result: broken off, or cut short", file.name)
            for cell in cells:
                if len(files) > 1:
                    cell.run = f"{file.stem} {cell.run}".strip()
                draft.add(draft.side(*_system(draft)), cell)
        return draft.built()


def _system(draft: Draft) -> tuple[str, str]:
    return "rocksdb", draft.tool.removeprefix("db_bench").strip()


def _read(file: ImportFile, draft: Draft) -> list[DraftCell]:
    cells: list[DraftCell] = []
    facts: dict[str, str] = {}
    command, operation = "", "all"
    seen: dict[str, int] = {}
    for line_number, line in file.lines():
        text = line.strip()
        require_few(cells, file, line_number)
        if (typed := COMMAND.search(line)) is not None and not command:
            command = typed[1]
        elif AGGREGATE.match(text):
            draft.note("unknown", "averages of its own repeats are left out", file, line_number)
        elif (result := RESULT.match(text)) is not None:
            seen[result[1]] = seen.get(result[1], 0) + 1
            cell = _cell(file, result, line_number, draft)
            cell.run = f"run {seen[result[1]]}" if seen[result[1]] > 1 else ""
            cells.append(cell)
            operation = "all"
        elif (histogram := HISTOGRAM.match(text)) is not None:
            operation = histogram[1]
        elif cells:
            _take_histogram(cells[-1], text, line_number, operation)
        elif (fact := FACT.match(text)) is not None:
            facts[fact[1]] = fact[2]
    threads = THREADS.search(command)
    for cell in cells:
        cell.command = command
        cell.files = [file.told("db-bench")]
        cell.machines = facts.get("CPU", "")
        cell.clients = int(threads[1]) if threads else 1 if command else None
        cell.pipeline = 1 if cell.clients else None
        cell.remarks.append(", ".join(f"{n}: {v}" for n, v in facts.items() if n != "CPU")[:1000])
    if cells and not command:
        draft.note("unknown", "does not say how many threads there were", file)
    version = facts.get("RocksDB", facts.get("Version", "")).removeprefix("version ").strip()
    draft.tool = f"db_bench {version}".strip()
    return cells


def _cell(file: ImportFile, result: re.Match[str], line: int, draft: Draft) -> DraftCell:
    cell = DraftCell(file=file, workload=result[1], loop="closed")
    if result[3]:
        cell.add("throughput", rounded(result[3]), printed=f"{result[3]} ops/sec",
                 statistic="counted", line=line)  # fmt: skip
    cell.add("micros_per_op", rounded(result[2]), printed=f"{result[2]} micros/op", unit="µs",
             statistic="counted", line=line)  # fmt: skip
    cell.seconds = number(result[4] or "") or None
    many = whole(result[5] or "")
    hit = FOUND.search(result[6])
    if many is not None:
        if hit is not None and int(hit[2]) and int(hit[1]) <= int(hit[2]):
            found = round(many * int(hit[1]) / int(hit[2]))
            exact = int(hit[2]) == many
            cell.count(result[1], "found" if exact else "found, of a share", found)
            cell.count(result[1], "NOT_FOUND", many - found)
        else:
            cell.count(result[1], "not told", many)
    if cell.seconds and cell.seconds >= 0.1 and (said := cell.recompute(many)) is not None:
        draft.note("doubtful", said, file, line)
    return cell


def _take_histogram(cell: DraftCell, text: str, line: int, operation: str) -> None:
    setting = "interpolated within buckets"
    if (counted := COUNTED.match(text)) is not None:
        cell.add("mean_us", rounded(counted[2]), operation=operation, printed=f"{counted[2]} µs",
                 statistic="merged", line=line)  # fmt: skip
    elif (least := LEAST.match(text)) is not None:
        for name, said in (("min_us", least[1]), ("max_us", least[3])):
            cell.add(name, rounded(said), operation=operation, printed=f"{said} µs",
                     statistic="merged", line=line)  # fmt: skip
    elif (told := PERCENTILES.match(text)) is not None:
        for name, said in ONE.findall(told[1]):
            if (figure := percentile_name(name)) is not None:
                cell.add(figure, rounded(said), operation=operation, printed=f"{said} µs",
                         statistic="merged", line=line, setting=setting)  # fmt: skip


IMPORTER = DbBench()
