"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.comparisons.comparison import Sources
from weighhouse_backend.comparisons.distributions import SpectrumService
from weighhouse_backend.comparisons.floors import FloorService
from weighhouse_backend.comparisons.footprints import FootprintReadService
from weighhouse_backend.comparisons.headlines import HeadlineService
from weighhouse_backend.comparisons.published_sides import PublishedSideService
from weighhouse_backend.comparisons.service import ComparisonService
from weighhouse_backend.comparisons.sides import SideService
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.findings.histograms import HistogramService
from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.results.distributions import DistributionService


def _spectra(
    distributions: DistributionService,
    disclosure: DisclosureService,
    examination: ExaminationService,
    histograms: HistogramService,
) -> SpectrumService:
    return SpectrumService(distributions, disclosure, examination, histograms)


SERVICES = provided(
    ComparisonService,
    PublishedSideService,
    FloorService,
    FootprintReadService,
    HeadlineService,
    SideService,
    Sources,
    by=(_spectra,),
)

ComparisonServiceDep = Annotated[ComparisonService, wired(ComparisonService)]
FootprintReadServiceDep = Annotated[FootprintReadService, wired(FootprintReadService)]
HeadlineServiceDep = Annotated[HeadlineService, wired(HeadlineService)]
SpectrumServiceDep = Annotated[SpectrumService, wired(SpectrumService)]
