"""Comparisons of targets: in one campaign, over two, or of any sides."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from weighhouse_protocol.figures import CATALOGUE, Figure, UnknownFigure

from weighhouse_backend.campaigns.documents import own_levels
from weighhouse_backend.comparisons import estimates
from weighhouse_backend.comparisons.answer_schemas import AnswerRead
from weighhouse_backend.comparisons.comparison import Comparison, Sources
from weighhouse_backend.comparisons.disclosure import leaving
from weighhouse_backend.comparisons.errors import ComparisonUnclear
from weighhouse_backend.comparisons.leaders import (
    headline_read,
    leads_read,
)
from weighhouse_backend.comparisons.published_sides import published_read
from weighhouse_backend.comparisons.schemas import ComparisonRead
from weighhouse_backend.comparisons.sides import Question, sides_read
from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.experiments.fairness_schemas import AspectRead
from weighhouse_backend.findings.schemas import RunFinding
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.sources import policy


@dataclass(frozen=True)
class ComparisonService:
    """Puts sides beside each other."""

    sources: Sources

    def chosen(self, caller: Caller, question: Question) -> Comparison:
        """The comparison that somebody asks for; nothing of it is worked out yet.

        :raises ComparisonUnclear: when the question names no sides, too many, or a side that is not
            there.
        :raises CampaignNotFound: when a campaign is not the caller's to see.
        """
        choice = self.sources.sides.chosen(caller, question)
        completeness = self.sources.sides.completeness(choice)
        published = self.sources.published.chosen(caller, question.published)
        return Comparison(self.sources, choice, completeness, question.cell, published=published)

    def released(self, caller: Caller, question: Question, audience: Audience) -> Comparison:
        """The comparison that somebody asks for, where it may leave the organization for whom they
        say.

        :raises PublicationRefused: naming each system that may not be shown to the audience.
        :raises ComparisonUnclear: when the question names no sides.
        :raises CampaignNotFound: when a campaign is not the caller's to see.
        """
        chosen = self.chosen(caller, question)
        self.sources.disclosure.publication.require(leaving(chosen.choice.sides), audience)
        require_published(chosen, audience)
        return chosen

    def of_targets(
        self, campaign: Campaign, runs: Sequence[RunFigures], found: Sequence[RunFinding]
    ) -> Comparison:
        """The comparison of a campaign's targets; for features that checked access.

        :param runs: all of the campaign's.
        :param found: what bars figures of them from use.
        :raises ValueError: when the campaign's document cannot be read.
        """
        choice = self.sources.sides.all_of(campaign)
        completeness = self.sources.sides.completeness(choice)
        return Comparison(self.sources, choice, completeness, runs=runs, found=found)


def require_published(comparison: Comparison, audience: Audience) -> None:
    """Let the published results of a comparison out, or not.

    :raises PublicationRefused: naming each source of which it is not told what may be shown.
    """
    policy.require((one.results.source for one in comparison.published), audience)


def comparison_read(comparison: Comparison) -> ComparisonRead:
    """A comparison as it is shown: what is said of sides over all their cells, with one or all of
    them on show.

    :raises ComparisonUnclear: when no side has the cell that was asked for.
    """
    sides = comparison.shown.sides
    cells = [side.cells for side in sides]
    found = comparison.leads()
    levels = {run.load_label: estimates.load_level(run) for side in sides for run in side.runs}
    levels |= own_levels([side.document for side in sides], levels)
    return ComparisonRead(
        completeness=comparison.completeness,
        sides=sides_read(comparison.whole.sides, comparison.labels),
        baseline=comparison.choice.baseline,
        workloads=list(dict.fromkeys(run.workload for side in sides for run in side.runs)),
        load_levels=sorted(levels.values(), key=lambda level: (level.own, level.kind, level.value)),
        cells=[
            estimates.compared_cell(side.key, runs)
            for side in cells
            for runs in side.cells.values()
        ],
        headline=headline_read(comparison.headline(found)),
        leads=leads_read(found),
        readings=comparison.readings(),
        caveats=comparison.caveats,
        differences=comparison.differences,
        rankings=comparison.rankings,
        fairness=[AspectRead.of(row) for row in comparison.fairness],
        unmatched=estimates.unmatched(cells),
        disclosure=comparison.sheet,
        published=published_read(comparison.published),
    )


def answer_read(comparison: Comparison, figure: str | None, hidden: Collection[int]) -> AnswerRead:
    """Who leads by a figure among the sides that are not hidden, and each against its baseline.

    :param figure: of one that sides are judged by, or of any percentile; each loop's primary figure
        when None.
    :param hidden: places of sides, as the comparison has them.
    :raises ComparisonUnclear: for a figure that is not compared.
    """
    if figure is not None:
        asked = judged_figure(figure)
        figure, comparison = asked.name, comparison.with_figures([asked])
    keys = [side.key for place, side in enumerate(comparison.choice.sides) if place in hidden]
    return AnswerRead(
        completeness=comparison.completeness,
        leads=leads_read(comparison.leads(figure, keys)),
        readings=[
            one
            for one in comparison.readings(figure)
            if not {one.side, one.baseline_side} & set(keys)
        ],
    )


def judged_figure(name: str) -> Figure:
    """The figure of a name, by which sides are judged.

    :raises ComparisonUnclear: when there is none, or it is shown and not judged.
    """
    try:
        found = CATALOGUE[name]
    except UnknownFigure as error:
        raise ComparisonUnclear(str(error)) from None
    if not found.is_judged:
        judged = ", ".join(one.name for one in CATALOGUE.judged)
        raise ComparisonUnclear(f"figure {name!r} is not compared; those that are: {judged}")
    return found
