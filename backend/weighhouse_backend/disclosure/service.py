"""Disclaimers and disclosures for whoever shows numbers."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.experiment import Disclosure, Experiment
from weighhouse_protocol.manifest import Manifest

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.schemas import DisclaimerRead, DisclosureRead
from weighhouse_backend.disclosure.statements import Setup, disclaimers_for, disclosure_sheet


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
        """What must stand beside numbers of these systems, however they are set up; unknown
        systems say nothing.

        :param project_ids: whose agents' manifests speak.
        """
        return disclaimers_for(self._known(project_ids, systems).values(), disclosure)

    def disclaimers_of(
        self,
        project_ids: Collection[UUID],
        experiment: Experiment,
        targets: Collection[str] | None = None,
    ) -> list[DisclaimerRead]:
        """What must stand beside numbers of an experiment; unknown systems say nothing.

        :param project_ids: whose agents' manifests speak.
        :param targets: names of those that are shown; None: all.
        """
        setups = [
            Setup(target, experiment.placement.servers.machines)
            for target in experiment.targets
            if targets is None or target.name in targets
        ]
        systems = {plugin for setup in setups for plugin in setup.target.plugins}
        known = self._known(project_ids, systems).values()
        return disclaimers_for(known, experiment.disclosure, setups)

    def disclaimers_by_target(
        self, project_ids: Collection[UUID], experiment: Experiment
    ) -> dict[str, list[DisclaimerRead]]:
        """Of each target of an experiment, what must stand beside its numbers; one query."""
        wanted = {plugin for target in experiment.targets for plugin in target.plugins}
        known = self._known(project_ids, wanted)
        machines = experiment.placement.servers.machines
        return {
            target.name: disclaimers_for(
                [known[plugin] for plugin in target.plugins if plugin in known],
                experiment.disclosure,
                [Setup(target, machines)],
            )
            for target in experiment.targets
        }

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
