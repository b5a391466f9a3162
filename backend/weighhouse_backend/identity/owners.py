"""What takes an owner: of a project, or of the organization that it belongs to."""

from uuid import UUID

from sqlalchemy.orm import Session

from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.models import Project
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import MemberRole, Role
from weighhouse_backend.kit.problems import Forbidden, NotFound


def owns(session: Session, caller: Caller, organization_id: UUID) -> bool:
    """Whether the caller is an owner of the organization, signed in or by a personal token that has
    that role in a project there. The owner of one project, or a token of one, is none.
    """
    repository = IdentityRepository(session)
    person_id = caller.person_id
    place = None if person_id is None else repository.membership(organization_id, person_id)
    owned = [one for one, role in caller.roles.items() if role.covers(Role.OWNER)]
    return (
        place is not None
        and place.role == MemberRole.OWNER
        and any(one.organization_id == organization_id for one, _ in repository.projects(owned))
    )


def insist_on_owner(session: Session, caller: Caller, organization_id: UUID) -> None:
    """:raises Forbidden: when the caller is no owner of the organization."""
    if not owns(session, caller, organization_id):
        raise Forbidden("this takes an owner of the organization, signed in or by a personal token")


def owned_project(session: Session, caller: Caller, project_id: UUID | None) -> Project:
    """The project that is meant (`Caller.project_or_only`), which the caller owns, be it alone.

    :raises Forbidden: when they are no owner of it.
    :raises NotFound: when it is not theirs, or gone.
    """
    wanted = caller.project_or_only(project_id)
    caller.require(wanted, Role.OWNER)
    project = session.get(Project, wanted)
    if project is None:
        raise NotFound
    return project


def project_of_owned(session: Session, caller: Caller, project_id: UUID | None) -> Project:
    """The project that is meant, of an organization that the caller owns.

    :raises Forbidden: when they are no owner of both.
    :raises NotFound: when it is not theirs, or gone.
    """
    project = owned_project(session, caller, project_id)
    insist_on_owner(session, caller, project.organization_id)
    return project


def lock_organization(session: Session, organization_id: UUID) -> None:
    """Have whoever else changes the organization wait for this transaction's end."""
    IdentityRepository(session).lock_organization(organization_id)
