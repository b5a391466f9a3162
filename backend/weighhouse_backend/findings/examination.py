"""What checks have to say of runs; kept when their campaign is settled."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from weighhouse_judging.caveats.caveat_list import Beside, OfRun, caveats
from weighhouse_judging.findings.checks import Severity, title_of
from weighhouse_judging.findings.run_checks import check_run

from weighhouse_backend.campaigns.documents import measured_document
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.publication import Leaving
from weighhouse_backend.disclosure.service import Disclosed, DisclosureService
from weighhouse_backend.disclosure.statements import Setup
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.findings.caveats import answered, caveats_read, left_out, of_run, said
from weighhouse_backend.findings.evidence import observation
from weighhouse_backend.findings.repository import MOST_NAMED, FindingRepository, FoundAlike
from weighhouse_backend.findings.schemas import FindingRead, RunFinding, RunRead
from weighhouse_backend.measurements.evidence import EvidenceService
from weighhouse_backend.results.run_service import RunReadService
from weighhouse_backend.runs.models import Campaign, Run
from weighhouse_backend.runs.states import RunStatus

GRAVITY = {"error": 0, "caution": 1, "info": 2}


@dataclass(frozen=True)
class Renewed:
    """How findings differ from those that were kept."""

    new: int = 0
    """Those that were not there, or said something else."""
    gone: int = 0


@dataclass(frozen=True)
class ExaminationService:
    """Checks runs."""

    repository: FindingRepository
    evidence: EvidenceService
    reading: RunReadService
    experiments: ExperimentService
    disclosure: DisclosureService
    catalog: CatalogService

    def run(self, run: Run) -> RunRead:
        """A run with its facts, its findings, and what must stand beside it.

        Findings are those kept when the campaign was settled; before that they are computed here,
        by the same checks.
        """
        facts = self.reading.facts(run)
        campaign = self.repository.campaigns([run.campaign_id])[run.campaign_id]
        found = self.found(campaign, run)
        return RunRead(
            **dict(facts),
            findings=found,
            caveats=self.caveats_of_target(
                campaign, facts.cell.target, [RunFinding.of(run.id, one) for one in found], 1
            ),
        )

    def caveats_of_target(
        self, campaign: Campaign, target: str, found: Sequence[RunFinding], runs: int
    ) -> list[CaveatRead]:
        """The one list of caveats of some runs of one target.

        :param found: what checks have to say of them.
        :param runs: how many they are.
        """
        document = measured_document(self.experiments, campaign)
        projects = [campaign.project_id]
        leaving = Leaving(campaign.project_id, document, campaign.id, {target})
        sheet = self.disclosure.sheet([Disclosed(leaving)])
        side = f"{campaign.id}~{target}"
        beside = Beside(
            sides=[side],
            runs=runs,
            said=[
                said(one)
                for one in self.disclosure.disclaimers_of(projects, document, {target}, campaign.id)
            ],
            found=[of_run(one, side) for one in found],
            completeness=answered(sheet),
            not_disclosed=left_out(sheet),
        )
        return caveats_read(caveats(beside))

    def caveats_of_series(
        self,
        project_id: UUID,
        system_id: str,
        campaign_ids: Collection[UUID],
        cell: tuple[str, str, str],
    ) -> list[CaveatRead]:
        """The one list of caveats of a cell over campaigns.

        :param cell: target, workload and label of the load level.
        """
        found = self.repository.of_cells(campaign_ids, *cell)
        setups = self._setups(campaign_ids, cell[0])
        systems = {plugin for setup in setups for plugin in setup.target.plugins}
        statements = self.disclosure.disclaimers_for(
            [project_id],
            sorted(systems | {system_id}),
            self._leaving(campaign_ids, cell[0]),
            setups or None,
        )
        beside = Beside(
            sides=[cell[0]],
            runs=found.runs,
            said=[said(one) for one in statements],
            found=_told_apart(found.alike, cell[0]),
        )
        return caveats_read(caveats(beside))

    def _setups(self, campaign_ids: Collection[UUID], target: str) -> list[Setup]:
        """As what a target was measured over campaigns, each once."""
        documents = [
            self.experiments.document(revision_id)
            for revision_id in sorted(self.repository.revisions(campaign_ids))
        ]
        found: list[Setup] = []
        for document in documents:
            for one in document.targets:
                setup = Setup(one, document.placement.servers.machines)
                if one.name == target and setup not in found:
                    found.append(setup)
        return found

    def _leaving(self, campaign_ids: Collection[UUID], target: str) -> list[Leaving]:
        """Under which terms a target stands over campaigns: those of the latest of them."""
        if not campaign_ids:
            return []
        latest = max(campaign_ids)  # identifiers sort by the time they were made
        campaign = self.repository.campaigns([latest])[latest]
        document = measured_document(self.experiments, campaign)
        return [Leaving(campaign.project_id, document, campaign.id, {target})]

    def found(self, campaign: Campaign, run: Run) -> list[FindingRead]:
        """What checks have to say of a run, the gravest first: as it was kept, else as of now."""
        kept = [FindingRead.model_validate(row.body) for row in self.repository.findings(run.id)]
        found = kept or self.examine(campaign, run)
        return sorted(found, key=lambda finding: GRAVITY[finding.severity])

    def examine(self, campaign: Campaign, run: Run) -> list[FindingRead]:
        """Check one run; nothing to say of one that has no result."""
        return [finding for _, finding in self.examine_each(campaign, [run])]

    def examine_each(
        self, campaign: Campaign, runs: Iterable[Run]
    ) -> Iterator[tuple[Run, FindingRead]]:
        """Check runs of a campaign: what is found of each, in order. What was measured of many is
        read together.
        """
        settled = {
            run.result_attempt_id: run
            for run in runs
            if run.result_attempt_id is not None and run.status == RunStatus.COMPLETED
        }
        if not settled:
            return
        document = measured_document(self.experiments, campaign)
        manifests = self.catalog.manifests([campaign.project_id])
        cells = self.evidence.cells({run.cell_id for run in settled.values()})
        for batch in self.evidence.batches(list(settled)):
            courses = self.reading.courses(batch)
            for attempt_id, evidence in self.evidence.of_each(batch).items():
                run = settled[attempt_id]
                cell = cells[run.cell_id]
                seen = observation(
                    document,
                    cell,
                    evidence.summaries,
                    evidence.record,
                    courses[attempt_id],
                    evidence.samples,
                    evidence.members,
                    manifests.get(document.targets[cell.target_index].system),
                    evidence.marks,
                )
                if seen is not None:
                    for finding in check_run(seen):
                        yield run, FindingRead.of(finding)

    def keep(self, campaign: Campaign) -> None:
        """Check every run of a campaign and keep what is found. Idempotent."""
        self.repository.replace_findings(campaign.id, self._of(campaign))

    def renew(self, campaign: Campaign, *, dry_run: bool = False) -> Renewed:
        """Check every run again, by today's checks, and keep what is found where it differs.

        :param campaign: locked.
        :param dry_run: only say what would change.
        """
        before = {
            (row.run_id, row.check_id): row.body
            for row in self.repository.findings_of_campaigns([campaign.id])
        }
        rows = self._of(campaign)
        now = {(row["run_id"], row["check_id"]): row["body"] for row in rows}
        renewed = Renewed(
            new=sum(before.get(key) != body for key, body in now.items()),
            gone=len(before.keys() - now.keys()),
        )
        if renewed != Renewed() and not dry_run:
            self.repository.replace_findings(campaign.id, rows)
        return renewed

    def _of(self, campaign: Campaign) -> list[dict[str, Any]]:
        return [
            {
                "run_id": run.id,
                "check_id": finding.id,
                "project_id": campaign.project_id,
                "campaign_id": campaign.id,
                "severity": finding.severity,
                "body": finding.model_dump(mode="json"),
            }
            for run, finding in self.examine_each(campaign, self.repository.runs(campaign.id))
        ]

    def of_each_run(
        self, run_ids: Collection[UUID], severity: Severity | None = None
    ) -> list[RunFinding]:
        """Kept findings of some runs, one by one.

        :param severity: those of it alone; default: all.
        """
        return [_called(one) for one in self.repository.findings_of_runs(run_ids, severity)]


def _told_apart(found: Iterable[FoundAlike], side: str) -> list[OfRun]:
    """What was found of a side: of each outcome some texts, and the rest counted with the last."""
    by_outcome: dict[tuple[str, ...], list[OfRun]] = {}
    for one in found:
        finding = _called(one.finding)
        told = by_outcome.setdefault((finding.check, finding.severity, finding.title), [])
        if len(told) < MOST_NAMED:
            mine = of_run(finding, side)
            told.append(replace(mine, others=one.others, unnamed=one.unnamed))
        else:
            more = 1 + len(one.others) + one.unnamed
            told[-1] = replace(told[-1], unnamed=told[-1].unnamed + more)
    return [one for told in by_outcome.values() for one in told]


def _called(found: RunFinding) -> RunFinding:
    """By its text: what is stored was called something by the version that found it."""
    return found._replace(title=title_of(found.check, found.message, found.title))
