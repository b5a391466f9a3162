"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.findings.histograms import HistogramService
from weighhouse_backend.findings.repository import FindingRepository
from weighhouse_backend.kit.services import provided, wired

SERVICES = provided(
    ExaminationService,
    FindingRepository,
    HistogramService,
)

ExaminationServiceDep = Annotated[ExaminationService, wired(ExaminationService)]
HistogramServiceDep = Annotated[HistogramService, wired(HistogramService)]
