"""Projects, made, renamed, archived and brought back."""

from uuid import UUID

from fastapi import APIRouter

from weighhouse_backend.identity.access import ManagerDep
from weighhouse_backend.identity.schemas import ProjectCreate, ProjectRead, ProjectUpdate
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.pages import Page
from weighhouse_backend.membership.dependencies import ProjectServiceDep

router = APIRouter(route_class=BoundedRoute, tags=["projects"])


@router.get("/projects")
def identity_list_projects(caller: ManagerDep, service: ProjectServiceDep) -> Page[ProjectRead]:
    """The caller's projects, archived ones too, with their role in each."""
    return Page(items=service.listed(caller))


@router.post("/projects", status_code=201)
def identity_make_project(
    body: ProjectCreate, caller: ManagerDep, service: ProjectServiceDep
) -> ProjectRead:
    """Make a project; takes an owner of the organization, signed in or by a personal token."""
    return service.make(caller, body)


@router.patch("/projects/{project_id}")
def identity_rename_project(
    project_id: UUID, body: ProjectUpdate, caller: ManagerDep, service: ProjectServiceDep
) -> ProjectRead:
    """Give a project another name; its slug stays. Takes an owner of it."""
    return service.rename(caller, project_id, body)


@router.post("/projects/{project_id}/archive")
def identity_archive_project(
    project_id: UUID, caller: ManagerDep, service: ProjectServiceDep
) -> ProjectRead:
    """Let nothing new be measured in a project. Nothing is deleted, and what is under way goes on
    to its end; schedules stand still. Takes an owner of it.
    """
    return service.archive(caller, project_id)


@router.post("/projects/{project_id}/restore")
def identity_restore_project(
    project_id: UUID, caller: ManagerDep, service: ProjectServiceDep
) -> ProjectRead:
    """Let an archived project be used again; its schedules go on with their next date. Takes an
    owner of it.
    """
    return service.restore(caller, project_id)
