"""The feature's services in the graph, and for endpoints."""

from weighhouse_backend.kit.services import provided
from weighhouse_backend.series.gaps import GapService
from weighhouse_backend.series.history import HistoryService
from weighhouse_backend.series.legacy_cells import CarryingService
from weighhouse_backend.series.main_line import MainLineService
from weighhouse_backend.series.past import PastService
from weighhouse_backend.series.repository import SeriesRepository

SERVICES = provided(
    CarryingService,
    GapService,
    HistoryService,
    MainLineService,
    PastService,
    SeriesRepository,
)
