"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.reports.repository import ReportRepository
from weighhouse_backend.reports.series_terms import SeriesTerms
from weighhouse_backend.reports.service import ReportService
from weighhouse_backend.reports.sources import SourceService

SERVICES = provided(
    ReportRepository,
    ReportService,
    SeriesTerms,
    SourceService,
)

ReportServiceDep = Annotated[ReportService, wired(ReportService)]
