"""All queries of noise."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from weighhouse_backend.noise.models import NoiseMeasurement


@dataclass(frozen=True)
class NoiseKey:
    """What a floor holds for."""

    project_id: UUID
    place: str
    cell_identity: str
    side_family: str
    metric: str


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

    def latest(self, key: NoiseKey, limit: int) -> Sequence[NoiseMeasurement]:
        """The latest measurements under a key, newest first."""
        return self.session.scalars(
            select(NoiseMeasurement)
            .where(
                NoiseMeasurement.project_id == key.project_id,
                NoiseMeasurement.place == key.place,
                NoiseMeasurement.cell_identity == key.cell_identity,
                NoiseMeasurement.side_family == key.side_family,
                NoiseMeasurement.metric == key.metric,
            )
            .order_by(NoiseMeasurement.measured_at.desc(), NoiseMeasurement.campaign_id.desc())
            .limit(limit)
        ).all()

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
