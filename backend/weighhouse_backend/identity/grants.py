"""Who may give power, and the rows that carry it.

Tokens, trusts, places in organizations and projects, invitations, domains, providers, directories,
registration tokens and links for vendors are made by a `Grant` alone, and roles are set by one
alone; `tests/architecture/test_powers.py` holds it.
"""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from uuid import UUID

from sqlalchemy.orm import Session

from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.models import ProjectMembership
from weighhouse_backend.identity.owners import insist_on_owner
from weighhouse_backend.identity.roles import MemberRole, Role
from weighhouse_backend.identity.scopes import Scope, held
from weighhouse_backend.kit.db import Base
from weighhouse_backend.kit.problems import Forbidden

Row = TypeVar("Row", bound=Base)


class HasRole(Protocol):
    """Somebody's place, or what opens one."""

    role: Any


@dataclass(frozen=True, slots=True)
class Grant:
    """That a power may be given: in which project or organization, up to which role, and for a
    token which scopes. Made by this module alone.
    """

    role: MemberRole
    scopes: tuple[str, ...] | None = None
    """None: all that the role may."""
    organization_id: UUID | None = None
    project_id: UUID | None = None

    def row(self, kind: type[Row], /, **columns: Any) -> Row:
        """A new row that carries the power, in its place alone.

        :param columns: what else it holds.
        """
        scopes = None if self.scopes is None else list(self.scopes)
        power = {"role": str(self.role), "scopes": scopes}
        known = kind.__table__.columns.keys()
        carried = {name: value for name, value in power.items() if name in known}
        places = {"organization_id": self.organization_id, "project_id": self.project_id}
        placed = {name: value for name, value in places.items() if value is not None}
        return kind(**carried, **placed, **columns)

    def to(self, row: HasRole) -> None:
        """Give a row its role."""
        row.role = str(self.role)


def may_give(
    caller: Caller,
    role: str,
    scopes: Iterable[Scope | str] | None = None,
    *,
    project_id: UUID,
    before: str = MemberRole.GUEST,
) -> Grant:
    """Whether somebody may give a power in a project: nobody gives more than they have there, in
    role and in scopes, and a token with scopes gives nothing without.

    :param role: of what is made, a `Role` or `MemberRole`.
    :param scopes: of a token; None: all that the role may, as people have it.
    :param before: the role of whom it is given to: what it takes is no gift.
    :raises NotFound: when the project is not theirs.
    :raises Forbidden: when it is more than they have.
    """
    caller.require(project_id)
    if role != MemberRole.GUEST and not caller.roles[project_id].covers(Role(role)):
        raise Forbidden(f"you are {caller.roles[project_id]} here, and cannot give {role}")
    return Grant(MemberRole(role), _within(caller, role, scopes, before), project_id=project_id)


def may_give_everywhere(
    session: Session,
    caller: Caller,
    role: str,
    scopes: Iterable[Scope | str] | None = None,
    *,
    organization_id: UUID,
    before: str = MemberRole.GUEST,
) -> Grant:
    """The same in an organization, and so in all its projects; takes an owner of it."""
    insist_on_owner(session, caller, organization_id)
    kept = _within(caller, role, scopes, before)
    return Grant(MemberRole(role), kept, organization_id=organization_id)


def handed_on(
    *,
    role: str,
    scopes: Iterable[str] | None = None,
    organization_id: UUID | None = None,
    project_id: UUID | None = None,
) -> Grant:
    """What a row gives that was made by a grant: an invitation to who accepts it, a trust to a
    pipeline, a domain to who asks, a provider's groups to who is in them.
    """
    kept = None if scopes is None else tuple(scopes)
    return Grant(MemberRole(role), kept, organization_id, project_id)


def founding(*, organization_id: UUID | None = None, project_id: UUID | None = None) -> Grant:
    """An owner's power where nobody has any yet, and who keeps the installation on its machine."""
    return Grant(MemberRole.OWNER, None, organization_id, project_id)


def give_in_project(session: Session, grant: Grant, user_id: UUID, now: datetime.datetime) -> None:
    """Give a member of its organization a role of their own in the grant's project."""
    row = session.get(ProjectMembership, (grant.project_id, user_id))
    if row is None:
        session.add(grant.row(ProjectMembership, user_id=user_id, created_at=now))
    else:
        grant.to(row)
    session.flush()


def _within(
    caller: Caller, role: str, scopes: Iterable[Scope | str] | None, before: str
) -> tuple[str, ...] | None:
    """Scopes as they are stored, if the caller may give them with a role."""
    wanted = None if scopes is None else tuple(sorted({str(one) for one in scopes}))
    order = list(MemberRole)
    more = order.index(MemberRole(role)) > order.index(MemberRole(before))
    if caller.scopes is None or not more:
        return wanted
    if wanted is None:
        raise Forbidden("a token with scopes gives nobody all that a role may")
    if missing := held(wanted) - caller.scopes:
        raise Forbidden(f"your token has no {', '.join(sorted(missing))} to give")
    return wanted
