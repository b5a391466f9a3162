"""Invitations, by owners."""

from uuid import UUID

from fastapi import APIRouter

from weighhouse_backend.identity.access import ManagerDep
from weighhouse_backend.identity.schemas import InvitationCreate, InvitationMade, InvitationRead
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.pages import Page
from weighhouse_backend.membership.dependencies import InvitationServiceDep

router = APIRouter(route_class=BoundedRoute)


@router.post("/invitations", status_code=201, tags=["people"])
def identity_invite(
    body: InvitationCreate,
    caller: ManagerDep,
    service: InvitationServiceDep,
    project_id: UUID | None = None,
) -> InvitationMade:
    """Ask a person into a project's organization, or into the project alone; takes an owner. They
    get a link by mail; where no mail is sent, the answer has it to hand over.
    """
    row, link = service.invite(caller, project_id, body)
    return InvitationMade(**InvitationRead.model_validate(row).model_dump(), link=link)


@router.get("/invitations", tags=["people"])
def identity_list_invitations(
    caller: ManagerDep, service: InvitationServiceDep, project_id: UUID | None = None
) -> Page[InvitationRead]:
    """Invitations that wait to be accepted; takes an owner."""
    rows = service.pending(caller, project_id)
    return Page(items=[InvitationRead.model_validate(row) for row in rows])


@router.delete("/invitations/{invitation_id}", status_code=204, tags=["people"])
def identity_revoke_invitation(
    invitation_id: UUID, caller: ManagerDep, service: InvitationServiceDep
) -> None:
    """Take an invitation back; takes an owner."""
    service.revoke(caller, invitation_id)
