"""wrk2, and wrk where it prints the same."""

import re
from collections.abc import Sequence
from typing import ClassVar

from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import Draft, DraftCell, titled
from weighhouse_imports.formats.hdr_table import HEAD, MOST_ROWS, Table
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.numbers import US_OF, Rounded, number, percentile_name, rounded
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

RUNNING = re.compile(r"^Running (\S{1,20}) test @ (\S{1,2000})")
RUNNING_BYTES = re.compile(rb"^Running \S+ test @ ", re.MULTILINE)
CALIBRATED = re.compile(r"^\s*Thread calibration:")
THREAD_STATS = re.compile(
    r"^\s*Latency\s+([\d.]{1,20}[a-zµμ]{1,2})\s+\S{1,20}\s+([\d.]{1,20}[a-zµμ]{1,2})\s"
)
CONNECTIONS = re.compile(r"^\s*(\d{1,9}) threads? and (\d{1,9}) connections?")
SHARE = re.compile(r"^\s*(\d{1,3}(?:\.\d{1,9})?)%\s+([\d.]{1,20}[a-zµμ]{1,2})\s*$")
KIND = re.compile(r"Latency Distribution(?: \(HdrHistogram - ([^)]{1,120})\))?")
DONE = re.compile(r"^\s*(\d{1,18}) requests in ([\d.]{1,20})([a-z]{1,2})\b")
ERRORS = re.compile(r"Non-2xx or 3xx responses: (\d{1,18})")
SOCKETS = re.compile(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")
RATE = re.compile(r"^Requests/sec:\s+(\S{1,40})")
COMMAND = re.compile(r"^\$?\s*(?:\S*/)?wrk2?\s+-")
US_PER_MS = 1000.0
APART = 0.02


class Wrk2(Importer):
    """One run a file; its spectrum is in milliseconds."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="wrk2",
        title="wrk2",
        reads=(
            "what wrk2 prints, with or without `--latency`",
            "wrk, as far as it prints the same",
            "of `--u_latency` the corrected latencies: in the others nobody waits",
        ),
        known_errors=(
            (
                "its percentiles leave out the seconds in which it calibrates, its count of requests "
                "does not"
            ),
            (
                "percentiles above the table may have other units than the table: both are held "
                "against each other"
            ),
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By its first line."""
        del name
        return Recognition(0.95, "Running … test @") if RUNNING_BYTES.search(head) else None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """A cell for each file."""
        draft = Draft(told, title=titled(files), tool="wrk2")
        for file in files:
            draft.add(draft.side(), _read(file, draft, several=len(files) > 1))
        return draft.built()


def _read(file: ImportFile, draft: Draft, *, several: bool) -> DraftCell:
    cell = DraftCell(file=file, files=[file.told("wrk2")], run=file.stem if several else "")
    table: Table | None = None
    shares: list[tuple[str, str, int]] = []
    mean_and_greatest: tuple[str, str, int] | None = None
    requests = errors = 0
    begun = done = uncorrected = False
    for line_number, line in file.lines():
        if (running := RUNNING.match(line)) is not None:
            if begun:
                raise Refused("a second run begins here; give each a file of its own",
                              file.name, line_number)  # fmt: skip
            begun = True
            cell.workload = running[2]
        elif COMMAND.match(line):
            cell.command = line
        elif (connections := CONNECTIONS.match(line)) is not None:
            cell.clients = int(connections[2])
            cell.load_label = line.strip()
        elif CALIBRATED.match(line):
            cell.loop = "open"
        elif (stats := THREAD_STATS.match(line)) is not None:
            mean_and_greatest = (stats[1], stats[2], line_number)
        elif (kind := KIND.search(line)) is not None:
            uncorrected = bool(shares) or table is not None
            if not uncorrected:
                cell.loop = "open" if kind[1] and kind[1].startswith("Recorded") else "closed"
        elif HEAD.match(line):
            table = table if uncorrected else table or Table()
        elif (share := SHARE.match(line)) is not None:
            if not uncorrected:
                _take_share(shares, (share[1], share[2], line_number), file)
        elif (finished := DONE.match(line)) is not None:
            done = True
            requests = int(finished[1])
            cell.seconds = _seconds(finished[2], finished[3])
        elif (rate := RATE.match(line)) is not None:
            cell.add("throughput", rounded(rate[1]), printed=f"{rate[1]} requests/sec",
                     statistic="counted", line=line_number)  # fmt: skip
        elif table is not None and not uncorrected:
            errors += (
                0 if table.take(line, line_number) else _errors(file, draft, line, line_number)
            )
        else:
            errors += _errors(file, draft, line, line_number)
    if not done:
        draft.note("doubtful", "ends before its summary: broken off, or cut short", file)
    if not cell.figures and table is None and not shares:
        raise Refused("holds no result of a run", file.name)
    if requests and errors >= requests:
        reason = f"all {requests:,} requests failed: nothing was measured"
        raise Refused(reason, file.name)
    _finish(cell, table, shares, draft)
    if mean_and_greatest is not None and not any(f.figure == "mean_us" for f in cell.figures):
        for name, text in zip(("mean_us", "max_us"), mean_and_greatest[:2], strict=True):
            cell.add(name, _time(text), printed=text, statistic="merged", line=mean_and_greatest[2])
    _count(cell, requests, errors, draft)
    return cell


def _take_share(
    shares: list[tuple[str, str, int]], one: tuple[str, str, int], file: ImportFile
) -> None:
    shares.append(one)
    if len(shares) > MOST_ROWS:
        raise Refused(f"tells more than {MOST_ROWS:,} percentiles", file.name, one[2])


def _errors(file: ImportFile, draft: Draft, line: str, line_number: int) -> int:
    """Answers that a line of the summary tells as failed; those of connections are a note."""
    if (sockets := SOCKETS.search(line)) is not None:
        broken = sum(int(each) for each in sockets.groups())
        draft.note("doubtful", f"{broken:,} errors of connections", file, line_number)
    failed = ERRORS.search(line)
    return int(failed[1]) if failed is not None else 0


def _finish(
    cell: DraftCell, table: Table | None, shares: list[tuple[str, str, int]], draft: Draft
) -> None:
    if table is not None and table.rows:
        table.add_to(cell, US_PER_MS)
        if (fault := table.faults()) is not None:
            draft.note("doubtful", fault, cell.file)
        cell.outcomes.clear()
    for text, value, line in shares:
        name = percentile_name(text)
        if name is None:
            continue
        found = _time(value)
        at = next((at for at, one in enumerate(cell.figures) if one.figure == name), None)
        if at is None:
            cell.add(name, found, printed=value, statistic="merged", line=line)
            continue
        known = cell.figures[at]
        before = [row[1] for row in table.rows if row[0] * 100 < float(text)] if table else []
        low, high = before[-1] * US_PER_MS if before else 0.0, known.value or known.high or 0.0
        if found is None or not low * (1 - APART) <= found.value <= high * (1 + APART):
            reason = f"{text} % is {value} above the table, and {high:,.0f} µs in it"
            draft.note("doubtful", reason, cell.file, line)
        elif known.value is None:
            cell.figures.pop(at)
            cell.add(name, found, printed=value, statistic="merged", line=line)


def _count(cell: DraftCell, requests: int, errors: int, draft: Draft) -> None:
    if requests:
        cell.count("all", "OK", requests - errors)
        if errors:
            cell.count("all", "not 2xx or 3xx", errors)
    if (said := cell.recompute(requests)) is not None:
        draft.note("doubtful", said, cell.file)


def _time(text: str) -> Rounded | None:
    """`21.69ms`, in µs, and what it may have been rounded from."""
    unit = text.lstrip("0123456789.")
    return rounded(text.removesuffix(unit), US_OF[unit]) if unit in US_OF else None


def _seconds(text: str, unit: str) -> float | None:
    value = number(text)
    factor = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}.get(unit)
    return value * factor if value is not None and factor else None


IMPORTER = Wrk2()
