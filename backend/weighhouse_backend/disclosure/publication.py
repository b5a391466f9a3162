"""Whether figures may leave the organization that measured them: every way out asks here.

Reading across organizations is not possible at all: whoever is no member finds nothing. What a
member takes along for others (`audience=others` or `public`) has to be allowed for every system in
it; what they take along for the organization itself says on it that it is not for publication.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.errors import PublicationRefused
from weighhouse_backend.disclosure.models import PublicationConsent, PublicationOverride
from weighhouse_backend.disclosure.repository import DisclosureRepository
from weighhouse_backend.disclosure.schemas import (
    Audience,
    ConsentRead,
    DecisionRead,
    OverrideRead,
)
from weighhouse_backend.disclosure.sheet import is_disclosed
from weighhouse_backend.disclosure.terms import decide, terms_of
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import FieldProblem


@dataclass(frozen=True)
class Leaving:
    """What is to leave: targets of an experiment, as a campaign measured them or will."""

    project_id: UUID
    experiment: Experiment
    campaign_id: UUID | None = None
    """None: not measured yet."""
    targets: Collection[str] | None = None
    """Names; None: all."""


@dataclass(frozen=True)
class _Known:
    """What is asked for once for all that leaves together."""

    manifests: Mapping[UUID, Mapping[str, Manifest]]
    """Of each project, by plugin."""
    consents: dict[tuple[UUID, UUID | None], list[ConsentRead]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """By project and campaign; None: for every campaign."""
    overrides: dict[UUID, list[OverrideRead]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True)
class PublicationService:
    """Decides by licences, consents and overrides."""

    catalog: CatalogService

    @property
    def clock(self) -> Clock:
        """Tells what has ended."""
        return self.catalog.clock

    @property
    def repository(self) -> DisclosureRepository:
        """The feature's queries, for its own use."""
        return DisclosureRepository(self.catalog.session)

    def decisions(
        self, leaving: Iterable[Leaving], audience: Audience = "public"
    ) -> list[DecisionRead]:
        """Whether figures may be shown to an audience: for each edition of each product, once.

        Where several campaigns leave together, the strictest decision stands for an edition.
        """
        every = list(leaving)
        if not every:  # who may see people alone leaves with nobody's figures
            return []
        known = self._known(every)
        found: dict[tuple[str, str | None], DecisionRead] = {}
        for one in every:
            for decided in self._of(one, audience, known):
                key = (decided.system_id, decided.edition_id)
                earlier = found.get(key)
                if earlier is None or earlier.outcome == "allowed":
                    targets = [] if earlier is None else earlier.targets
                    named = list(dict.fromkeys([*targets, *decided.targets]))
                    found[key] = decided.model_copy(update={"targets": named})
        return sorted(found.values(), key=lambda one: (one.name, one.edition_id or ""))

    def require(self, leaving: Iterable[Leaving], audience: Audience) -> None:
        """Let figures out, or not.

        :raises PublicationRefused: naming each system, its clause, and what would mend it.
        """
        if audience == "internal":
            return
        refused = [one for one in self.decisions(leaving, audience) if one.outcome != "allowed"]
        if refused:
            raise PublicationRefused(
                "; ".join(f"{one.reason}: {one.mend}" for one in refused),
                errors=[
                    FieldProblem(
                        path=one.system_id,
                        message=f"{one.reason}. {one.clause}".strip(),
                        expected=one.mend,
                    )
                    for one in refused
                ],
            )

    def stamp(self, leaving: Iterable[Leaving]) -> str | None:
        """What has to stand on a file that may not be published; None when it may be."""
        return stamp_of(self.decisions(leaving))

    def seen_by_others(self, project_id: UUID) -> dict[UUID, str]:
        """Campaigns of a project that somebody outside may look into or has spoken of, and why."""
        return self.repository.seen_by_others(project_id, self.clock.now())

    def _known(self, leaving: Sequence[Leaving]) -> _Known:
        """As many queries for all as for one."""
        projects = {one.project_id for one in leaving}
        campaigns = {one.campaign_id for one in leaving if one.campaign_id is not None}
        known = _Known({one: self.catalog.manifests([one]) for one in projects})
        for row in self.repository.consents(projects, campaigns):
            known.consents[row.project_id, row.campaign_id].append(consent_read(row))
        for granted in self.repository.overrides(campaigns):
            known.overrides[granted.campaign_id].append(override_read(granted))
        return known

    def _of(self, one: Leaving, audience: Audience, known: _Known) -> list[DecisionRead]:
        manifests = known.manifests[one.project_id]
        targets = [
            target
            for target in one.experiment.targets
            if one.targets is None or target.name in one.targets
        ]
        names = {
            target.system: manifests[target.system].name
            if target.system in manifests
            else target.system
            for target in targets
        }
        disclosed = is_disclosed(one.experiment.disclosure, names)
        consents, overrides = known.consents[one.project_id, None], []
        if one.campaign_id is not None:
            own = known.consents[one.project_id, one.campaign_id]
            consents = sorted([*consents, *own], key=lambda row: row.id)
            overrides = known.overrides[one.campaign_id]
        now = self.clock.now()
        return [
            decide(terms, audience, consents, overrides, now, disclosed=disclosed)
            for terms in terms_of(targets, manifests)
        ]


def stamp_of(decisions: Sequence[DecisionRead]) -> str | None:
    """`not for publication: REASON`; None when every system allows it."""
    reasons = [one.reason for one in decisions if one.outcome != "allowed"]
    return f"not for publication: {'; '.join(reasons)}" if reasons else None


def consent_read(row: PublicationConsent) -> ConsentRead:
    """A consent as the API shows it."""
    return ConsentRead.model_validate(row, from_attributes=True)


def override_read(row: PublicationOverride) -> OverrideRead:
    """An override as the API shows it."""
    return OverrideRead.model_validate(row, from_attributes=True)
