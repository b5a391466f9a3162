"""Who calls, and what they may do: a person with a cookie, or a pipeline with a token."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.problems import (
    FieldProblem,
    Forbidden,
    Invalid,
    NotAuthenticated,
    NotFound,
)
from weighhouse_backend.kit.rates import recognized
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.tenancy import confine

COOKIE = "weighhouse_session"
CSRF_HEADER = "X-Weighhouse"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who was recognized."""

    kind: Literal["user", "token"]
    id: UUID
    """Of the user or the API token."""
    name: str
    """As it stands beside what they do."""
    roles: Mapping[UUID, Role]
    """Project → role."""

    @property
    def project_ids(self) -> frozenset[UUID]:
        """The projects they see."""
        return frozenset(self.roles)

    def require(self, project_id: UUID, role: Role | str = Role.VIEWER) -> None:
        """Check a role in a project.

        :raises NotFound: when the project is not theirs; it might as well not exist.
        :raises Forbidden: when their role there is too low.
        """
        wanted = Role(role)
        have = self.roles.get(project_id)
        if have is None:
            raise NotFound
        if not have.covers(wanted):
            raise Forbidden(f"you are {have} in this project; this takes {wanted}")

    def project_or_only(self, project_id: UUID | None) -> UUID:
        """The project that is meant: the given one, or the only one they have.

        :raises Invalid: when they have several and named none.
        :raises NotFound: when it is not theirs.
        """
        if project_id is not None:
            self.require(project_id)
            return project_id
        if len(self.roles) == 1:
            return next(iter(self.roles))
        raise Invalid(
            "which project? give project_id",
            errors=[
                FieldProblem(path="project_id", message="is missing", expected="a project's id")
            ],
        )


def _recognized(request: Request, session: Session) -> Caller:
    repository = IdentityRepository(session)
    settings: Settings = request.app.state.settings
    now = SystemClock().now()
    authorization = request.headers.get("Authorization", "")
    if authorization:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise NotAuthenticated("the Authorization header is not `Bearer TOKEN`")
        found = repository.use_token(token_hash(token.strip()), now)
        if found is None:
            raise NotAuthenticated("this token is unknown, expired or revoked")
        return Caller("token", found.id, found.name, {found.project_id: Role(found.role)})
    cookie = request.cookies.get(COOKIE)
    if cookie is None:
        raise NotAuthenticated
    user = repository.use_session(token_hash(cookie), now, settings.session_hours)
    if user is None:
        raise NotAuthenticated("this login has ended; sign in again")
    if request.method not in SAFE and CSRF_HEADER not in request.headers:
        raise Forbidden(f"a change with a cookie needs the header `{CSRF_HEADER}: 1`")
    return Caller("user", user.id, user.name, repository.roles_of(user.id))


def _caller(request: Request, session: SessionDep) -> Caller:
    caller = _recognized(request, session)
    recognized(request, f"{caller.kind}:{caller.id}")
    confine(session, caller.project_ids)
    return caller


CallerDep = Annotated[Caller, Depends(_caller)]
"""Whoever calls; nobody is refused with 401. The transaction sees their projects alone."""
