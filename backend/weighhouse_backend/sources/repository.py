"""All queries of published sources."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, select, text, tuple_
from sqlalchemy.orm import Session

from weighhouse_backend.sources.models import PublishedSourceRow, PublishedSourceVersion


@dataclass(frozen=True)
class PublishedSourceRepository:
    """Reads and writes published sources."""

    session: Session

    def add(self, row: PublishedSourceRow | PublishedSourceVersion) -> None:
        """Keep a new row."""
        self.session.add(row)
        self.session.flush()

    def hold(self, project_id: UUID) -> None:
        """Let nobody else keep anything in a project until the transaction ends."""
        self.session.execute(
            text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"),
            {"name": f"published-sources {project_id}"},
        )

    def find(self, source_id: UUID) -> PublishedSourceRow | None:
        """One that was not removed."""
        return self.session.scalar(
            select(PublishedSourceRow).where(
                PublishedSourceRow.id == source_id, PublishedSourceRow.removed_at.is_(None)
            )
        )

    def lock(self, source_id: UUID) -> PublishedSourceRow | None:
        """One that was not removed, locked."""
        return self.session.scalar(
            select(PublishedSourceRow)
            .where(PublishedSourceRow.id == source_id, PublishedSourceRow.removed_at.is_(None))
            .with_for_update()
        )

    def same(self, project_id: UUID, digest: str) -> PublishedSourceRow | None:
        """One of a project whose latest version has this digest."""
        return self.session.scalar(
            select(PublishedSourceRow).where(
                PublishedSourceRow.project_id == project_id,
                PublishedSourceRow.digest == digest,
                PublishedSourceRow.removed_at.is_(None),
            )
        )

    def count(self, project_id: UUID) -> int:
        """How many a project keeps."""
        query = select(func.count()).where(
            PublishedSourceRow.project_id == project_id, PublishedSourceRow.removed_at.is_(None)
        )
        return self.session.scalar(query) or 0

    def listed(self, project_ids: Collection[UUID]) -> Select[Any]:
        """Those of projects that were not removed."""
        return select(PublishedSourceRow).where(
            PublishedSourceRow.project_id.in_(list(project_ids)),
            PublishedSourceRow.removed_at.is_(None),
        )

    def version(self, source_id: UUID, number: int) -> PublishedSourceVersion | None:
        """One version."""
        return self.session.get(PublishedSourceVersion, (source_id, number))

    def versions(self, source_id: UUID) -> list[Any]:
        """All versions without their documents, the latest first: (number, because, by, at)."""
        columns = (
            PublishedSourceVersion.number,
            PublishedSourceVersion.because,
            PublishedSourceVersion.made_by,
            PublishedSourceVersion.made_at,
        )
        query = (
            select(*columns)
            .where(PublishedSourceVersion.source_id == source_id)
            .order_by(PublishedSourceVersion.number.desc())
        )
        return list(self.session.execute(query))

    def documents(self, rows: Collection[PublishedSourceRow]) -> dict[UUID, dict[str, Any]]:
        """The latest document of each, by source."""
        wanted = [(row.id, row.version) for row in rows]
        latest = tuple_(PublishedSourceVersion.source_id, PublishedSourceVersion.number)
        columns = (PublishedSourceVersion.source_id, PublishedSourceVersion.document)
        found = self.session.execute(select(*columns).where(latest.in_(wanted)))
        return {row.source_id: row.document for row in found}
