"""Chooses the loads of a campaign's searches, and shows what came out of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_judging.scenarios import scenario
from weighhouse_judging.scenarios.scenario import Step
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.text import numbered

from weighhouse_backend.campaigns.completeness import CompletenessService
from weighhouse_backend.campaigns.courses import SearchStep
from weighhouse_backend.campaigns.documents import begun_of, document_of
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.results.figures import FigureService
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.scenarios.errors import NothingSearched
from weighhouse_backend.scenarios.operating_point import End, operating_points
from weighhouse_backend.scenarios.planners import ASKS, planner, searching
from weighhouse_backend.scenarios.schemas import OperatingPointsRead, SearchesRead
from weighhouse_backend.scenarios.search_views import search_read
from weighhouse_backend.scenarios.searches import Search, searches


@dataclass(frozen=True)
class ScenarioService:
    """Asks the judge's planners, who decide from the stored figures alone."""

    looks: LookService
    experiments: ExperimentService
    figures: FigureService
    completeness: CompletenessService

    def goes_on(self, campaign: Campaign, document: Experiment) -> bool:
        """Choose the next loads of a campaign whose runs have ended, and plan them.

        :param campaign: locked, and being settled.
        :param document: the campaign's.
        :returns: whether it goes on; False, without a look, where loads are not chosen.
        """
        if not document.searches or campaign.noise:
            return False
        steps = [_step(document, campaign, search) for search in self._searches(document, campaign)]
        return self.looks.choose(campaign, steps, _in_words(steps))

    def read(self, campaign: Campaign) -> SearchesRead:
        """The searches of a campaign the caller may see, each with its points and steps.

        :raises NothingSearched: when its loads were not chosen while it was measured.
        """
        document = document_of(self.experiments, campaign)
        if not document.searches:
            raise NothingSearched(
                f"campaign {numbered(campaign.number)} was measured at the loads of its file "
                f"(scenario: {document.scenario})"
            )
        completeness = self.completeness.of([campaign])
        looks = self.looks.of(campaign.id)
        return SearchesRead(
            completeness=completeness,
            scenario=searching(document.scenario),
            asks=ASKS[document.scenario],
            searches=[
                search_read(
                    document, search, planner(document, search, campaign.repetitions), looks
                )
                for search in self._searches(document, campaign)
            ],
        )

    def operating_points(self, campaign: Campaign, end: End) -> OperatingPointsRead:
        """The experiment that measures what a calibration found.

        :param end: which end of each point's interval is taken.
        :raises NothingSearched: when the campaign was no calibration.
        """
        document = document_of(self.experiments, campaign)
        if document.scenario != "calibrate":
            raise NothingSearched(
                f"campaign {numbered(campaign.number)} was no calibration "
                f"(scenario: {document.scenario})"
            )
        return operating_points(document, campaign.number, self.read(campaign), end)

    def _searches(self, document: Experiment, campaign: Campaign) -> list[Search]:
        runs = self.figures.of_campaigns([campaign.id])
        return searches(document, begun_of(document, campaign), runs)


def _step(document: Experiment, campaign: Campaign, search: Search) -> SearchStep:
    asked = planner(document, search, campaign.repetitions)
    answer = asked.advance(search.measured)
    step = answer if isinstance(answer, Step) else None
    return SearchStep(
        target_index=search.target_index,
        workload_index=search.workload_index,
        load_index=search.load_index,
        value=None if step is None else _exact(document, search, step.level),
        again=step is not None and not asked.whole_points(step),
        reason=answer.reason.sentence,
    )


def _exact(document: Experiment, search: Search, level: float) -> float:
    """The load a planner means: where a search begins is measured as the file has it, unrounded."""
    first = document.varies(document.begun(search.load_index))
    return first if scenario.rounded(search.axis, first) == level else level


def _in_words(steps: Sequence[SearchStep]) -> str:
    ended = sum(step.value is None for step in steps)
    going = len(steps) - ended
    if not going:
        return "the search has ended" if len(steps) == 1 else f"all {ended} searches have ended"
    if len(steps) == 1:
        return "the search goes on"
    return f"{going} of {len(steps)} searches go on" + (f", {ended} have ended" if ended else "")
