"""Campaigns that are looked at while they grow: fetches what `looking` decides by."""

from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_judging.verdicts.noise import Floor
from weighhouse_protocol.experiment import Experiment

from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.campaigns.models import Campaign
from weighhouse_backend.gates.looking import figures_of, in_words, look
from weighhouse_backend.results.figures import FigureService, RunFigures


@dataclass(frozen=True)
class GrowthService:
    """Decides which cells of a campaign get more blocks."""

    looks: LookService
    figures: FigureService

    def goes_on(self, campaign: Campaign, document: Experiment) -> bool:
        """Look at a campaign whose runs have ended; plan more blocks of undecided cells.

        :param campaign: locked, and being settled.
        :returns: whether it goes on; False, without a look, where repetitions are a number.
        """
        rule = document.sequential
        if rule is None:
            return False
        mine = figures_of(document, self.figures.of_campaigns([campaign.id]))
        base: dict[tuple[str, str, str], list[RunFigures]] = {}
        if campaign.base_campaign_id is not None:
            for run in self.figures.of_campaigns([campaign.base_campaign_id]):
                base.setdefault((run.target, *run.cell), []).append(run)
        shared = {
            cell: base.get((runs[0].target, *runs[0].cell), []) for cell, runs in mine.cells.items()
        }
        states = look(mine, rule, shared, _unknown)
        return self.looks.note(campaign, states, in_words(rule, states))


def _unknown(runs: Sequence[RunFigures], metric: str) -> Floor | None:
    del runs, metric
    return None
