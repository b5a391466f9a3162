"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from fastapi import Depends

from weighhouse_backend.comparisons.comparison import Comparison, Sources
from weighhouse_backend.comparisons.disclosure import leaving
from weighhouse_backend.comparisons.distributions import SpectrumService
from weighhouse_backend.comparisons.floors import FloorService
from weighhouse_backend.comparisons.footprints import FootprintReadService
from weighhouse_backend.comparisons.headlines import HeadlineService
from weighhouse_backend.comparisons.service import ComparisonService
from weighhouse_backend.comparisons.sides import Question, SideService
from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.findings.dependencies import Findings, FindingsDep
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.noise.dependencies import noise_over
from weighhouse_backend.series.dependencies import SeriesKept


@dataclass(frozen=True)
class Comparisons:
    """All services of the feature over one transaction."""

    findings: Findings

    @cached_property
    def sides(self) -> SideService:
        """Finds the sides that a question names."""
        campaigns = self.findings.results.campaigns
        return SideService(
            campaigns.campaigns, campaigns.experiments, campaigns.catalog, campaigns.completeness
        )

    @cached_property
    def comparing(self) -> ComparisonService:
        """Puts sides beside each other."""
        results = self.findings.results
        return ComparisonService(
            Sources(
                self.sides,
                self.findings.disclosure,
                results.figures,
                self.findings.examination,
                results.campaigns.looks,
                FloorService(noise_over(results.campaigns.session)),
                SeriesKept(self.findings).past,
            )
        )

    @cached_property
    def headlines(self) -> HeadlineService:
        """Says what campaigns came to."""
        return HeadlineService(self.comparing)

    @cached_property
    def spectra(self) -> SpectrumService:
        """Reads whole distributions of sides."""
        return SpectrumService(
            self.findings.results.distributions,
            self.findings.disclosure,
            self.findings.examination,
            self.findings.histograms,
        )

    @cached_property
    def footprints(self) -> FootprintReadService:
        """Tells what sides take."""
        results = self.findings.results
        return FootprintReadService(
            results.distributions,
            results.footprints,
            self.findings.disclosure,
            self.findings.examination,
        )

    def released(self, caller: Caller, question: Question, audience: Audience) -> Comparison:
        """The comparison that somebody asks for, where it may leave the organization for whom they
        say.

        :raises PublicationRefused: naming each system that may not be shown to the audience.
        :raises ComparisonUnclear: when the question names no sides.
        :raises CampaignNotFound: when a campaign is not the caller's to see.
        """
        chosen = self.comparing.chosen(caller, question)
        self.findings.disclosure.publication.require(leaving(chosen.choice.sides), audience)
        return chosen


def _comparisons(findings: FindingsDep) -> Comparisons:
    return Comparisons(findings)


ComparisonsDep = Annotated[Comparisons, Depends(_comparisons)]
