"""Histograms that leave the house: of a run, and of all runs of a cell together."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal

from weighhouse_protocol import pages

from weighhouse_backend.campaigns.completeness import CompletenessService
from weighhouse_backend.campaigns.documents import document_of, measured_document
from weighhouse_backend.campaigns.names import measured_names
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.publication import Leaving
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.findings.repository import FindingRepository
from weighhouse_backend.findings.schemas import RunFinding
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.measurements.errors import ResultNotThere
from weighhouse_backend.measurements.evidence import EvidenceService
from weighhouse_backend.measurements.histogram_kinds import HistogramKind
from weighhouse_backend.results.distributions import CountedRun, DistributionService
from weighhouse_backend.results.histogram_files import HistogramExport, RecordedRun
from weighhouse_backend.results.histogram_schemas import HistogramFacts
from weighhouse_backend.runs.models import Campaign, Run

Phase = Literal["load", "measure"]
PHASES: dict[str, str] = {"load": "load", "measure": "measured"}
COUNTED: dict[tuple[HistogramKind, str], str] = {
    ("response", "closed"): "successes, from the answer before to their own (closed loop)",
    ("response", "open"): "successes, from when they were due to done (open loop)",
    ("service", "open"): "successes, from sent to done (open loop)",
    ("asked", "closed"): "everything that was asked, failed and not found at the time they took, "
    "from the answer before to their own (closed loop)",
    ("asked", "open"): "everything that was asked, failed and not found at the time they took, "
    "from when they were due to done (open loop)",
}


@dataclass(frozen=True)
class Wanted:
    """Which histogram of a run."""

    operation: str = "all"
    kind: HistogramKind = "response"
    phase: Phase = "measure"


@dataclass(frozen=True)
class HistogramService:
    """Gives histograms out, with their facts and with what must stand beside them."""

    repository: FindingRepository
    evidence: EvidenceService
    distributions: DistributionService
    experiments: ExperimentService
    catalog: CatalogService
    examination: ExaminationService
    completeness: CompletenessService
    clock: Clock
    settings: Settings

    def of_run(self, run: Run, wanted: Wanted) -> HistogramExport:
        """The histogram of a run that the caller may see.

        :raises ResultNotThere: when there is none; the message names those there are.
        """
        cell = self.evidence.cell(run.cell_id)
        counted = CountedRun.of(run, cell)
        campaign = self.repository.campaigns([run.campaign_id])[run.campaign_id]
        if counted is None:
            raise ResultNotThere("the run gave no result, or is not settled yet")
        found = [RunFinding.of(run.id, one) for one in self.examination.found(campaign, run)]
        view = pages.at(self.settings.public_url, pages.run(run.id))
        return self._export(campaign, [counted], wanted, found, view, "")

    def of_runs(
        self, campaign: Campaign, runs: Sequence[CountedRun], wanted: Wanted
    ) -> HistogramExport:
        """The histograms of all runs of one target's cell, for a feature that checked access.

        :raises ResultNotThere: when there is none; the message names those there are.
        """
        if not runs:
            raise ResultNotThere("no run of that side gave a result there")
        found = self.examination.of_each_run({run.run_id for run in runs})
        one = runs[0]
        shown = pages.cell_of_side(campaign.id, one.target, one.workload, one.load_level.label)
        view = pages.at(self.settings.public_url, shown)
        so_far = self.completeness.of([campaign]).words
        return self._export(campaign, runs, wanted, found, view, so_far)

    def _export(
        self,
        campaign: Campaign,
        runs: Sequence[CountedRun],
        wanted: Wanted,
        found: Sequence[RunFinding],
        view: str,
        so_far: str,
    ) -> HistogramExport:
        stored = self.distributions.histograms(runs, wanted.operation, wanted.kind, wanted.phase)
        taken = [run for run in runs if run.run_id in stored]
        if not taken:
            raise self._missing(runs, wanted)
        return HistogramExport(
            facts=self._facts(
                campaign, taken, wanted, sum(one.overflow for one in stored.values()), so_far
            ),
            stamp=self._stamp(campaign, taken[0].target),
            caveats=self.examination.caveats_of_target(
                campaign, taken[0].target, found, len(taken)
            ),
            view=view,
            runs=[
                RecordedRun(run.started_at, stored[run.run_id].seconds, stored[run.run_id].encoded)
                for run in taken
            ],
        )

    def _facts(
        self,
        campaign: Campaign,
        runs: Sequence[CountedRun],
        wanted: Wanted,
        overflow: int,
        so_far: str,
    ) -> HistogramFacts:
        document = measured_document(self.experiments, campaign)
        first = runs[0]
        target = next(one for one in document.targets if one.name == first.target)
        manifests = self.catalog.manifests([campaign.project_id])
        manifest = manifests.get(target.system)
        load = first.load_level
        return HistogramFacts(
            counts=COUNTED[wanted.kind, load.kind],
            unit="µs",
            system=target.system if manifest is None else manifest.name,
            target=target.name,
            target_name=measured_names(
                document_of(self.experiments, campaign), campaign.beside, manifests
            )[target.name],
            version=" and ".join(self.evidence.versions([run.attempt_id for run in runs])) or None,
            workload=first.workload,
            load_level=load.label,
            operation=wanted.operation,
            phase=PHASES[wanted.phase],
            experiment=document.name,
            campaign_id=campaign.id,
            campaign_number=campaign.number,
            run_ids=[run.run_id for run in runs],
            repetitions=[run.repetition for run in runs],
            overflow=overflow,
            software=f"Weighhouse {version('weighhouse-backend')}",
            exported_at=self.clock.now(),
            so_far=so_far,
        )

    def _stamp(self, campaign: Campaign, target: str) -> str | None:
        document = measured_document(self.experiments, campaign)
        leaving = Leaving(campaign.project_id, document, campaign.id, {target})
        return self.examination.disclosure.publication.stamp([leaving])

    def _missing(self, runs: Sequence[CountedRun], wanted: Wanted) -> ResultNotThere:
        known = self.distributions.operations(runs, wanted.phase)
        if wanted.operation not in known:
            return ResultNotThere(
                f"no operation {wanted.operation!r} was measured in the {PHASES[wanted.phase]} "
                f"phase; there is {', '.join(known) or 'nothing'}"
            )
        return ResultNotThere(
            "service times are kept of open loops alone; ask for `kind=response`"
            if wanted.kind == "service"
            else "not everything that was asked was timed, or the run is from before that was "
            "kept; ask for `kind=response`"
        )
