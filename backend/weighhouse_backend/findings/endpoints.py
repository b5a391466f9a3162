"""Runs with what checks have to say of them."""

# ruff: noqa: FAST003 - a dependency behind a name takes the path's parameter

from fastapi import APIRouter

from weighhouse_backend.findings.dependencies import FindingsDep
from weighhouse_backend.findings.schemas import RunRead
from weighhouse_backend.results.dependencies import VisibleRunDep

router = APIRouter(prefix="/api/v1")


@router.get("/runs/{run_id}", tags=["runs"])
def findings_read_run(run: VisibleRunDep, findings: FindingsDep) -> RunRead:
    """A run: figures, environment, effective configuration, findings, disclaimers, and the file
    that reproduces it.
    """
    return findings.examination.run(run)
