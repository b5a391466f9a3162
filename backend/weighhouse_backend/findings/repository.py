"""All queries of findings."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Text, cast, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from weighhouse_backend.findings.models import Finding
from weighhouse_backend.findings.schemas import RunFinding
from weighhouse_backend.kit.db import among
from weighhouse_backend.runs.models import Campaign, Cell, Run
from weighhouse_backend.runs.states import RunStatus

_SAID = [Finding.body[name].astext for name in RunFinding._fields[3:]]


class FoundAlike(NamedTuple):
    """A text of a check, of all runs that have it."""

    finding: RunFinding
    """Of the latest of them; called as it was when it was found."""
    others: list[str]
    """The ids of others, of the latest runs asked."""
    unnamed: int
    """How many more there are."""


class FoundInCells(NamedTuple):
    """What checks found of many runs."""

    runs: int
    """How many were asked."""
    alike: list[FoundAlike]
    """Those of the latest runs first."""


MOST_NAMED = 500
"""Of runs asked, the latest, those are named that something was found of."""


@dataclass(frozen=True)
class FindingRepository:
    """Reads and writes findings."""

    session: Session

    def campaigns(self, campaign_ids: Collection[UUID]) -> dict[UUID, Campaign]:
        """Campaigns by id."""
        found = self.session.scalars(select(Campaign).where(Campaign.id.in_(list(campaign_ids))))
        return {campaign.id: campaign for campaign in found}

    def revisions(self, campaign_ids: Collection[UUID]) -> set[UUID]:
        """Revisions that campaigns carried out."""
        of = select(Campaign.revision_id).where(among(Campaign.id, campaign_ids)).distinct()
        return set(self.session.scalars(of))

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
    ) -> list[RunFinding]:
        """Every stored finding of some runs, by run and check, as it was called when it was found.

        :param severity: those of it alone.
        """
        of_severity = () if severity is None else (Finding.severity == severity,)
        rows = self.session.execute(
            select(Finding.run_id, Finding.check_id, Finding.severity, *_SAID)
            .where(among(Finding.run_id, run_ids), *of_severity)
            .order_by(Finding.run_id, Finding.check_id)
        )
        return [RunFinding(*row) for row in rows]

    def of_cells(
        self, campaign_ids: Collection[UUID], target: str, workload: str, load_label: str
    ) -> FoundInCells:
        """What was found of the runs that gave figures, of one cell of each of some campaigns."""
        runs = (
            select(
                Run.id,
                cast(Run.id, Text).label("name"),
                func.row_number().over(order_by=Run.id.desc()).label("place"),
            )
            .join(Cell, Cell.id == Run.cell_id)
            .where(
                among(Cell.campaign_id, campaign_ids),
                Run.status == RunStatus.COMPLETED,
                Cell.target == target,
                Cell.workload == workload,
                Cell.load_label == load_label,
            )
            .cte()
        )
        counted = select(func.count()).select_from(runs).scalar_subquery()
        told = (Finding.check_id, Finding.severity, *_SAID)
        rows = self.session.execute(
            select(
                counted,
                func.count(),
                func.max(runs.c.name.collate("C")),
                func.array_agg(runs.c.name).filter(runs.c.place <= MOST_NAMED),
                *told,
            )
            .join(runs, runs.c.id == Finding.run_id)
            .group_by(*told)
        ).all()
        alike = []
        for _, many, latest, named, *row in rows:
            others = sorted({*(named or ())} - {latest}, reverse=True)
            finding = RunFinding(UUID(latest), *row)
            alike.append(FoundAlike(finding, others, many - 1 - len(others)))
        total = rows[0][0] if rows else self.session.scalar(select(counted))
        return FoundInCells(
            total or 0, sorted(alike, key=lambda one: one.finding[:2], reverse=True)
        )

    def replace_findings(self, campaign_id: UUID, rows: Sequence[dict[str, Any]]) -> None:
        """Write a campaign's findings, whatever was there. The campaign has to be locked."""
        self.session.execute(delete(Finding).where(Finding.campaign_id == campaign_id))
        if rows:
            self.session.execute(insert(Finding), rows)
