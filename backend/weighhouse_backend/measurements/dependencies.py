"""The feature's services in the graph, and for endpoints."""

from weighhouse_backend.kit.services import provided
from weighhouse_backend.measurements.evidence import EvidenceService
from weighhouse_backend.measurements.interval_rows import MeasuredRowService
from weighhouse_backend.measurements.level_repository import LevelRepository
from weighhouse_backend.measurements.level_service import LevelService
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.measurements.samples import SampleService

SERVICES = provided(
    EvidenceService,
    LevelRepository,
    LevelService,
    MeasuredRowService,
    ResultRepository,
    SampleService,
)
