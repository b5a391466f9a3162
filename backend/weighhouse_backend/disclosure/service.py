"""Disclaimers and disclosures for whoever shows numbers."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.experiment import Disclosure
from weighhouse_protocol.manifest import Manifest

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.schemas import DisclaimerRead, DisclosureRead
from weighhouse_backend.disclosure.statements import disclaimers_for, disclosure_sheet


@dataclass(frozen=True)
class DisclosureService:
    """Statements about systems, out of the catalog's manifests."""

    catalog: CatalogService

    def disclaimers_for(
        self,
        project_ids: Collection[UUID],
        systems: Iterable[str],
        disclosure: Disclosure | None = None,
    ) -> list[DisclaimerRead]:
        """What must stand beside numbers of these systems; unknown systems say nothing.

        :param project_ids: whose agents' manifests speak.
        """
        return disclaimers_for(self._known(project_ids, systems).values(), disclosure)

    def sheet(
        self,
        project_ids: Collection[UUID],
        systems: Iterable[str],
        disclosure: Disclosure | None,
    ) -> DisclosureRead:
        """The disclosure of an experiment over these systems."""
        return disclosure_sheet(disclosure, self._known(project_ids, systems))

    def _known(self, project_ids: Collection[UUID], systems: Iterable[str]) -> dict[str, Manifest]:
        wanted = set(systems)
        known = self.catalog.manifests(project_ids)
        return {name: manifest for name, manifest in known.items() if name in wanted}
