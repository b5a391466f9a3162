"""What checks have to say of runs; kept when their campaign is settled."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from weighhouse_judging.findings.run_checks import check_run

from weighhouse_backend.campaigns.models import Campaign, Run
from weighhouse_backend.campaigns.states import RunStatus
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.schemas import DisclaimerRead
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.findings.evidence import observation
from weighhouse_backend.findings.repository import FindingRepository
from weighhouse_backend.findings.schemas import FindingRead, RunRead
from weighhouse_backend.results.reading import RunReadService
from weighhouse_backend.results.repository import ResultRepository

GRAVITY = {"error": 0, "caution": 1, "info": 2}


@dataclass(frozen=True)
class Renewed:
    """How findings differ from those that were kept."""

    new: int = 0
    """Those that were not there, or said something else."""
    gone: int = 0


class RunFinding(NamedTuple):
    """What a check found of one run."""

    run_id: UUID
    finding: FindingRead


@dataclass(frozen=True)
class ExaminationService:
    """Checks runs."""

    repository: FindingRepository
    results: ResultRepository
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
        document = self.experiments.document(campaign.revision_id)
        return RunRead(
            **dict(facts),
            findings=self.found(campaign, run),
            disclaimers=self.disclosure.disclaimers_of(
                [run.project_id], document, {facts.cell.target}
            ),
        )

    def found(self, campaign: Campaign, run: Run) -> list[FindingRead]:
        """What checks have to say of a run, the gravest first: as it was kept, else as of now."""
        kept = [FindingRead.model_validate(row.body) for row in self.repository.findings(run.id)]
        found = kept or self.examine(campaign, run)
        return sorted(found, key=lambda finding: GRAVITY[finding.severity])

    def examine(self, campaign: Campaign, run: Run) -> list[FindingRead]:
        """Check one run; nothing to say of one that has no result."""
        attempt_id = run.result_attempt_id
        record = None if attempt_id is None else self.results.record(attempt_id)
        if attempt_id is None or record is None or run.status != RunStatus.COMPLETED:
            return []
        document = self.experiments.document(campaign.revision_id)
        cell = self.results.cells([run.cell_id])[run.cell_id]
        system = document.targets[cell.target_index].system
        seen = observation(
            document,
            cell,
            self.results.summaries([attempt_id])[attempt_id],
            record,
            self.reading.course(attempt_id),
            self.results.measured_samples(attempt_id),
            self.results.members([attempt_id])[attempt_id],
            self.catalog.manifests([run.project_id]).get(system),
        )
        return [] if seen is None else [FindingRead.of(finding) for finding in check_run(seen)]

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
            for run in self.repository.runs(campaign.id)
            for finding in self.examine(campaign, run)
        ]

    def of_each_run(self, campaign_ids: set[UUID], run_ids: Collection[UUID]) -> list[RunFinding]:
        """Kept findings of some runs, one by one."""
        return [
            RunFinding(row.run_id, FindingRead.model_validate(row.body))
            for row in self.repository.findings_of_campaigns(campaign_ids)
            if row.run_id in run_ids
        ]

    def of_runs(self, campaign_ids: set[UUID], run_ids: set[UUID]) -> list[FindingRead]:
        """Kept findings of some runs, each check once, with how many runs it concerns."""
        return summed_up(
            [
                FindingRead.model_validate(row.body)
                for row in self.repository.findings_of_campaigns(campaign_ids)
                if row.run_id in run_ids
            ]
        )


def summed_up(found: list[FindingRead]) -> list[FindingRead]:
    """One finding a check: the gravest, with the number of runs that have it."""
    by_check: dict[str, list[FindingRead]] = {}
    for finding in found:
        by_check.setdefault(finding.id, []).append(finding)
    shown = []
    for findings in by_check.values():
        gravest = min(findings, key=lambda finding: GRAVITY[finding.severity])
        count = len(findings)
        prefix = "" if count == 1 else f"In {count} runs; for example: "
        numbers = {**gravest.numbers, "runs": count}
        shown.append(
            gravest.model_copy(update={"message": prefix + gravest.message, "numbers": numbers})
        )
    return sorted(shown, key=lambda finding: GRAVITY[finding.severity])


def checks_as_disclaimers(found: Sequence[FindingRead]) -> list[DisclaimerRead]:
    """Findings that must travel with the numbers: those of severity caution and error."""
    return [
        DisclaimerRead(
            id=f"check-{finding.id}",
            kind="check",
            system_id=None,
            title=finding.title,
            text=finding.message,
            source=finding.documentation,
            severity="caution",
        )
        for finding in found
        if finding.severity != "info"
    ]
