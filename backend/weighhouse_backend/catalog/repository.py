"""All queries of the catalog."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import Session
from weighhouse_protocol.manifest import Manifest

from weighhouse_backend.catalog.models import Plugin


@dataclass(frozen=True)
class CatalogRepository:
    """Reads and writes manifests."""

    session: Session

    def newest(self) -> Sequence[Plugin]:
        """The manifest seen last of each plugin, by id."""
        return self.session.scalars(
            select(Plugin)
            .ext(distinct_on(Plugin.id))
            .order_by(Plugin.id, Plugin.last_seen_at.desc(), Plugin.version.desc())
        ).all()

    def one(self, plugin_id: str, version: str | None = None) -> Plugin | None:
        """A manifest of a plugin: of a version, or the one seen last."""
        statement = select(Plugin).where(Plugin.id == plugin_id)
        if version is not None:
            statement = statement.where(Plugin.version == version)
        return self.session.scalar(statement.order_by(Plugin.last_seen_at.desc()).limit(1))

    def upsert(self, manifest: Manifest, digest: str, now: datetime.datetime) -> None:
        """Store a manifest, or note that it was seen again."""
        content = manifest.model_dump(mode="json")
        statement = insert(Plugin).values(
            id=manifest.id,
            version=manifest.version,
            manifest=content,
            content_hash=digest,
            first_seen_at=now,
            last_seen_at=now,
        )
        self.session.execute(
            statement.on_conflict_do_update(
                index_elements=[Plugin.id, Plugin.version],
                set_={"manifest": content, "content_hash": digest, "last_seen_at": now},
            )
        )
