"""What must stand beside lists, and whose figures leave with them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select, text
from sqlalchemy.orm import Session
from weighhouse_judging.caveats.caveat_list import Beside, caveats

from weighhouse_backend.campaigns.publication import LeavingService
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.publication import Leaving
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.findings.caveats import caveats_read, said
from weighhouse_backend.runs.models import Campaign, Cell
from weighhouse_backend.series.models import Series

_EACH_SYSTEM = text(
    "WITH RECURSIVE found (project_id, system_id) AS ("
    " SELECT p.id, (SELECT min(c.system_id) FROM cells c WHERE c.project_id = p.id)"
    " FROM unnest(CAST(:projects AS uuid[])) AS p (id) UNION ALL"
    " SELECT f.project_id, (SELECT min(c.system_id) FROM cells c"
    " WHERE c.project_id = f.project_id AND c.system_id > f.system_id)"
    " FROM found f WHERE f.system_id IS NOT NULL)"
    " SELECT DISTINCT system_id FROM found WHERE system_id IS NOT NULL"
)
"""From one name to the next by the index: what is read does not grow with the cells."""


@dataclass(frozen=True)
class ListedService:
    """Tells it of lists that were narrowed to what the caller may see."""

    session: Session
    disclosure: DisclosureService
    leaving: LeavingService

    def caveats(self, project_ids: Collection[UUID], systems: Collection[str]) -> list[CaveatRead]:
        """What plugins and terms say of systems, however they were set up: a list has too many
        setups to tell them apart.
        """
        statements = self.disclosure.disclaimers_for(project_ids, sorted(systems))
        beside = Beside(sides=[], runs=0, said=[said(one) for one in statements], found=[])
        return caveats_read(caveats(beside))

    def systems_measured(
        self, project_ids: Collection[UUID], campaign_id: UUID | None = None
    ) -> set[str]:
        """Systems of projects' cells, or of a campaign's."""
        if campaign_id is None:
            return set(self.session.scalars(_EACH_SYSTEM, {"projects": list(project_ids)}))
        wanted = select(Cell.system_id).where(
            Cell.project_id.in_(list(project_ids)), Cell.campaign_id == campaign_id
        )
        return set(self.session.scalars(wanted.distinct()))

    def systems_watched(self, project_ids: Collection[UUID]) -> set[str]:
        """Systems of projects' series."""
        wanted = select(Series.system_id).where(Series.project_id.in_(list(project_ids)))
        return set(self.session.scalars(wanted.distinct()))

    def of_projects(self, project_ids: Collection[UUID]) -> list[Leaving]:
        """What leaves with all campaigns of projects."""
        wanted = select(Campaign).where(Campaign.project_id.in_(list(project_ids)))
        return [self.leaving.of(one) for one in self.session.scalars(wanted)]

    def of_targets(self, targets: Mapping[UUID, Collection[str] | None]) -> list[Leaving]:
        """What leaves with some targets of campaigns; None: with all."""
        wanted = select(Campaign).where(Campaign.id.in_(list(targets)))
        return [self.leaving.of(one, targets[one.id]) for one in self.session.scalars(wanted)]
