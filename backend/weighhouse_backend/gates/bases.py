"""Chooses what a campaign is compared with: its bases, and the anchor beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.identity.names import target_names
from weighhouse_protocol.bases import BaseChoice
from weighhouse_protocol.text import numbered

from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.campaigns.ancestry import AncestryService
from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.campaigns.documents import measured_document
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.gates.cell_match import GateKey, Matched, beside, matched, pooled
from weighhouse_backend.gates.repository import GateRepository
from weighhouse_backend.results.figures import FigureService, RunFigures
from weighhouse_backend.results.identities import CellSeen
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import CampaignStatus, Verdict

MOST_BASES = 10
"""Campaigns that are pooled."""
MOST_LOOKED_AT = 30
"""Campaigns whose cells are looked at in search of alike ones."""

Cells = Mapping[GateKey, CellSeen]


@dataclass(frozen=True)
class Bases:
    """What a campaign is compared with; the latest campaign first."""

    campaigns: tuple[UUID, ...] = ()
    anchor: UUID | None = None
    """The last release, or the beginning of the level that still holds (the last campaign that was
    accepted, or the first): small steps add up."""
    reason: str | None = None
    """Why there is none."""
    sentence: str | None = None
    """Which they are, where that is found by their commits."""
    beside: bool = False
    """Is it the one that was measured again beside the campaign, and judged by that?"""


def is_beside(campaign: Campaign, bases: Sequence[UUID]) -> bool:
    """Is the one base that which was measured again beside a campaign?"""
    again = [UUID(one["campaign"]) for one in campaign.beside[:1]]
    return bool(again) and again == list(bases)


@dataclass(frozen=True)
class BaseService:
    """Chooses bases; a regressed campaign is none until somebody accepts it."""

    repository: GateRepository
    watching: WatchService
    experiments: ExperimentService
    catalog: CatalogService
    commits: CommitService
    ancestry: AncestryService
    figures: FigureService

    def choose(self, campaign: Campaign, choice: BaseChoice) -> Bases:
        """The bases of a campaign."""
        match choice.kind:
            case "none":
                return Bases(reason="no base was asked for")
            case "campaign":
                return self._named(campaign, choice.campaign_id)
            case "release":
                return self._of_release(campaign, choice.name)
            case "merge-base":
                return self._of_ancestor(campaign)
            case "beside":
                return self._beside(campaign, choice)
        return self._pooled(campaign, choice.name or self._branch_of(campaign))

    def cells(
        self, campaign_ids: Sequence[UUID], *, again: bool = False
    ) -> dict[UUID, dict[GateKey, CellSeen]]:
        """The cells of campaigns, as their runs found them.

        :param again: those of their bases, measured again, instead of their own.
        """
        campaigns = {one.id: one for one in self.repository.campaigns(campaign_ids)}
        documents = {one.id: measured_document(self.experiments, one) for one in campaigns.values()}
        projects = {one.project_id for one in campaigns.values()}
        manifests = {one: self.catalog.manifests([one]) for one in projects}
        runs: dict[UUID, dict[GateKey, list[RunFigures]]] = {one: {} for one in campaigns}
        for run in self.figures.of_campaigns(campaigns, beside=again):
            runs[run.campaign_id].setdefault((run.target, *run.cell), []).append(run)
        found: dict[UUID, dict[GateKey, CellSeen]] = {}
        for campaign_id, cells in runs.items():
            document = documents[campaign_id]
            systems = {target.name: target.system for target in document.targets}
            known = manifests[campaigns[campaign_id].project_id]
            names = target_names(document.targets, known)
            found[campaign_id] = {
                key: CellSeen(document, mine, known.get(systems[key[0]]), names[key[0]])
                for key, mine in cells.items()
            }
        return found

    def against(
        self,
        campaign: Campaign,
        bases: Bases,
        seen: Mapping[UUID, Mapping[GateKey, CellSeen]],
    ) -> list[Matched]:
        """The cells of a campaign with those of its bases, or with those of its base as it was
        measured again beside them.

        :param seen: the cells of them all.
        """
        own = seen[campaign.id]
        if not bases.beside:
            return pooled({one: seen[one] for one in bases.campaigns}, own)
        return beside(self.again(campaign), seen[bases.campaigns[0]], own, campaign.id)

    def again(self, campaign: Campaign) -> dict[GateKey, CellSeen]:
        """The cells of its base as they were measured again, under the names of its own."""
        names = {str(one["name"]): str(one["of"]) for one in campaign.beside}
        found = self.cells([campaign.id], again=True)[campaign.id]
        return {
            (names[target], workload, load): cell
            for (target, workload, load), cell in found.items()
        }

    def second(self, campaign_id: UUID) -> dict[GateKey, list[RunFigures]]:
        """The runs that measured cells of a campaign again, since they seemed worse."""
        found: dict[GateKey, list[RunFigures]] = {}
        for run in self.figures.again(campaign_id):
            found.setdefault((run.target, *run.cell), []).append(run)
        return found

    def _branch_of(self, campaign: Campaign) -> str | None:
        git = self.commits.of([campaign.id]).get(campaign.id)
        return None if git is None else git.branch

    def pinned(self, campaign: Campaign) -> Bases:
        """The base of a campaign from before there was a choice, whatever its verdict."""
        named = campaign.base_campaign_id
        if named is None:
            return Bases(reason="no earlier campaign of this experiment has completed")
        return self._with_anchor(campaign, named)

    def _beside(self, campaign: Campaign, choice: BaseChoice) -> Bases:
        if not campaign.beside:
            if str(choice) != campaign.base:
                return Bases(reason="no base was measured beside this campaign")
            return self._nothing_yet(choice.earlier.name or self._branch_of(campaign))
        there = self.repository.campaigns([UUID(campaign.beside[0]["campaign"])])
        if not there:
            return Bases(reason="the base that was measured again is gone")
        (base,) = there
        kept = self.repository.holding(base)
        before = None if kept is None else kept.anchor_campaign_id
        anchor = self.anchor_before(campaign) or before
        # Against the base itself its copy is the better witness: the machine is the same.
        return Bases((base.id,), None if anchor == base.id else anchor, beside=True)

    def _nothing_yet(self, branch: str | None) -> Bases:
        where = "" if branch is None else f" on the branch {branch}"
        return Bases(
            reason=f"no earlier campaign of this experiment{where} has passed or been accepted"
        )

    def _of_release(self, campaign: Campaign, name: str) -> Bases:
        found = self.repository.of_release(campaign.experiment_id, name)
        if found is None or found.id == campaign.id:
            return Bases(reason=f"no campaign stands for the release {name}")
        return self._with_anchor(campaign, found.id)

    def _of_ancestor(self, campaign: Campaign) -> Bases:
        """Of the commit that a campaign's began at, whatever was said of that one: what is asked is
        what came after it. So there is no anchor, either.
        """
        found = self.ancestry.nearest(campaign)
        if isinstance(found, str):
            return Bases(reason=found)
        return Bases(found.campaigns[:MOST_BASES], sentence=found.sentence)

    def _named(self, campaign: Campaign, base_id: UUID | None) -> Bases:
        named = self.repository.campaigns([] if base_id is None else [base_id])
        if not named or named[0].project_id != campaign.project_id:
            return Bases(reason="the campaign that was asked for is not there")
        base = named[0]
        number = f"campaign {numbered(base.number)}, which was asked for,"
        if base.id >= campaign.id:
            return Bases(reason=f"{number} is not older than this one")
        if base.status != CampaignStatus.COMPLETED or base.noise:
            found = "measured noise" if base.noise else f"is {base.status}"
            return Bases(reason=f"{number} {found}")
        # What was there before it is held against it: was it the machine?
        same = campaign.experiment_id == base.experiment_id
        looks_back = same and campaign.revision_number < base.revision_number
        if base.verdict == Verdict.REGRESSION and base.accepted_at is None and not looks_back:
            return Bases(reason=f"{number} is a regression that nobody accepted")
        return self._with_anchor(campaign, base.id)

    def _with_anchor(self, campaign: Campaign, base_id: UUID) -> Bases:
        return Bases((base_id,), self.anchor_before(campaign))

    def anchor_before(self, campaign: Campaign) -> UUID | None:
        """The last release or accepted level before a campaign, on the branch of its bases."""
        theirs = campaign.base.removeprefix("beside:")
        branch = theirs.removeprefix("branch:")
        if branch == theirs:
            return self.repository.anchor_before(campaign, self._branch_of(campaign))
        return self.repository.anchor_before(campaign, branch)

    def _pooled(self, campaign: Campaign, branch: str | None) -> Bases:
        usable = self.repository.usable_before(campaign, MOST_LOOKED_AT, branch)
        if not usable:
            return self._nothing_yet(branch)
        changed = self.watching.last_confirmed(campaign.experiment_id, before=campaign.id)
        # A change that nobody accepted has no usable campaign after it: the level before it holds.
        since = usable if changed is None else self.repository.standing_since(changed, usable)
        since = since or usable
        alike = self._alike(campaign, since)
        anchor = self.repository.anchor_before(campaign, branch)
        if not alike:
            return Bases(tuple(since[:1]), anchor)
        return Bases(tuple(alike[:MOST_BASES]), anchor or self._beginning(campaign, alike))

    def _beginning(self, campaign: Campaign, alike: Sequence[UUID]) -> UUID:
        """Where the level began: what the latest base had as its anchor, as far as it is the same
        measurement in the same place. It does not move on with the pool, nor with a change that was
        confirmed and nobody accepted: losses of a little each time would never add up.
        """
        (latest,) = self.repository.campaigns([alike[0]])
        kept = self.repository.holding(latest)
        anchor = None if kept is None else kept.anchor_campaign_id
        if anchor is not None and anchor in self._alike(campaign, [alike[0], anchor]):
            return anchor
        return alike[-1]

    def _alike(self, campaign: Campaign, candidates: Sequence[UUID]) -> list[UUID]:
        """Campaigns whose cells are the same measurement; on the same machines, where any are."""
        mine = self.cells([campaign.id])[campaign.id]
        alike: list[UUID] = []
        in_place: list[UUID] = []
        # As many at a time as are wanted: a query for each would grow with the campaigns there are.
        for begin in range(0, len(candidates), MOST_BASES):
            several = candidates[begin : begin + MOST_BASES]
            theirs = self.cells(several)
            for one in several:
                pairs = matched(theirs[one], mine)
                if not pairs or any(pair.changes for pair in pairs):
                    continue
                alike.append(one)
                if all(
                    pair.base.place.machines.digest == pair.candidate.place.machines.digest
                    for pair in pairs
                    if pair.base.records and pair.candidate.records
                ):
                    in_place.append(one)
                if len(in_place) == MOST_BASES:
                    return in_place
        return in_place or alike
