"""One cell out of what one or several YCSB clients wrote.

Clients of one run add up: operations, rates and the weighted mean are exact. A percentile of all of
them lies between the least and the greatest of theirs, and is known where histograms are there to
merge; a mean of percentiles is never made.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from weighhouse_protocol.percent import percent
from weighhouse_protocol.published.figures import PublishedInterval

from weighhouse_imports.draft import Draft, DraftCell, columns_of
from weighhouse_imports.formats.ycsb_report import MOST_COLUMNS, Report, Status
from weighhouse_imports.histograms import Merged
from weighhouse_imports.numbers import Rounded, number, rounded
from weighhouse_imports.refusals import Refused

SUCCESSES = frozenset({"OK", "0", "BATCHED_OK"})
ANSWERS = SUCCESSES | {"NOT_FOUND"}
"""A record that is not there is an answer, too."""
NOT_OF_USERS = ("CLEANUP", "Intended-")
REPEATED = "-COMB"
WHOLE = "READ-MODIFY-WRITE"
PERCENTILES = (0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)
PERCENTILE_NAMES = ("p50_us", "p90_us", "p95_us", "p99_us", "p999_us", "p9999_us")
OWN_OF_CLIENT = re.compile(
    r"-p\s+(?:insertstart|insertcount|exportfile|hdrhistogram\.output\.path)=\S+"
)
LEAST_OVERLAP = 0.9


@dataclass
class Logged:
    """A histogram log of one operation, as YCSB writes them beside its report."""

    name: str
    operation: str
    merged: Merged = field(default_factory=Merged)


def properties(command: str) -> dict[str, str]:
    """What `-p name=value` and the options of a command set; later ones win."""
    found: dict[str, str] = dict(re.findall(r"-p\s+([\w.\-]{1,100})=(\S{0,2000})", command))
    for option, name in (("-threads", "threadcount"), ("-target", "target"), ("-db", "db")):
        if match := re.search(rf"(?:^|\s){option}\s+(\S{{1,300}})", command):
            found[name] = match[1]
    for option in ("-P", "-workload"):
        if match := re.search(rf"(?:^|\s){option}\s+(\S{{1,300}})", command):
            found["file"] = match[1]
    return found


def base_of(operation: str, known: Sequence[str]) -> tuple[str, str] | None:
    """`READ-FAILED` → `READ`, `FAILED` where there is a READ; None for what is one by itself."""
    if operation == WHOLE or operation.startswith(NOT_OF_USERS) or operation.endswith(REPEATED):
        return None
    base, dash, code = operation.rpartition("-")
    return (base, code) if dash and base in known else None


def outcomes(report: Report) -> dict[str, dict[str, int]]:
    """Operation → return code → how often. A row of failures is no operation of its own, and is
    left out where the codes of its operation hold it.
    """
    found: dict[str, dict[str, int]] = {}
    for name, one in report.operations.items():
        if name.startswith(NOT_OF_USERS) or name.endswith(REPEATED):
            continue
        split = base_of(name, list(report.operations))
        if split is None:
            told = dict(one.returns) or ({} if one.count is None else {"not told": one.count})
            if told:
                found.setdefault(name, {}).update(told)
        elif not report.operations[split[0]].returns and one.count:
            found.setdefault(split[0], {})[split[1]] = one.count
    return found


def operations_of(counted: dict[str, dict[str, int]]) -> int:
    """All operations; one that reads, changes and writes is told three times, and is one."""
    sums = {name: sum(codes.values()) for name, codes in counted.items()}
    both = sums.pop(WHOLE, 0)
    total = sum(sums.values())
    return total - both if both and {"READ", "UPDATE"} <= set(sums) else total + both


def clients_of_one_run(reports: Sequence[Report]) -> list[list[Report]]:
    """Reports of one command that ran at the same time."""
    groups: list[list[Report]] = []
    for one in reports:
        for group in groups:
            if one.command and _alike(one, group[0]) and _overlap(one, group[0]):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _alike(one: Report, other: Report) -> bool:
    return OWN_OF_CLIENT.sub("", one.command) == OWN_OF_CLIENT.sub("", other.command)


def _overlap(one: Report, other: Report) -> bool:
    if not one.span or not other.span:
        return False
    both = min(one.span[1], other.span[1]) - max(one.span[0], other.span[0])
    longest = max(one.span[1] - one.span[0], other.span[1] - other.span[0])
    return longest > 0 and both >= LEAST_OVERLAP * longest


def cell_of(reports: Sequence[Report], logs: Sequence[Logged], draft: Draft) -> DraftCell:
    """The cell of clients of one run; most are one.

    :raises Refused: when every operation failed.
    """
    first = reports[0]
    told = properties(first.command)
    cell = DraftCell(file=first.file, command=first.command, loop="closed")
    cell.files = [file.told("ycsb") for report in reports for file in report.files][:100]
    known = [report.seconds for report in reports if report.seconds is not None]
    cell.seconds = max(known) if known else None
    _set_load(cell, reports, told)
    counted = [outcomes(report) for report in reports]
    for each in counted:
        for name, codes in each.items():
            for code, many in codes.items():
                before = cell.outcomes.get(name, {}).get(code, 0)
                cell.count(name, code, before + many)
    _refuse_failure(cell, first)
    _add_throughput(cell, reports, draft)
    names = list(dict.fromkeys(name for one in reports for name in one.operations))
    for name in names:
        _add_operation(cell, reports, name, draft)
    _add_logs(cell, reports, logs, draft)
    _add_intervals(cell, reports, draft)
    if (said := cell.recompute(operations_of(cell.outcomes))) is not None:
        draft.note("doubtful", said, first.file, first.throughput[1] if first.throughput else None)
    for name, codes in cell.outcomes.items():
        if codes and not ANSWERS & set(codes) and "not told" not in codes:
            reason = f"all {sum(codes.values()):,} of {name} failed: their latencies are of errors"
            draft.note("doubtful", reason, first.file)
    return cell


def _set_load(cell: DraftCell, reports: Sequence[Report], told: dict[str, str]) -> None:
    threads = number(told.get("threadcount", "1" if cell.command else ""))
    if threads:
        cell.clients = int(threads) * len(reports)
        cell.pipeline = 1
    target = number(told.get("target", told.get("targetops", "")))
    if target and target > 0:
        cell.rate = target * len(reports)
    many = f"{len(reports)} clients of YCSB, " if len(reports) > 1 else ""
    cell.load_label = f"{many}{cell.clients} threads" if cell.clients else ""
    cell.workload = _workload(cell.command, told)


def _workload(command: str, told: dict[str, str]) -> str:
    if re.search(r"(?:^|\s)(?:-load|load)(?:\s|$)", command):
        return "load"
    shares = [
        f"{name} {percent(share, None)}"
        for name in ("read", "update", "insert", "scan", "readmodifywrite", "delete")
        if (share := number(told.get(f"{name}proportion", "")))
    ]
    named = told.get("file", "").replace("\\", "/").rpartition("/")[2]
    words = [each for each in (named, *shares, told.get("requestdistribution", "")) if each]
    return ", ".join(words)


def _refuse_failure(cell: DraftCell, first: Report) -> None:
    codes = {code for each in cell.outcomes.values() for code, n in each.items() if n}
    if codes and not codes & (ANSWERS | {"not told"}):
        reason = f"every operation failed ({', '.join(sorted(codes)[:5])}): nothing was measured"
        raise Refused(reason, first.file.name)


def _add_throughput(cell: DraftCell, reports: Sequence[Report], draft: Draft) -> None:
    printed = [one.throughput for one in reports if one.throughput]
    if not printed or len(printed) < len(reports):
        if any(one.has_report for one in reports):
            draft.note("unknown", "no throughput is told", reports[0].file)
        return
    found = [rounded(text) for text, _ in printed]
    if len(printed) == 1:
        text, line = printed[0]
        cell.add("throughput", found[0], printed=f"{text} ops/sec", statistic="counted", line=line)
    else:
        values = [one.value for one in found if one]
        total = sum(values) if len(values) == len(printed) and min(values) >= 0 else None
        said = " + ".join(text[:12] for text, _ in printed[:16])
        cell.add("throughput", total, printed=f"{said} ops/sec", statistic="counted")


def _add_operation(cell: DraftCell, reports: Sequence[Report], name: str, draft: Draft) -> None:
    there = [one for one in reports if name in one.operations]
    if len(there) == 1:
        one = there[0].operations[name]
        if one.count == 0:
            return
        for row in one.latencies:
            cell.add(row.figure, row.found, operation=name, printed=row.printed,
                     statistic="merged", line=row.line)  # fmt: skip
        for figure, row in there[0].named(one, draft):
            cell.add(figure, row.found, operation=name, printed=row.printed,
                     statistic="merged", line=row.line)  # fmt: skip
        return
    rows: dict[str, list[tuple[float, Rounded, int]]] = {}
    for report in there:
        one = report.operations[name]
        if not one.count:
            continue
        named = [(row.figure, row) for row in one.latencies] + list(report.named(one, draft))
        for figure, row in named:
            if row.found is not None:
                rows.setdefault(figure, []).append((row.found.value, row.found, one.count))
    for figure, found in rows.items():
        values = [value for value, _, _ in found]
        printed = f"{min(values):,.6g} to {max(values):,.6g} µs, {len(values)} clients"
        if figure == "mean_us":
            total = sum(n for _, _, n in found)
            value: Rounded | None = Rounded(sum(v * n for v, _, n in found) / total)
        elif figure in ("max_us", "min_us"):
            value = Rounded(max(values) if figure == "max_us" else min(values))
        else:
            _add_between(cell, name, figure, values, printed)
            continue
        cell.add(figure, value, operation=name, printed=printed, statistic="merged")


def _add_between(
    cell: DraftCell, name: str, figure: str, values: Sequence[float], printed: str
) -> None:
    cell.add(figure, None, operation=name, printed=printed, statistic="unknown")
    cell.within(min(values), max(values))


def _add_logs(
    cell: DraftCell, reports: Sequence[Report], logs: Sequence[Logged], draft: Draft
) -> None:
    """Histograms of an operation belong to a cell when they count what its reports do."""
    by_operation: dict[str, list[Logged]] = {}
    for one in logs:
        by_operation.setdefault(one.operation, []).append(one)
    for operation, found in by_operation.items():
        wanted = sum(
            one.operations[operation].count or 0 for one in reports if operation in one.operations
        )
        whole = Merged()
        for one in found:
            for end, count in one.merged.counts.items():
                whole.counts[end] = whole.counts.get(end, 0) + count
                whole.middles[end] = one.merged.middles[end]
            whole.total += one.merged.total
            whole.digits = min(whole.digits, one.merged.digits)
        if not wanted or whole.total != wanted:
            reason = (
                f"the histograms of {operation} count {whole.total:,} operations, the reports "
                f"{wanted:,}; they are not used"
            )
            draft.note("doubtful", reason, reports[0].file)
            continue
        cell.histograms[operation] = whole.encoded()
        cell.histogram_unit_us = 1.0
        if len(reports) > 1:
            _use_merged(cell, operation, whole, len(found))


def _use_merged(cell: DraftCell, operation: str, whole: Merged, many: int) -> None:
    cell.figures = [
        one for one in cell.figures if one.operation != operation or one.value is not None
    ]
    there = {one.figure for one in cell.figures if one.operation == operation}
    for name, share in zip(PERCENTILE_NAMES, PERCENTILES, strict=True):
        if name not in there:
            value = whole.quantile(share)
            cell.add(name, value, operation=operation, printed=f"of {many} histograms, merged",
                     statistic="merged")  # fmt: skip


def _add_intervals(cell: DraftCell, reports: Sequence[Report], draft: Draft) -> None:
    if len(reports) > 1:
        _add_sums(cell, reports)
        return
    (report,) = reports
    keys = list(report.keys) if report.stride == 1 else []
    if report.stride > 1:
        reason = f"one of {report.stride} status lines is kept: counts add up, percentiles do not"
        draft.note("unknown", reason, report.file)
    if len(keys) > MOST_COLUMNS:
        reason = f"{len(keys) - MOST_COLUMNS} columns of status lines are beyond what is kept"
        draft.note("unknown", reason, report.file)
        keys = keys[:MOST_COLUMNS]
    cell.columns = columns_of(
        (figure, name, "counted" if figure == "operations" else "merged") for name, figure in keys
    )
    before: Status | None = None
    for status in report.statuses:
        length = _length(before, status)
        done = max(0, status.operations - (before.operations if before else 0))
        rate = status.throughput
        if report.stride > 1:
            rate = done / length if length else None
        values = status.values[: len(keys)]
        cell.intervals.append(
            PublishedInterval(
                at_seconds=status.second,
                seconds=length,
                operations=done,
                throughput=rate,
                values=(*values, *([None] * (len(keys) - len(values)))),
            )
        )
        before = status
    if not report.statuses:
        _add_course(cell, report)


def _length(before: Status | None, status: Status) -> float | None:
    if before is None:
        return None
    if before.at is not None and status.at is not None and status.at >= before.at:
        return round(status.at - before.at, 3)
    return float(status.second - before.second)


def _add_course(cell: DraftCell, report: Report) -> None:
    """Of `measurementtype=timeseries`: mean latencies by time."""
    named = [(name, dict(one.course)) for name, one in report.operations.items() if one.course]
    named = named[:MOST_COLUMNS]
    cell.columns = columns_of(("mean_us", name, "merged") for name, _ in named)
    moments = sorted({at for _, course in named for at in course})
    steps = [later - at for at, later in itertools.pairwise(moments)]
    step = min(steps) / 1e3 if steps else None
    for at in moments:
        values = tuple(course.get(at) for _, course in named)
        end = at / 1e3 + (step or 0.0)
        cell.intervals.append(PublishedInterval(at_seconds=end, seconds=step, values=values))


def _add_sums(cell: DraftCell, reports: Sequence[Report]) -> None:
    """Rates of clients add up where all of them tell of a second."""
    tables = [{one.second: one for one in report.statuses} for report in reports]
    for second in sorted(set.intersection(*(set(table) for table in tables)) if tables else ()):
        rates = [table[second].throughput for table in tables]
        known = [rate for rate in rates if rate is not None]
        total = sum(known) if len(known) == len(rates) else None
        cell.intervals.append(PublishedInterval(at_seconds=second, throughput=total))
