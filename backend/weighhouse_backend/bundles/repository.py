"""Queries of reproductions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.bundles.models import KeptReproduction
from weighhouse_backend.kit.db import insert_new


@dataclass(frozen=True)
class ReproductionRepository:
    """Reads and writes reproductions."""

    session: Session

    def keep(self, row: dict[str, Any]) -> None:
        """Keep one; one that is kept already stays as it is."""
        insert_new(self.session, KeptReproduction, [row])

    def one(self, project_id: UUID, manifest_sha256: str) -> KeptReproduction | None:
        """One of a project."""
        return self.session.get(KeptReproduction, (project_id, manifest_sha256))

    def of_campaign(self, campaign_id: UUID) -> Sequence[KeptReproduction]:
        """Those of a campaign, the latest first."""
        return self.session.scalars(
            select(KeptReproduction)
            .where(KeptReproduction.campaign_id == campaign_id)
            .order_by(KeptReproduction.created_at.desc(), KeptReproduction.manifest_sha256)
        ).all()

    def remove(self, row: KeptReproduction) -> None:
        """Remove one."""
        self.session.delete(row)
        self.session.flush()
