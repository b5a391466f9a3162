"""What a campaign that is being made is compared with, as far as it has to be known then."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from weighhouse_protocol.bases import MERGE_BASE, POOLED, BaseChoice
from weighhouse_protocol.experiment import Experiment as Document
from weighhouse_protocol.git import GitContext
from weighhouse_protocol.text import numbered

from weighhouse_backend.campaigns.ancestry import AncestryService
from weighhouse_backend.campaigns.beside import base_targets, cells_beside, with_beside
from weighhouse_backend.campaigns.documents import document_of
from weighhouse_backend.campaigns.feasibility import never_possible, spots_of
from weighhouse_backend.experiments.errors import ExperimentInvalid
from weighhouse_backend.experiments.models import Experiment
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.experiments.validation import MOST_RUNS
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.runs.errors import BaseCampaignUnusable
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import CampaignStatus, Verdict


@dataclass(frozen=True)
class BasingService:
    """Checks what a campaign is to be compared with, and finds what is measured again."""

    repository: CampaignRepository
    experiments: ExperimentService
    fleet: FleetService
    ancestry: AncestryService

    def checked(
        self, experiment: Experiment, wanted: BaseChoice | None, revision: int | None
    ) -> BaseChoice | None:
        """What is asked for, as far as it is there.

        :param revision: that is to be measured; one from before the base looks back, and may be
            held against a regression: it tells whether it was the machine.
        :raises BaseCampaignUnusable: when it cannot be a base.
        """
        if wanted is None:
            return None
        earlier = wanted.earlier
        if earlier.kind == "release":
            if self.repository.of_release(experiment.id, earlier.name) is None:
                raise BaseCampaignUnusable(f"no campaign stands for the release {earlier.name}")
        elif earlier.campaign_id is not None:
            base = self.repository.campaign(earlier.campaign_id)
            if base is None or base.project_id != experiment.project_id:
                raise BaseCampaignUnusable(f"there is no campaign {earlier.name} in the project")
            looks_back = revision is not None and revision < base.revision_number
            same = base.experiment_id == experiment.id
            if (why := unusable(base, regressed=looks_back and same)) is not None:
                raise BaseCampaignUnusable(why)
        return wanted

    def named(self, project_id: UUID, base: BaseChoice) -> UUID | None:
        """The campaign that is named, if it is there."""
        if base.campaign_id is None:
            return None
        named = self.repository.campaign(base.campaign_id)
        return None if named is None or named.project_id != project_id else named.id

    def beside(
        self, campaign: Campaign, document: Document, base: BaseChoice, git: GitContext | None
    ) -> Sequence[dict[str, Any]]:
        """What of its base a campaign measures again; the base is noted with the campaign.

        :param document: the campaign's own.
        :param git: the commit it is started for.
        :returns: nothing where nothing is to be measured again, or there is no base yet.
        :raises BaseCampaignUnusable: when the base can no longer be had, or cannot be measured
            beside what the document asks for.
        """
        if base.kind != "beside":
            return ()
        if document.searches:
            raise BaseCampaignUnusable(
                "a base is not measured beside a search, which chooses other loads for it: "
                "measure at fixed loads, or compare with `pooled`"
            )
        found = self._earlier(campaign, base.earlier, None if git is None else git.branch)
        if found is None:
            return ()
        theirs = document_of(self.experiments, found)
        beside = base_targets(document.targets, theirs.targets, self._versions(found))
        self._require(campaign, document, beside, f"the base, campaign {numbered(found.number)},")
        campaign.base_campaign_id = found.id
        return [{"campaign": str(found.id), **one} for one in beside]

    def _earlier(self, campaign: Campaign, base: BaseChoice, branch: str | None) -> Campaign | None:
        if base.kind == "release":
            return self.repository.of_release(campaign.experiment_id, base.name)
        if base.campaign_id is not None:
            named = self.repository.campaign(base.campaign_id)
            there = named is not None and named.project_id == campaign.project_id
            return named if there and named is not None and unusable(named) is None else None
        if base.kind == "merge-base":
            nearest = self.ancestry.nearest(campaign)
            return (
                None if isinstance(nearest, str) else self.repository.campaign(nearest.campaigns[0])
            )
        return self.repository.latest_base(
            campaign.experiment_id, base.name if base.kind == "branch" else branch
        )

    def _versions(self, base: Campaign) -> dict[str, str]:
        told: dict[str, set[str]] = {}
        for cell in self.repository.cells(base.id):
            if cell.version is not None and not cell.beside:
                told.setdefault(cell.target, set()).add(cell.version)
        several = sorted(name for name, versions in told.items() if len(versions) > 1)
        if several:
            raise BaseCampaignUnusable(
                f"the base, campaign {numbered(base.number)}, cannot be measured again: it ran "
                f"several versions of {', '.join(several)}"
            )
        return {name: version for name, (version,) in told.items()}

    def _require(
        self,
        campaign: Campaign,
        document: Document,
        beside: Sequence[dict[str, Any]],
        base: str,
    ) -> None:
        if not beside:
            raise BaseCampaignUnusable(f"{base} has no target of this experiment")
        measured = with_beside(document, beside)
        again = measured.targets[len(document.targets) :]
        foreign = [target.label for target in again if target.deployment == "external"]
        if foreign:
            raise BaseCampaignUnusable(
                f"{base} cannot be measured again: {', '.join(foreign)} ran at addresses, and what "
                "runs there now is not known to be what ran then"
            )
        runs = len(cells_beside(document, beside)) * document.most_repetitions
        if runs + document.most_runs_count > MOST_RUNS:
            raise BaseCampaignUnusable(
                f"{base} measured again would make more than {MOST_RUNS:,} runs of this campaign"
            )
        try:
            self.experiments.validation.require_possible(measured, campaign.project_id)
        except ExperimentInvalid as error:
            raise BaseCampaignUnusable(f"{base} can no longer be had: {error.detail}") from error
        spots = spots_of(
            self.fleet.enrolled(campaign.project_id),
            self.fleet.plugins_in_force(campaign.project_id),
        )
        if errors := never_possible(measured, spots):
            raise BaseCampaignUnusable(f"{base} can no longer be had: {errors[0].message}")


def default_base(document: Document, git: GitContext | None) -> BaseChoice:
    """What a campaign is compared with where nobody says: as its document has it; a pull request
    whose history is known, with what it began at.
    """
    base = BaseChoice.parse(document.gate.base)
    if git is None or git.pull_request is None or base != POOLED:
        return base
    known = git.merge_base is not None or any(one.parents for one in git.history)
    return MERGE_BASE if known else base


def unusable(base: Campaign, *, regressed: bool = False) -> str | None:
    """Why a campaign can be nobody's base; None: it can.

    :param regressed: it may be a regression that nobody accepted.
    """
    if base.status != CampaignStatus.COMPLETED:
        return f"campaign {numbered(base.number)} is {base.status}, not completed"
    if base.noise:
        return f"campaign {numbered(base.number)} measured noise, every target twice"
    if base.verdict == Verdict.REGRESSION and base.accepted_at is None and not regressed:
        return (
            f"campaign {numbered(base.number)} is a regression; accept it first if it was expected"
        )
    return None
