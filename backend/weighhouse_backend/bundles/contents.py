"""What a bundle holds of a campaign, file by file; each is made as it is asked for."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from weighhouse_protocol.bundles.archive import Sink
from weighhouse_protocol.bundles.manifest import canonical

from weighhouse_backend.bundles.noises import floors_told
from weighhouse_backend.bundles.recomputation import (
    CAMPAIGN,
    CELLS,
    COMPARISON,
    EXPERIMENT,
    NOISE,
    RUNS,
)
from weighhouse_backend.bundles.run_recomputation import COURSE, interval_told
from weighhouse_backend.bundles.stored_rows import told
from weighhouse_backend.campaigns.documents import document_of
from weighhouse_backend.campaigns.run_service import RunService
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.comparisons.comparison import Comparison
from weighhouse_backend.comparisons.schemas import ComparisonRead
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.exports import comparison_tables, list_tables, run_tables
from weighhouse_backend.exports.interval_logs import log_pieces
from weighhouse_backend.exports.run_tables import Shown
from weighhouse_backend.exports.snapshots import Snapshot
from weighhouse_backend.exports.tables import About, Table
from weighhouse_backend.exports.text_files import json_pieces
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.late import late
from weighhouse_backend.measurements.evidence import EvidenceService
from weighhouse_backend.measurements.interval_rows import MeasuredRowService
from weighhouse_backend.measurements.packed_intervals import pack
from weighhouse_backend.results.run_service import RunReadService
from weighhouse_backend.results.schemas import RunListed
from weighhouse_backend.runs.models import Campaign, Run
from weighhouse_backend.runs.states import RunStatus

if TYPE_CHECKING:
    from weighhouse_backend.exports import parquet_files
else:
    parquet_files = late("weighhouse_backend.exports.parquet_files")

Write = Callable[[Sink], None]
AWAY = re.compile(r"[^A-Za-z0-9_.-]")
LONGEST_STREAM = 40


@dataclass(frozen=True)
class Contents:
    """A campaign as files."""

    snapshot: Snapshot
    caller: Caller
    campaign: Campaign
    comparison: Comparison
    shown: ComparisonRead
    about: About

    def files(self) -> Iterator[tuple[str, Write]]:
        """Each file's name, and what writes it; always in one order."""
        yield EXPERIMENT, self._json(self.document.model_dump(mode="json"))
        yield CAMPAIGN, self._json({"campaign": told(self.campaign), "about": self.about.facts()})
        yield CELLS, self._json([told(one) for one in self._plan.cells_of(self.campaign.id)])
        yield RUNS, self._json([told(one) for one in self.runs])
        yield COMPARISON, self._json(self.shown.model_dump(mode="json"))
        yield NOISE, self._json(self._noise())
        yield "disclosure.json", self._json(self.shown.disclosure.model_dump(mode="json"))
        yield (
            "caveats.json",
            self._json([one.model_dump(mode="json") for one in self.shown.caveats]),
        )
        yield "disclaimers.txt", self._text("".join(f"{line}\n" for line in self.about.lines()))
        yield "programs.json", self._json(self._programs())
        for name, manifest in self._manifests():
            yield f"manifests/{name}.json", self._json(manifest)
        for name in self._tables():
            yield f"tables/{name}.parquet", partial(self._parquet, name)
            yield f"tables/{name}.jsonl", partial(self._lines, name)
        for run in self.runs:
            yield from self._of_run(run)

    @cached_property
    def runs(self) -> list[Run]:
        """The campaign's, in the order they were measured in."""
        return self._plan.of_campaign(self.campaign.id)

    @cached_property
    def document(self) -> Any:
        """The experiment, with the levels that were chosen while it was measured."""
        return document_of(self.snapshot.get(ExperimentService), self.campaign)

    @property
    def _plan(self) -> RunService:
        return self.snapshot.get(RunService)

    @property
    def _evidence(self) -> EvidenceService:
        return self.snapshot.get(EvidenceService)

    def _noise(self) -> dict[str, Any]:
        looks = self.comparison.sources.looks
        return {
            "looked_at": looks.looked_at(self.campaign.id),
            "floors": list(floors_told(self.comparison.whole.sides, self.comparison.noise)),
        }

    def _manifests(self) -> Iterator[tuple[str, Any]]:
        known = self.snapshot.get(CatalogService).manifests([self.campaign.project_id])
        targets = [*self.document.targets, *(one["target"] for one in self.campaign.beside)]
        names = {
            str(name)
            for target in targets
            for name in (
                (target.get("system"), target.get("tool"))
                if isinstance(target, dict)
                else (target.system, target.tool)
            )
            if name
        }
        for name in sorted(names & known.keys()):
            yield name, known[name].model_dump(mode="json")

    def _programs(self) -> list[dict[str, Any]]:
        """What really ran, by what is in its files; each once, with in how many runs."""
        found: dict[bytes, dict[str, Any]] = {}
        for run in self._completed:
            evidence = self._evidence.of(run.result_attempt_id)
            for program in [] if evidence is None else evidence.record.programs:
                kept = found.setdefault(canonical(program), {**program, "runs": 0})
                kept["runs"] += 1
        return [found[key] for key in sorted(found)]

    @property
    def _completed(self) -> Iterator[Any]:
        for run in self.runs:
            if run.status == RunStatus.COMPLETED and run.result_attempt_id is not None:
                yield run

    def _tables(self) -> dict[str, Table]:
        rows = self.snapshot.get(MeasuredRowService)
        reading = self.snapshot.get(RunReadService)
        listed = partial(reading.listed, self.caller, campaign_id=self.campaign.id)
        tables = [
            *comparison_tables.tables(self.shown),
            list_tables.runs(listed, self.snapshot.get(ExaminationService)),
            run_tables.operations(list_tables.every(listed)),
            run_tables.intervals(rows, self._shown()),
            run_tables.resources(rows, self._shown()),
        ]
        return {table.name: table for table in tables}

    def _shown(self) -> Iterator[Shown]:
        for run in self.runs:
            yield self._shown_of(run)

    def _shown_of(self, run: Run) -> Shown:
        reading = self.snapshot.get(RunReadService)
        listed: list[RunListed] = reading.views([run])
        return Shown(listed[0], reading.shown_id(run))

    def _parquet(self, name: str, sink: Sink) -> None:
        parquet_files.write_table(self.about, self._tables()[name], sink, same_bytes=True)

    def _lines(self, name: str, sink: Sink) -> None:
        for piece in json_pieces(self._tables()[name], self.about):
            sink.write(piece)

    def _of_run(self, run: Run) -> Iterator[tuple[str, Write]]:
        attempt_id = self.snapshot.get(RunReadService).shown_id(run)
        where = f"runs/{run.id}"
        if attempt_id is None:
            return
        if run.status == RunStatus.COMPLETED and attempt_id == run.result_attempt_id:
            yield f"{where}/facts.json", partial(self._facts, run, attempt_id)
            yield f"{where}/summaries.json", partial(self._summaries, attempt_id)
        yield f"{where}/intervals.jsonl", partial(self._intervals, attempt_id)
        yield f"{where}/intervals.hlog", partial(self._log, run)
        names: set[str] = set()
        for member, stream, content in self._evidence.logs(attempt_id):
            name = f"{where}/logs/{member}-{AWAY.sub('_', stream)[:LONGEST_STREAM]}"
            while name in names:
                name += "_"
            names.add(name)
            yield name, partial(_written, content)

    def _facts(self, run: Run, attempt_id: Any, sink: Sink) -> None:
        evidence = self._evidence.of(attempt_id)
        found = self.snapshot.get(ExaminationService).found(self.campaign, run)
        thinned = self._evidence.thinned(attempt_id)
        members = () if evidence is None else evidence.record.members
        drivers = sum(bool(part.phases) for part in members)
        why = ""
        if thinned is not None and thinned.intervals_at is not None:
            why = "its intervals were kept no longer; its histograms are taken as they stand"
        elif drivers > 1:
            why = (
                f"{drivers} drivers measured it, and what they have in common was cut out; its "
                "histograms are taken as they stand"
            )
        facts = {
            "records": [told(part) for part in members],
            "members": [] if evidence is None else [told(one) for one in evidence.members],
            "samples": [] if evidence is None else [told(one) for one in evidence.samples],
            "marks": [] if evidence is None else [told(one) for one in evidence.marks],
            "course": COURSE.dump_python(
                self.snapshot.get(RunReadService).course(attempt_id), mode="json"
            ),
            "findings": [one.model_dump(mode="json") for one in found],
            "of_intervals": why,
        }
        self._json(facts)(sink)

    def _summaries(self, attempt_id: Any, sink: Sink) -> None:
        self._json([told(one) for one in self._evidence.whole_summaries(attempt_id)])(sink)

    def _intervals(self, attempt_id: Any, sink: Sink) -> None:
        for member, interval in self.snapshot.get(MeasuredRowService).intervals(attempt_id):
            sink.write(canonical(interval_told(member, interval, pack(interval))) + b"\n")

    def _log(self, run: Run, sink: Sink) -> None:
        rows = self.snapshot.get(MeasuredRowService)
        for piece in log_pieces(self.about, rows, [self._shown_of(run)]):
            sink.write(piece)

    @staticmethod
    def _json(value: Any) -> Write:
        return partial(_written, canonical(value) + b"\n")

    @staticmethod
    def _text(text: str) -> Write:
        return partial(_written, text.encode())


def _written(content: bytes, sink: Sink) -> None:
    sink.write(content)
