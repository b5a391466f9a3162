"""Campaigns that are looked at while they grow: fetches what `undecided` decides by."""

from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_judging.identity.names import target_names
from weighhouse_judging.verdicts.campaigns import PastCampaign
from weighhouse_judging.verdicts.noise import Floor
from weighhouse_protocol.experiment import Experiment

from weighhouse_backend.campaigns.courses import standing
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.comparisons.floors import FloorService
from weighhouse_backend.gates.bases import BaseService
from weighhouse_backend.gates.cell_match import GateKey
from weighhouse_backend.gates.service import GateService
from weighhouse_backend.gates.undecided import BaseRuns, figures_of, in_words, look
from weighhouse_backend.results.figures import FigureService, RunFigures
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.scenarios.service import ScenarioService
from weighhouse_backend.series.past import PastService


@dataclass(frozen=True)
class GrowthService:
    """Decides which cells of a campaign get more blocks, or which loads are measured next."""

    looks: LookService
    gates: GateService
    choosing: BaseService
    floors: FloorService
    past: PastService
    figures: FigureService
    scenarios: ScenarioService
    catalog: CatalogService

    def goes_on(self, campaign: Campaign, document: Experiment) -> bool:
        """Look at a campaign whose runs have ended; plan more blocks of undecided cells, or the
        next loads of its searches.

        :param campaign: locked, and being settled.
        :returns: whether it goes on; False, without a look, where repetitions are a number and
            loads those of the file, where noise is measured, or nothing is new but a second
            measurement of what seemed worse.
        """
        if document.searches:
            return self.scenarios.goes_on(campaign, document)
        rule = document.sequential
        if rule is None or campaign.noise or self.looks.last_was_again(campaign.id):
            return False
        names = target_names(document.targets, self.catalog.manifests([campaign.project_id]))
        mine = figures_of(document, self.figures.of_campaigns([campaign.id]), names)
        against = self._bases(campaign)
        base = {
            cell: against[key]
            for cell, runs in mine.cells.items()
            if (key := (runs[0].target, *runs[0].cell)) in against
        }
        seen = self.choosing.cells([campaign.id])[campaign.id]
        floor_of = self.floors.of_cells(campaign.project_id, seen)
        past_of = self.past.of_cells(campaign.experiment_id, seen, before=campaign.id)

        def floors(runs: Sequence[RunFigures], metric: str) -> Floor | None:
            return floor_of((runs[0].target, *runs[0].cell), metric)

        def past(runs: Sequence[RunFigures], metric: str) -> Sequence[PastCampaign]:
            return past_of((runs[0].target, *runs[0].cell), metric)

        stand = standing(self.looks.of(campaign.id))
        states = look(mine, rule, base, floors, past, stand)
        return self.looks.note(campaign, states, in_words(rule, states))

    def _bases(self, campaign: Campaign) -> dict[GateKey, BaseRuns]:
        """Runs of the campaign's bases by cell, where they are the same measurement."""
        bases = self.gates.bases(campaign)
        if not bases.campaigns:
            return {}
        seen = self.choosing.cells([*bases.campaigns, campaign.id])
        cells = self.choosing.against(campaign, bases, seen)
        return {
            cell.key: {one: found.runs for one, found in cell.bases.items()}
            for cell in cells
            if not cell.changes
        }
