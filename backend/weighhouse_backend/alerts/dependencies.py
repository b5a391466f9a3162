"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.alerts.alert_reader import AlertReading
from weighhouse_backend.alerts.alert_repository import AlertRowRepository
from weighhouse_backend.alerts.alert_writer import RaisingService
from weighhouse_backend.alerts.causes import CauseService
from weighhouse_backend.alerts.missed import MissedService
from weighhouse_backend.alerts.repository import AlertRepository
from weighhouse_backend.alerts.rules import RuleService
from weighhouse_backend.alerts.triage import TriageService
from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.kit.services import provided, wired

SERVICES = provided(
    AlertReading,
    AlertRepository,
    AlertRowRepository,
    CauseService,
    MissedService,
    RaisingService,
    RuleService,
    TriageService,
    WatchService,
)

AlertReadingDep = Annotated[AlertReading, wired(AlertReading)]
RuleServiceDep = Annotated[RuleService, wired(RuleService)]
TriageServiceDep = Annotated[TriageService, wired(TriageService)]
WatchServiceDep = Annotated[WatchService, wired(WatchService)]
