"""Series with what is found in them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from weighhouse_judging.verdicts.metrics import current_name

from weighhouse_backend.alerts.dependencies import AlertsDep
from weighhouse_backend.alerts.schemas import AlertRead, SeriesRead, SeriesSummaryRead
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.pages import Page, PageQuery

router = APIRouter(prefix="/api/v1")
PageDep = Annotated[PageQuery, Depends()]


@router.get("/series", tags=["series"])
def alerts_list_series(
    caller: CallerDep,
    alerts: AlertsDep,
    page: PageDep,
    system_id: str | None = None,
    workload: str | None = None,
    metric: Annotated[str | None, Query(max_length=63)] = None,
    experiment_id: UUID | None = None,
) -> Page[SeriesSummaryRead]:
    """Cells over time."""
    return alerts.watching.listed(
        caller,
        page,
        system_id=system_id,
        workload=workload,
        metric=None if metric is None else current_name(metric),
        experiment_id=experiment_id,
    )


@router.get("/series/{series_id}", tags=["series"])
def alerts_read_series(series_id: UUID, caller: CallerDep, alerts: AlertsDep) -> SeriesRead:
    """A cell over time: points with their repeats, segments, change points."""
    return alerts.watching.read(caller, series_id)


@router.get("/alerts", tags=["series"])
def alerts_list_alerts(
    caller: CallerDep, alerts: AlertsDep, page: PageDep, experiment_id: UUID | None = None
) -> Page[AlertRead]:
    """What changed, once for each cause: the change that leads, and those downstream of it."""
    return alerts.reading.listed(caller, page, experiment_id=experiment_id)
