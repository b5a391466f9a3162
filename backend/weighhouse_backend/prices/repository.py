"""All queries of prices."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from weighhouse_backend.identity.models import Project
from weighhouse_backend.prices.models import PriceSheet


@dataclass(frozen=True)
class PriceRepository:
    """Reads and writes price sheets."""

    session: Session

    def sheet(self, project_id: UUID) -> PriceSheet | None:
        """That of a project's organization."""
        return self.session.scalar(
            select(PriceSheet)
            .join(Project, Project.organization_id == PriceSheet.organization_id)
            .where(Project.id == project_id)
        )

    def lock(self, project_id: UUID) -> PriceSheet:
        """The same, locked, as it is now; an empty one where there was none."""
        organization = select(Project.organization_id).where(Project.id == project_id)
        (organization_id,) = self.session.scalars(organization)
        self.session.execute(
            insert(PriceSheet)
            .values(organization_id=organization_id, body={}, version=0)
            .on_conflict_do_nothing()
        )
        return self.session.scalars(
            select(PriceSheet)
            .where(PriceSheet.organization_id == organization_id)
            .with_for_update()
            .execution_options(populate_existing=True)
        ).one()
