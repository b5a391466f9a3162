"""Organizations and their members."""

from uuid import UUID

from fastapi import APIRouter

from weighhouse_backend.identity.access import ManagerDep, PersonDep
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.schemas import (
    MemberRead,
    MemberUpdate,
    OrganizationCreate,
    ProjectRead,
    ProjectRoleUpdate,
)
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.pages import Page
from weighhouse_backend.membership.dependencies import MemberListDep, MembershipServiceDep
from weighhouse_backend.membership.invitation_endpoints import router as invitations
from weighhouse_backend.membership.project_endpoints import router as projects

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")
router.include_router(invitations)
router.include_router(projects)


@router.post("/organizations", status_code=201, tags=["projects"])
def identity_make_organization(
    body: OrganizationCreate, caller: PersonDep, service: MembershipServiceDep
) -> ProjectRead:
    """Make an organization of one's own; answers with its first project. Takes a person who owns an
    organization on this installation.
    """
    return service.make_organization(caller, body)


@router.get("/members", tags=["people"])
def identity_list_members(
    caller: ManagerDep, members: MemberListDep, project_id: UUID | None = None
) -> Page[MemberRead]:
    """People of a project's organization."""
    return Page(items=members.of(caller, project_id))


@router.put("/members/{user_id}", tags=["people"])
def identity_change_member(
    user_id: UUID,
    body: MemberUpdate,
    caller: ManagerDep,
    service: MembershipServiceDep,
    project_id: UUID | None = None,
) -> MemberRead:
    """Give a person another role in the organization; takes an owner of it."""
    user, own = service.change_member(caller, project_id, user_id, body.role)
    return MemberRead(
        id=user.id, email=user.email, name=user.name, role=body.role,
        project_role=None if own is None else Role(own),
    )  # fmt: skip


@router.delete("/members/{user_id}", status_code=204, tags=["people"])
def identity_remove_member(
    user_id: UUID,
    caller: ManagerDep,
    service: MembershipServiceDep,
    project_id: UUID | None = None,
) -> None:
    """Take a person's access to the organization; their personal tokens end at once. Takes an owner
    of it.
    """
    service.remove_member(caller, project_id, user_id)


@router.put("/projects/{project_id}/members/{user_id}", status_code=204, tags=["people"])
def identity_set_project_role(
    project_id: UUID,
    user_id: UUID,
    body: ProjectRoleUpdate,
    caller: ManagerDep,
    service: MembershipServiceDep,
) -> None:
    """Give a member of the organization a role of their own in a project; takes an owner of it."""
    service.set_project_role(caller, project_id, user_id, body.role)


@router.delete("/projects/{project_id}/members/{user_id}", status_code=204, tags=["people"])
def identity_end_project_role(
    project_id: UUID, user_id: UUID, caller: ManagerDep, service: MembershipServiceDep
) -> None:
    """Take a member's own role in a project; the one in the organization stays."""
    service.end_project_role(caller, project_id, user_id)
