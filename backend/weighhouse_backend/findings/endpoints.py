"""Runs with what checks have to say of them."""

# ruff: noqa: FAST003 - a dependency behind a name takes the path's parameter

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from weighhouse_backend.findings.dependencies import (
    ExaminationServiceDep,
    HistogramServiceDep,
)
from weighhouse_backend.findings.downloads import TEXT, Form, download, wanted_histogram
from weighhouse_backend.findings.histograms import Wanted
from weighhouse_backend.findings.schemas import RunRead
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.results.dependencies import VisibleRunDep
from weighhouse_backend.results.histogram_schemas import HistogramRead

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


@router.get("/runs/{run_id}", tags=["runs"])
def findings_read_run(run: VisibleRunDep, examination: ExaminationServiceDep) -> RunRead:
    """A run: figures, environment, effective configuration, findings, disclaimers, and the file
    that reproduces it.
    """
    return examination.run(run)


@router.get("/runs/{run_id}/histogram", tags=["runs"], response_model=HistogramRead, responses=TEXT)
def findings_read_histogram(
    run: VisibleRunDep,
    histograms: HistogramServiceDep,
    wanted: Annotated[Wanted, Depends(wanted_histogram)],
    form: Form = "json",
) -> HistogramRead | Response:
    """The merged histogram of one operation of a run, to keep: with the facts it was measured under
    and the statements that must stand beside it.
    """
    return download(histograms.of_run(run, wanted), form)
