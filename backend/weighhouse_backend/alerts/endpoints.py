"""Series with what is found in them; alerts, and what people say of them."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.alerts.alert_schemas import (
    AlertCounts,
    AlertDetailRead,
    AlertRead,
    AlertUpdate,
    TriageRequest,
)
from weighhouse_backend.alerts.dependencies import (
    AlertReadingDep,
    RuleServiceDep,
    TriageServiceDep,
    WantedAlertsDep,
    WatchServiceDep,
)
from weighhouse_backend.alerts.rule_schemas import (
    AlertRuleRead,
    AlertRuleWrite,
    TrialRead,
    TrialRequest,
)
from weighhouse_backend.alerts.schemas import SeriesRead, SeriesSummaryRead
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.etags import etag
from weighhouse_backend.kit.pages import Page, PageDep
from weighhouse_backend.kit.problems import ProblemDocument

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")
CHANGES: dict[int | str, dict[str, Any]] = {
    code: {"model": ProblemDocument} for code in (403, 404, 412, 422)
}


@router.get("/series", tags=["series"])
def alerts_list_series(
    caller: CallerDep,
    watching: WatchServiceDep,
    page: PageDep,
    system_id: str | None = None,
    workload: str | None = None,
    metric: Annotated[str | None, Query(max_length=63)] = None,
    experiment_id: UUID | None = None,
    campaign_id: UUID | None = None,
) -> Page[SeriesSummaryRead]:
    """Cells over time; of a campaign: those that it has a point of."""
    return watching.listed(
        caller,
        page,
        system_id=system_id,
        workload=workload,
        metric=None if metric is None else CATALOGUE.current_name(metric),
        experiment_id=experiment_id,
        campaign_id=campaign_id,
    )


@router.get("/series/{series_id}", tags=["series"])
def alerts_read_series(series_id: UUID, caller: CallerDep, watching: WatchServiceDep) -> SeriesRead:
    """A cell over time: points with their repeats, segments, change points."""
    return watching.read(caller, series_id)


@router.get("/alerts", tags=["alerts"])
def alerts_list_alerts(
    caller: CallerDep,
    reading: AlertReadingDep,
    page: PageDep,
    wanted: WantedAlertsDep,
) -> Page[AlertRead]:
    """What somebody should look at, once for each cause, the latest raised first."""
    return reading.listed(caller, page, wanted)


@router.get("/alerts/counts", tags=["alerts"])
def alerts_count(
    caller: CallerDep, reading: AlertReadingDep, project_id: UUID | None = None
) -> AlertCounts:
    """How many alerts there are, by state."""
    return reading.counts(caller, project_id)


@router.post("/alerts/triage", tags=["alerts"], responses=CHANGES)
def alerts_triage(
    body: TriageRequest, caller: CallerDep, triage: TriageServiceDep
) -> Page[AlertRead]:
    """Say the same of several alerts, of all or of none; takes a member."""
    return Page[AlertRead](items=triage.change_many(caller, body))


@router.get("/alerts/rule", tags=["alerts"])
def alerts_read_rule(
    caller: CallerDep, rules: RuleServiceDep, response: Response, project_id: UUID | None = None
) -> AlertRuleRead:
    """Which changes become alerts of a project."""
    rule = rules.read(caller, project_id)
    response.headers["ETag"] = etag(rule.version)
    return rule


@router.put("/alerts/rule", tags=["alerts"], responses=CHANGES)
def alerts_save_rule(
    body: AlertRuleWrite,
    caller: CallerDep,
    rules: RuleServiceDep,
    response: Response,
    project_id: UUID | None = None,
    if_match: Annotated[str | None, Header()] = None,
) -> AlertRuleRead:
    """Say which changes become alerts from now on; takes a maintainer."""
    rule = rules.save(caller, project_id, body, if_match)
    response.headers["ETag"] = etag(rule.version)
    return rule


@router.post("/alerts/trial", tags=["alerts"], responses={422: {"model": ProblemDocument}})
def alerts_try_rule(body: TrialRequest, caller: CallerDep, rules: RuleServiceDep) -> TrialRead:
    """What a rule would have raised, where, when, and how long after the shift; changes nothing."""
    return rules.attempt(caller, body.project_id, body.rule)


@router.get("/alerts/{alert_id}", tags=["alerts"], responses={404: {"model": ProblemDocument}})
def alerts_read_alert(
    alert_id: UUID, caller: CallerDep, reading: AlertReadingDep, response: Response
) -> AlertDetailRead:
    """An alert: what changed, between which commits, and what became of it."""
    found = reading.read(caller, alert_id)
    response.headers["ETag"] = etag(found.version)
    return found


@router.patch("/alerts/{alert_id}", tags=["alerts"], responses=CHANGES)
def alerts_change_alert(
    alert_id: UUID,
    body: AlertUpdate,
    caller: CallerDep,
    triage: TriageServiceDep,
    response: Response,
    if_match: Annotated[str | None, Header()] = None,
) -> AlertDetailRead:
    """Triage an alert; takes a member. With If-Match only on top of what was seen."""
    changed = triage.change(caller, alert_id, body, if_match)
    response.headers["ETag"] = etag(changed.version)
    return changed
