"""Published studies, and what holds of them here."""

from uuid import UUID

from fastapi import APIRouter
from weighhouse_judging.studies.language import Scale

from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.quotas.errors import QUOTA_ANSWER
from weighhouse_backend.studies.dependencies import StudyRunServiceDep, StudyServiceDep
from weighhouse_backend.studies.schemas import (
    StudyList,
    StudyRead,
    StudyRunRead,
    StudyRunWanted,
)

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["studies"])


@router.get("/studies")
def studies_list(
    caller: CallerDep, studies: StudyServiceDep, project_id: UUID | None = None
) -> StudyList:
    """The published studies that come with the installation, with how many of their claims hold
    here; no figures.
    """
    return StudyList(items=studies.listed(caller, project_id))


@router.get("/studies/{study}")
def studies_read(
    study: str,
    caller: CallerDep,
    studies: StudyServiceDep,
    scale: Scale | None = None,
    project_id: UUID | None = None,
    audience: AudienceDep = "internal",
) -> StudyRead:
    """A study claim by claim: what is claimed, what the printed figures say of it, what was
    measured here, and the verdict; with all figures side by side and what must stand beside ours.
    """
    return studies.read(caller, study, scale, project_id, audience)


@router.post("/studies/{study}/campaigns", status_code=201, responses=QUOTA_ANSWER)
def studies_run(
    study: str,
    body: StudyRunWanted,
    caller: CallerDep,
    studies: StudyServiceDep,
    runs: StudyRunServiceDep,
) -> StudyRunRead:
    """Measure a study at a scale: saves its experiments and starts a campaign of each. Sides that
    are not measured are named with the reason.
    """
    return runs.run(caller, studies.find(study), body)
