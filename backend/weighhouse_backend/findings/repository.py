"""All queries of findings."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from weighhouse_backend.findings.models import Finding
from weighhouse_backend.kit.db import among
from weighhouse_backend.runs.models import Campaign, Cell, Run
from weighhouse_backend.runs.states import RunStatus


@dataclass(frozen=True)
class FindingRepository:
    """Reads and writes findings."""

    session: Session

    def campaigns(self, campaign_ids: Collection[UUID]) -> dict[UUID, Campaign]:
        """Campaigns by id."""
        found = self.session.scalars(select(Campaign).where(Campaign.id.in_(list(campaign_ids))))
        return {campaign.id: campaign for campaign in found}

    def runs(self, campaign_id: UUID) -> Sequence[Run]:
        """Runs of a campaign."""
        return self.session.scalars(select(Run).where(Run.campaign_id == campaign_id)).all()

    def findings(self, run_id: UUID) -> Sequence[Finding]:
        """Stored findings of a run."""
        return self.session.scalars(select(Finding).where(Finding.run_id == run_id)).all()

    def findings_of_campaigns(self, campaign_ids: Collection[UUID]) -> Sequence[Finding]:
        """Stored findings of all runs of some campaigns."""
        return self.session.scalars(
            select(Finding).where(Finding.campaign_id.in_(list(campaign_ids)))
        ).all()

    def findings_of_runs(
        self, run_ids: Collection[UUID], severity: str | None = None
    ) -> list[tuple[UUID, dict[str, Any]]]:
        """Run and body of every stored finding of some runs, by run and check.

        :param severity: those of it alone.
        """
        of_severity = () if severity is None else (Finding.severity == severity,)
        rows = self.session.execute(
            select(Finding.run_id, Finding.body)
            .where(among(Finding.run_id, run_ids), *of_severity)
            .order_by(Finding.run_id, Finding.check_id)
        )
        return [(run_id, body) for run_id, body in rows]

    def runs_of_cells(
        self, campaign_ids: Collection[UUID], target: str, workload: str, load_label: str
    ) -> list[UUID]:
        """Runs that gave figures, of one cell of each of some campaigns, oldest first."""
        return list(
            self.session.scalars(
                select(Run.id)
                .join(Cell, Cell.id == Run.cell_id)
                .where(
                    Run.campaign_id.in_(list(campaign_ids)),
                    Run.status == RunStatus.COMPLETED,
                    Cell.target == target,
                    Cell.workload == workload,
                    Cell.load_label == load_label,
                )
                .order_by(Run.id)
            )
        )

    def replace_findings(self, campaign_id: UUID, rows: Sequence[dict[str, Any]]) -> None:
        """Write a campaign's findings, whatever was there. The campaign has to be locked."""
        self.session.execute(delete(Finding).where(Finding.campaign_id == campaign_id))
        if rows:
            self.session.execute(insert(Finding), rows)
