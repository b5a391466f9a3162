"""Disclaimers and disclosures for whoever shows numbers."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.publication import Leaving, PublicationService
from weighhouse_backend.disclosure.schemas import DisclaimerRead, DisclosureRead
from weighhouse_backend.disclosure.sheet import Fact, Part, disclosure_sheet
from weighhouse_backend.disclosure.statements import (
    Setup,
    disclaimers_for,
    gravest_first,
    of_challenges,
    of_decisions,
    of_replies,
)
from weighhouse_backend.disclosure.terms import decide, terms_of


@dataclass(frozen=True)
class Disclosed:
    """One experiment in a disclosure, with what is known of how it was measured."""

    leaving: Leaving
    facts: Sequence[Fact] = ()
    label: str = ""
    """Tells it from others beside it: ` (№ 12)`."""


@dataclass(frozen=True)
class DisclosureService:
    """Statements about systems, out of the catalog's manifests and what people recorded."""

    catalog: CatalogService

    @property
    def publication(self) -> PublicationService:
        """Whether figures may leave."""
        return PublicationService(self.catalog)

    def disclaimers_for(
        self,
        project_ids: Collection[UUID],
        systems: Iterable[str],
        leaving: Sequence[Leaving] = (),
        setups: Collection[Setup] | None = None,
    ) -> list[DisclaimerRead]:
        """What must stand beside numbers of these systems; unknown systems say nothing.

        :param project_ids: whose agents' manifests speak.
        :param leaving: whose terms are said; default: those of each product's default edition.
        :param setups: as which they were measured; None: however they are set up.
        """
        known = self._known(project_ids, systems)
        if leaving:
            decisions = self.publication.decisions(leaving)
        else:
            plain = [Target(name=name, system=name) for name in known]
            now = self.catalog.clock.now()
            decisions = [
                decide(terms, "public", (), (), now, disclosed=False)
                for terms in terms_of(plain, known)
            ]
        return gravest_first(
            [*disclaimers_for(known.values(), None, setups), *of_decisions(decisions)]
        )

    def disclaimers_of(
        self,
        project_ids: Collection[UUID],
        experiment: Experiment,
        targets: Collection[str] | None = None,
        campaign_id: UUID | None = None,
    ) -> list[DisclaimerRead]:
        """What must stand beside numbers of an experiment; unknown systems say nothing.

        :param project_ids: whose agents' manifests speak.
        :param targets: names of those that are shown; None: all.
        :param campaign_id: whose numbers they are; None: those of no campaign in particular.
        """
        setups = [
            Setup(target, experiment.placement.servers.machines)
            for target in experiment.targets
            if targets is None or target.name in targets
        ]
        systems = {plugin for setup in setups for plugin in setup.target.plugins}
        known = self._known(project_ids, systems)
        said = disclaimers_for(known.values(), experiment.disclosure, setups)
        leaving = [
            Leaving(project_id, experiment, campaign_id, [one.target.name for one in setups])
            for project_id in project_ids
        ]
        decisions = [one for one in self.publication.decisions(leaving) if one.system_id in known]
        said += of_decisions(decisions)
        if campaign_id is not None:
            names = {
                one.target.system: known[one.target.system].name
                if one.target.system in known
                else one.target.system
                for one in setups
            }
            repository = self.publication.repository
            said += of_replies(repository.replies(campaign_id), names)
            said += of_challenges(repository.challenges(campaign_id), names)
        return gravest_first(said)

    def disclaimers_by_target(
        self,
        project_ids: Collection[UUID],
        experiment: Experiment,
        campaign_id: UUID | None = None,
    ) -> dict[str, list[DisclaimerRead]]:
        """Of each target of an experiment, what must stand beside its numbers; as many queries for
        all as for one.

        :param campaign_id: whose numbers they are; None: those of no campaign in particular.
        """
        wanted = {plugin for target in experiment.targets for plugin in target.plugins}
        known = self._known(project_ids, wanted)
        machines = experiment.placement.servers.machines
        leaving = [Leaving(one, experiment, campaign_id) for one in project_ids]
        decisions = [one for one in self.publication.decisions(leaving) if one.system_id in known]
        repository = self.publication.repository
        replies = [] if campaign_id is None else repository.replies(campaign_id)
        challenges = [] if campaign_id is None else repository.challenges(campaign_id)
        found = {}
        for target in experiment.targets:
            manifest = known.get(target.system)
            names = {target.system: target.system if manifest is None else manifest.name}
            plugins = [known[plugin] for plugin in target.plugins if plugin in known]
            found[target.name] = gravest_first(
                [
                    *disclaimers_for(plugins, experiment.disclosure, [Setup(target, machines)]),
                    *of_decisions(one for one in decisions if target.name in one.targets),
                    *of_replies(replies, names),
                    *of_challenges(challenges, names),
                ]
            )
        return found

    def sheet(self, disclosed: Sequence[Disclosed]) -> DisclosureRead:
        """The disclosure of experiments that are shown together.

        What two of them say alike is asked once.
        """
        parts: list[Part] = []
        for one in disclosed:
            leaving = one.leaving
            shown = {
                target.system
                for target in leaving.experiment.targets
                if leaving.targets is None or target.name in leaving.targets
            }
            known = self.catalog.manifests([leaving.project_id])
            names = {name: known[name].name if name in known else name for name in shown}
            parts.append(Part(leaving.experiment.disclosure, names, one.facts, one.label))
        return disclosure_sheet(
            _joined(parts), self.publication.decisions([one.leaving for one in disclosed])
        )

    def _known(self, project_ids: Collection[UUID], systems: Iterable[str]) -> dict[str, Manifest]:
        wanted = set(systems)
        known = self.catalog.manifests(project_ids)
        return {name: manifest for name, manifest in known.items() if name in wanted}


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Parts with one disclosure become one, over all their systems; a single one needs no label."""
    found: list[Part] = []
    for part in parts:
        for place, one in enumerate(found):
            if one.disclosure == part.disclosure:
                found[place] = Part(
                    one.disclosure, {**one.systems, **part.systems}, [*one.facts, *part.facts],
                    one.suffix,
                )  # fmt: skip
                break
        else:
            found.append(part)
    if len(found) == 1:
        return [Part(found[0].disclosure, found[0].systems, found[0].facts)]
    return found
