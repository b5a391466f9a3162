"""Which systems there are, and what they can do."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy.orm import Session
from weighhouse_protocol.manifest import Manifest

from weighhouse_backend.catalog.repository import CatalogRepository
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import NotFound


@dataclass(frozen=True)
class CatalogService:
    """Manifests of plugins."""

    session: Session
    clock: Clock

    def manifests(self) -> dict[str, Manifest]:
        """The current manifest of every plugin, by id."""
        rows = CatalogRepository(self.session).newest()
        return {row.id: Manifest.model_validate(row.manifest) for row in rows}

    def manifest(self, plugin_id: str, version: str | None = None) -> Manifest:
        """A plugin's manifest; of a version, or the current one.

        :raises NotFound: when no agent ever brought it.
        """
        row = CatalogRepository(self.session).one(plugin_id, version)
        if row is None:
            raise NotFound(f"no agent has brought a plugin {plugin_id!r}")
        return Manifest.model_validate(row.manifest)

    def bring(self, manifests: Iterable[Manifest]) -> None:
        """Take the manifests of an agent; repeatable."""
        repository = CatalogRepository(self.session)
        now = self.clock.now()
        for manifest in sorted(manifests, key=lambda one: (one.id, one.version)):
            content = json.dumps(manifest.model_dump(mode="json"), sort_keys=True)
            repository.upsert(manifest, hashlib.sha256(content.encode()).hexdigest(), now)
