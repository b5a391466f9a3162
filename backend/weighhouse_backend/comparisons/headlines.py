"""What campaigns came to: what badges, lists, letters and commands tell of them.

Worked out whenever it is asked for, as comparisons are. A headline that was kept would contradict
the comparison's page as soon as an A/A campaign tells more of the machine, or the rules change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from weighhouse_judging.verdicts.headlines import Headline, unreadable

from weighhouse_backend.comparisons.answer_schemas import CampaignHeadlineRead
from weighhouse_backend.comparisons.service import ComparisonService
from weighhouse_backend.findings.schemas import RunFinding
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.runs.models import Campaign


@dataclass(frozen=True)
class HeadlineService:
    """Says what campaigns came to, as the comparison of their targets does."""

    comparing: ComparisonService

    def of(self, caller: Caller, campaign_ids: Sequence[UUID]) -> list[CampaignHeadlineRead]:
        """What some campaigns came to, in the given order, each once.

        :raises CampaignNotFound: when a campaign is not the caller's to see.
        """
        find = self.comparing.sources.sides.campaigns.find
        campaigns = [find(caller, one) for one in dict.fromkeys(campaign_ids)]
        runs: dict[UUID, list[RunFigures]] = {one.id: [] for one in campaigns}
        every = self.comparing.sources.figures.of_campaigns(runs)
        for run in every:
            runs[run.campaign_id].append(run)
        found = self._found(every)
        return [
            CampaignHeadlineRead.model_validate(
                {**asdict(self._told(one, runs[one.id], found)), "campaign_id": one.id}
            )
            for one in campaigns
        ]

    def at_its_end(self, campaign: Campaign) -> Headline:
        """What a campaign came to that is being settled: nothing more of it is to come."""
        runs = self.comparing.sources.figures.of_campaigns([campaign.id])
        return self._told(campaign, runs, self._found(runs), over=True)

    def _found(self, runs: Sequence[RunFigures]) -> dict[UUID, list[RunFinding]]:
        """What bars figures of runs from use, by run."""
        found: dict[UUID, list[RunFinding]] = {}
        for one in self.comparing.sources.examination.of_each_run(
            {run.run_id for run in runs}, "error"
        ):
            found.setdefault(one.run_id, []).append(one)
        return found

    def _told(
        self,
        campaign: Campaign,
        runs: Sequence[RunFigures],
        found: Mapping[UUID, Sequence[RunFinding]],
        *,
        over: bool = False,
    ) -> Headline:
        of_runs = [one for run in runs for one in found.get(run.run_id, ())]
        try:
            comparison = self.comparing.of_targets(campaign, runs, of_runs)
        except ValueError:  # of another day's format: the other campaigns are told of all the same
            return unreadable()
        return comparison.headline(comparison.leads(), over=over)
