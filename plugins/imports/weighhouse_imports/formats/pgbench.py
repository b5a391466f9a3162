"""pgbench: what it prints, one run or several with a warm-up before them."""

import re
from collections.abc import Sequence
from typing import ClassVar

from weighhouse_protocol.published.figures import PublishedInterval
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_imports.draft import Draft, DraftCell, require_few, titled
from weighhouse_imports.importer import (
    NOTHING_TOLD,
    Importer,
    ImporterManifest,
    Recognition,
    Told,
)
from weighhouse_imports.numbers import number, rounded, whole
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused

TPS = re.compile(r"^\s*tps = (\S{1,40})(?: \((.{1,80})\))?")
TPS_BYTES = re.compile(rb"^\s*tps = \d", re.MULTILINE)
KIND_BYTES = re.compile(rb"^\s*transaction type: ", re.MULTILINE)
VERSION = re.compile(r"^\s*pgbench \(?(?:PostgreSQL\)? ?)?(\d[\w.]*)")
FACT = re.compile(
    r"^\s*(transaction type|scaling factor|query mode|number of clients|number of threads|duration): (.{1,120}?)\s*$"
)
PROCESSED = re.compile(r"number of transactions actually processed: (\d{1,18})(?:/(\d{1,18}))?")
FAILED = re.compile(r"number of failed transactions: (\d{1,18})")
LATENCY = re.compile(r"^\s*latency (average|stddev)(?: =|:) (\S{1,40}) (ms|us|s)\b")
PROGRESS = re.compile(
    r"^\s*progress: ([\d.]+) s, ([\d.]+|NaN|-nan) tps, lat ([\d.]+|NaN|-nan) ms stddev ([\d.]+|NaN|-nan)"
)
PROGRESS_BYTES = re.compile(rb"^\s*progress: [\d.]+ s, \S{1,20} tps, lat ", re.MULTILINE)
RATE = re.compile(r"^\s*(?:-R|rate limit).*?(\d+(?:\.\d+)?)")
HEADING = re.compile(r"^\s*(?:=+|#+|-{3,})\s*([\w][\w .:/#-]{0,60}?)\s*(?:=+|#+|-{3,})?\s*$")
UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6}
WARM_UP = re.compile(r"warm", re.IGNORECASE)
APART = 0.05


class Pgbench(Importer):
    """Each run of a file is a cell of its own; what is not told again holds on."""

    manifest: ClassVar[ImporterManifest] = ImporterManifest(
        name="pgbench",
        title="pgbench",
        reads=("what pgbench 9 to 18 prints, by itself or within a page of notes",),
        known_errors=(
            "until version 13 it prints two rates, with and without connecting: the second counts",
            (
                "runs of one script lie in one file, the warm-up first: each is a cell, and the "
                "warm-up is named so"
            ),
            "it prints no percentiles",
        ),
    )

    def recognises(self, head: bytes, name: str) -> Recognition | None:
        """By its rate and kind of transaction."""
        del name
        if TPS_BYTES.search(head) and (KIND_BYTES.search(head) or b"pgbench" in head):
            return Recognition(0.95, "tps and transaction type")
        if KIND_BYTES.search(head) or b"number of transactions actually processed" in head:
            return Recognition(0.7, "its facts of a run")
        if PROGRESS_BYTES.search(head):
            return Recognition(0.9, "its progress: more of it than its beginning holds")
        return None

    def read(self, files: Sequence[ImportFile], told: Told = NOTHING_TOLD) -> PublishedResults:
        """All runs of all files."""
        draft = Draft(told, title=titled(files), tool="pgbench")
        for file in files:
            _read(file, draft, several=len(files) > 1)
        return draft.built()


def _read(file: ImportFile, draft: Draft, *, several: bool) -> None:
    facts: dict[str, str] = {}
    heading = version = ""
    number_of = 0
    cell = DraftCell(file=file)
    processed: int | None = None
    found: list[DraftCell] = []
    for line_number, line in file.lines():
        if (named := HEADING.match(line)) is not None:
            heading = named[1].strip()
        elif (told := VERSION.match(line)) is not None:
            version = told[1]
        elif (fact := FACT.match(line)) is not None:
            facts[fact[1]] = fact[2]
        elif (done := PROCESSED.search(line)) is not None:
            processed = int(done[1])
            cell.count("transaction", "OK", processed)
        elif (failed := FAILED.search(line)) is not None:
            if many := int(failed[1]):
                cell.count("transaction", "failed", many)
        elif (latency := LATENCY.match(line)) is not None:
            name = "mean_us" if latency[1] == "average" else "stddev_us"
            cell.add(name, rounded(latency[2], UNITS[latency[3]]), statistic="merged",
                     printed=f"{latency[2]} {latency[3]}", line=line_number)  # fmt: skip
        elif (progress := PROGRESS.match(line)) is not None:
            _take_progress(cell, progress)
        elif (rate := TPS.match(line)) is not None:
            if rate[2] and "including" in rate[2]:
                continue
            number_of += 1
            text = f"{rate[1]} tps ({rate[2]})" if rate[2] else f"{rate[1]} tps"
            cell.add("throughput", rounded(rate[1]), printed=text, statistic="counted",
                     line=line_number)  # fmt: skip
            _finish(cell, facts, heading or f"run {number_of}", processed, draft)
            found.append(cell)
            require_few(found, file, line_number)
            cell, processed = DraftCell(file=file), None
    if cell.outcomes or cell.figures:
        draft.note("doubtful", "its last run ends before its rate: broken off, or cut short", file)
    if not found:
        raise Refused("no run in it came to its end: it prints no tps", file.name)
    draft.tool = f"pgbench {version}".strip()
    for each in found:
        each.files = [file.told("pgbench")]
        each.run = "" if len(found) == 1 else each.run
        if several:
            each.run = f"{file.stem} {each.run}".strip()
        draft.add(draft.side("PostgreSQL"), each)


def _take_progress(cell: DraftCell, progress: re.Match[str]) -> None:
    at, rate = number(progress[1]), number(progress[2])
    if at is not None and at <= 366 * 86_400:
        before = cell.intervals[-1].at_seconds if cell.intervals else 0.0
        cell.add_interval(
            PublishedInterval(at_seconds=at, seconds=max(0.0, at - before), throughput=rate)
        )


def _finish(
    cell: DraftCell, facts: dict[str, str], heading: str, processed: int | None, draft: Draft
) -> None:
    cell.run = "warm-up" if WARM_UP.search(heading) else heading.lower()
    cell.clients = whole(facts.get("number of clients", ""))
    cell.pipeline = 1 if cell.clients else None
    cell.loop = "closed"
    cell.load_label = f"{cell.clients} clients" if cell.clients else ""
    cell.seconds = number(facts.get("duration", "").removesuffix("s").strip())
    words = [facts.get("transaction type", ""),
             f"scale {facts['scaling factor']}" if "scaling factor" in facts else "",
             facts.get("query mode", "")]  # fmt: skip
    cell.workload = ", ".join(filter(None, words))
    figure = next((one for one in cell.figures if one.figure == "throughput"), None)
    if processed == 0:
        raise Refused("a run without a transaction: nothing was measured",
                      cell.file.name if cell.file else "")  # fmt: skip
    if figure and processed and cell.seconds:
        made = processed / cell.seconds
        if figure.value and abs(figure.value - made) > APART * made:
            reason = f"{figure.printed}, and {processed:,} ÷ {cell.seconds:g} s is {made:,.2f}"
            draft.note("doubtful", reason, cell.file)
    cell.recompute(processed)


IMPORTER = Pgbench()
