"""All queries of noise."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Integer, delete, func, insert, literal_column, select
from sqlalchemy.orm import Session, aliased

from weighhouse_backend.noise.models import NoiseMeasurement


@dataclass(frozen=True)
class NoiseRepository:
    """Reads and writes pairs of twins."""

    session: Session

    def replace(self, campaign_id: UUID, rows: Sequence[dict[str, Any]]) -> None:
        """Write what a campaign measured over what was written of it before."""
        self.session.execute(
            delete(NoiseMeasurement).where(NoiseMeasurement.campaign_id == campaign_id)
        )
        if rows:
            self.session.execute(insert(NoiseMeasurement), rows)

    def has(self, campaign_id: UUID) -> bool:
        """Whether anything was learned from a campaign."""
        learned = select(NoiseMeasurement.campaign_id).where(
            NoiseMeasurement.campaign_id == campaign_id
        )
        return self.session.scalar(learned.limit(1)) is not None

    def latest(
        self, project_id: UUID, places: Collection[str], cells: Collection[str], limit: int
    ) -> Sequence[NoiseMeasurement]:
        """The latest measurements of each key at places and of cells, newest first.

        :param limit: of a key.
        """
        newest_first = (NoiseMeasurement.measured_at.desc(), NoiseMeasurement.campaign_id.desc())
        place_in_key = func.row_number().over(
            partition_by=(
                NoiseMeasurement.place,
                NoiseMeasurement.cell_identity,
                NoiseMeasurement.side_family,
                NoiseMeasurement.metric,
            ),
            order_by=newest_first,
        )
        ranked = aliased(
            NoiseMeasurement,
            select(NoiseMeasurement, place_in_key.label("rank"))
            .where(
                NoiseMeasurement.project_id == project_id,
                NoiseMeasurement.place.in_(places),
                NoiseMeasurement.cell_identity.in_(cells),
            )
            .subquery(name := "ranked"),
            name=name,
        )
        rank: ColumnElement[int] = literal_column(f"{name}.rank", Integer())
        return self.session.scalars(
            select(ranked)
            .where(rank <= limit)
            .order_by(ranked.measured_at.desc(), ranked.campaign_id.desc())
        ).all()

    def of_figure(self, project_id: UUID, metric: str, limit: int) -> Sequence[NoiseMeasurement]:
        """The latest measurements of a figure in a project, newest first."""
        newest = NoiseMeasurement.measured_at.desc(), NoiseMeasurement.campaign_id.desc()
        query = select(NoiseMeasurement).where(
            NoiseMeasurement.project_id == project_id, NoiseMeasurement.metric == metric
        )
        return self.session.scalars(query.order_by(*newest).limit(limit)).all()

    def listed(
        self, project_ids: Collection[UUID], agent_id: UUID | None, metric: str | None, limit: int
    ) -> Sequence[NoiseMeasurement]:
        """Measurements of projects, of one agent if asked, newest first."""
        query = select(NoiseMeasurement).where(NoiseMeasurement.project_id.in_(list(project_ids)))
        if agent_id is not None:
            query = query.where(NoiseMeasurement.agents.contains([str(agent_id)]))
        if metric is not None:
            query = query.where(NoiseMeasurement.metric == metric)
        return self.session.scalars(
            query.order_by(
                NoiseMeasurement.measured_at.desc(),
                NoiseMeasurement.target,
                NoiseMeasurement.workload,
                NoiseMeasurement.load_label,
                NoiseMeasurement.metric,
            ).limit(limit)
        ).all()
