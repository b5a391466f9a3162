"""The feature's services in the graph, and for endpoints."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Depends, Query

from weighhouse_backend.alerts.alert_reader import AlertReading
from weighhouse_backend.alerts.alert_repository import AlertFilter, AlertRowRepository
from weighhouse_backend.alerts.alert_writer import RaisingService
from weighhouse_backend.alerts.causes import CauseService
from weighhouse_backend.alerts.missed import MissedService
from weighhouse_backend.alerts.repository import AlertRepository
from weighhouse_backend.alerts.rules import RuleService
from weighhouse_backend.alerts.states import AlertKind, AlertState
from weighhouse_backend.alerts.triage import TriageService
from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.identity.access import CallerDep
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


def _wanted(
    caller: CallerDep,
    project_id: UUID | None = None,
    state: Annotated[list[AlertState] | None, Query()] = None,
    kind: AlertKind | None = None,
    experiment_id: UUID | None = None,
    system_id: str | None = None,
    assignee: Annotated[
        UUID | Literal["me", "nobody"] | None, Query(description="A person's id, me or nobody.")
    ] = None,
) -> AlertFilter:
    return AlertFilter(
        project_id=project_id,
        states=state,
        kind=kind,
        experiment_id=experiment_id,
        system_id=system_id,
        assignee=caller.id if assignee == "me" else assignee,
    )


WantedAlertsDep = Annotated[AlertFilter, Depends(_wanted)]
"""What lists of alerts are narrowed to."""
