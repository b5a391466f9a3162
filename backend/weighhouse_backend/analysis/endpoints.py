"""Comparisons, gates, series, and runs with what checks have to say of them."""

# ruff: noqa: FAST003 - a dependency behind a name takes the path's parameter

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from weighhouse_backend.analysis.dependencies import AnalysisDep
from weighhouse_backend.analysis.schemas import (
    ComparisonRead,
    GateRead,
    RunRead,
    SeriesRead,
    SeriesSummaryRead,
)
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.pages import Page, PageQuery
from weighhouse_backend.results.dependencies import VisibleRunDep

router = APIRouter(prefix="/api/v1")
PageDep = Annotated[PageQuery, Depends()]


@router.get("/runs/{run_id}", tags=["runs"])
def analysis_read_run(run: VisibleRunDep, analysis: AnalysisDep) -> RunRead:
    """A run: figures, environment, effective configuration, findings, disclaimers, and the file
    that reproduces it.
    """
    return analysis.examination.run(run)


@router.get("/comparisons", tags=["comparisons"])
def analysis_compare(
    caller: CallerDep,
    analysis: AnalysisDep,
    side: Annotated[list[str] | None, Query(description="`CAMPAIGN~TARGET`, repeated")] = None,
    campaign: UUID | None = None,
    base: UUID | None = None,
    baseline: Annotated[int, Query(ge=0)] = 0,
) -> ComparisonRead:
    """Compare sides: `side` repeated, or all targets of `campaign`, or those of `campaign` each
    against itself in `base`.
    """
    return analysis.comparisons.compare(
        caller, sides=side or (), campaign_id=campaign, base_id=base, baseline=baseline
    )


@router.get("/campaigns/{campaign_id}/gate", tags=["campaigns"])
def analysis_read_gate(
    campaign_id: UUID,
    caller: CallerDep,
    analysis: AnalysisDep,
    threshold_percent: Annotated[float | None, Query(gt=0, le=100)] = None,
) -> GateRead:
    """May the build pass? The verdict of an ended campaign against its base, with an exit code."""
    return analysis.gates.read(caller, campaign_id, threshold_percent)


@router.get("/series", tags=["series"])
def analysis_list_series(
    caller: CallerDep,
    analysis: AnalysisDep,
    page: PageDep,
    system_id: str | None = None,
    workload: str | None = None,
    metric: str | None = None,
    experiment_id: UUID | None = None,
) -> Page[SeriesSummaryRead]:
    """Cells over time."""
    return analysis.history.listed(
        caller,
        page,
        system_id=system_id,
        workload=workload,
        metric=metric,
        experiment_id=experiment_id,
    )


@router.get("/series/{series_id}", tags=["series"])
def analysis_read_series(series_id: UUID, caller: CallerDep, analysis: AnalysisDep) -> SeriesRead:
    """A cell over time: points with their repeats, segments, change points."""
    return analysis.history.read(caller, series_id)
