"""All queries of reports."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from weighhouse_backend.reports.models import Report, ReportEdition, ReportRevision


@dataclass(frozen=True)
class ReportRepository:
    """Reads and writes reports."""

    session: Session

    def add(self, *rows: Report | ReportRevision | ReportEdition) -> None:
        """Keep new ones."""
        for row in rows:
            self.session.add(row)
            self.session.flush()

    def report(self, report_id: UUID, *, lock: bool = False) -> Report | None:
        """One of them."""
        return self.session.get(Report, report_id, with_for_update=lock or None)

    def listed(self, project_ids: Collection[UUID]) -> Select[Any]:
        """Those of projects."""
        return select(Report).where(Report.project_id.in_(list(project_ids)))

    def revision(self, report_id: UUID, number: int) -> ReportRevision | None:
        """A report as it was saved."""
        return self.session.scalar(
            select(ReportRevision).where(
                ReportRevision.report_id == report_id, ReportRevision.number == number
            )
        )

    def authors(self, report_id: UUID, until: int) -> list[str]:
        """Who saved revisions up to one, the first first."""
        query = (
            select(ReportRevision.author)
            .where(ReportRevision.report_id == report_id, ReportRevision.number <= until)
            .group_by(ReportRevision.author)
            .order_by(func.min(ReportRevision.number))
        )
        return list(self.session.scalars(query))

    def edition(self, report_id: UUID, number: int) -> ReportEdition | None:
        """One edition."""
        return self.session.scalar(
            select(ReportEdition).where(
                ReportEdition.report_id == report_id, ReportEdition.number == number
            )
        )

    def editions(self, report_id: UUID) -> Sequence[ReportEdition]:
        """Those of a report, newest first."""
        query = select(ReportEdition).where(ReportEdition.report_id == report_id)
        return self.session.scalars(query.order_by(ReportEdition.number.desc())).all()

    def frozen(self, project_id: UUID) -> list[tuple[str, int, list[Any]]]:
        """Editions of a project: the report's title, the edition's number, its sources."""
        query = (
            select(ReportRevision.title, ReportEdition.number, ReportRevision.sources)
            .join(
                ReportRevision,
                (ReportRevision.report_id == ReportEdition.report_id)
                & (ReportRevision.number == ReportEdition.revision),
            )
            .where(ReportEdition.project_id == project_id)
            .order_by(ReportEdition.id)
        )
        return [(row[0], row[1], row[2]) for row in self.session.execute(query)]

    def counts(self, report_ids: Collection[UUID]) -> dict[UUID, int]:
        """How many editions reports have."""
        query = select(ReportEdition.report_id, func.count()).where(
            ReportEdition.report_id.in_(list(report_ids))
        )
        rows = self.session.execute(query.group_by(ReportEdition.report_id)).all()
        return {row[0]: row[1] for row in rows}

    def remove(self, report: Report) -> None:
        """Take a report away with its revisions."""
        of_it = ReportRevision.report_id == report.id
        self.session.execute(delete(ReportRevision).where(of_it))
        self.session.delete(report)
        self.session.flush()
