"""memtier_benchmark's table, and what is held against it and its JSON alike."""

import re
from collections.abc import Mapping, Sequence

from weighhouse_protocol.published.figures import ALL

from weighhouse_imports.draft import Draft, DraftCell
from weighhouse_imports.numbers import number, percentile_name, rounded
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

HEAD = re.compile(r"^Type\s+Ops/sec\s+")
SECTION = re.compile(
    r"^(ALL STATS|RUN #\d{1,9} RESULTS|BEST RUN RESULTS|WORST RUN RESULTS|AGGREGATED AVERAGE RESULTS.*)\s*$"
)
SETUP = re.compile(
    r"^\s*(\d{1,9})\s+(Threads|Connections per thread|Requests per client|Seconds)\s*$"
)
COLUMN = re.compile(r"Avg\. Latency|p[\d.]+ Latency|[\w./]+")
AVERAGED = "AGGREGATED AVERAGE RESULTS"
COMMAND = re.compile(r"(?:^|\s|\$)(?:\S*/)?memtier_benchmark\s+-.*$")
US_PER_MS = 1000.0
UNLIKE = 0.05


def read_text(file: ImportFile, draft: Draft, *, several: bool) -> None:
    """A cell for each table that it prints: of its run, or of several runs and their average.

    :raises Refused: where there is no table, or one of a second run.
    """
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
    tell_runs_apart(cells, draft)


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
    hold_against_load(cell, draft)


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


def tell_runs_apart(cells: Mapping[str, DraftCell], draft: Draft) -> None:
    """Say so where the best and the worst of several runs are one."""
    best, worst = cells.get("BEST RUN RESULTS"), cells.get("WORST RUN RESULTS")
    if best is None or worst is None:
        return
    figures = [
        [(one.figure, one.operation, one.printed) for one in cell.figures] for cell in (best, worst)
    ]
    if figures[0] == figures[1]:
        draft.note("doubtful", "its best and its worst run are the same one: which of its runs it "
                   "is, is not told", best.file)  # fmt: skip


def hold_against_load(cell: DraftCell, draft: Draft) -> None:
    """Little's law: what is on the way is throughput × latency."""
    throughput = next((f.value for f in cell.figures if f.statistic != "averaged"
                       and (f.figure, f.operation) == ("throughput", ALL)), None)  # fmt: skip
    mean = next((f.value or f.recomputed for f in cell.figures
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
