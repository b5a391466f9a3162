"""Who calls, and what they may do: a person with a cookie, or a pipeline with a token."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from weighhouse_backend.identity.cookie_names import session_sent
from weighhouse_backend.identity.errors import FactorRequired, ScopeMissing
from weighhouse_backend.identity.models import ApiToken
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.scopes import TAKES, Scope, held
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
from weighhouse_backend.kit.rates import client_address, has_tenant, of_tenant, recognized
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.tenancy import confine, confine_to_people
from weighhouse_backend.kit.whence import whence

CSRF_HEADER = "X-Weighhouse"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
MADE = "under Settings → API tokens or by `weighhouse token create`"
"""Where tokens come from."""


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
    scopes: frozenset[Scope] | None = None
    """What a token was made for; None: all that the role may."""
    person_id: UUID | None = None
    """Whose cookie or personal token it is; None: a project's token."""
    provider_id: UUID | None = None
    """The provider that vouched for them; None: a password, or a token."""
    barred: Mapping[UUID, str] = field(default_factory=dict)
    """Projects where their role rests until they have a second factor, and whose they are."""

    @property
    def project_ids(self) -> frozenset[UUID]:
        """The projects they see."""
        return frozenset(self.roles)

    def require(self, project_id: UUID, role: Role | str = Role.VIEWER) -> None:
        """Check a role in a project.

        :raises NotFound: when the project is not theirs; it might as well not exist.
        :raises Forbidden: when their role there is too low.
        :raises FactorRequired: when it rests.
        """
        wanted = Role(role)
        have = self.roles.get(project_id)
        if have is None and project_id in self.barred:
            raise factor_required(self.barred[project_id])
        if have is None:
            raise NotFound
        if not have.covers(wanted):
            if self.kind == "token":
                mend = f"make one with that role {MADE}"
                raise Forbidden(
                    f"this token is {have} in this project; this takes {wanted}: {mend}"
                )
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


def factor_required(organization: str) -> FactorRequired:
    """With what to do."""
    return FactorRequired(
        f"{organization} requires a second factor: set it up under Settings, Your account"
    )


def recognize(request: Request, session: Session) -> Caller:
    """Who calls, as the database knows it now.

    :param session: not confined.
    :raises NotAuthenticated: when it is nobody, or not any more.
    """
    repository = IdentityRepository(session)
    settings: Settings = request.app.state.settings
    now = SystemClock().now()
    authorization = request.headers.get("Authorization", "")
    if authorization:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise NotAuthenticated("the Authorization header is not `Bearer TOKEN`")
        address = client_address(request.scope)
        found = repository.use_token(token_hash(token.strip()), now, address)
        if found is None:
            raise NotAuthenticated(f"this token is unknown, expired or revoked: make one {MADE}")
        return _of_token(repository, found)
    cookie = session_sent(request)
    if not cookie:
        raise NotAuthenticated
    known = repository.use_session(token_hash(cookie), now, settings.session_hours)
    if known is None:
        raise NotAuthenticated("this login has ended; sign in again")
    user, login = known
    if request.method not in SAFE and CSRF_HEADER not in request.headers:
        raise Forbidden(f"a change with a cookie needs the header `{CSRF_HEADER}: 1`")
    standing = repository.standing_of(user.id, login)
    if not standing.roles and not repository.belongs_somewhere(user.id, login):
        raise NotAuthenticated("this login opens no organization here any more")
    return Caller(
        "user", user.id, user.name, standing.roles, person_id=user.id,
        provider_id=login.provider_id, barred=standing.barred,
    )  # fmt: skip


def belongs(session: Session, cookie: str, organization_id: UUID, hours: float) -> bool:
    """Whether a login is of somebody who belongs to an organization, whatever their role there, and
    opens it.

    :param session: not confined.
    :param cookie: as the browser sent it; empty: nobody's.
    :param hours: how long a login lasts without use.
    """
    repository = IdentityRepository(session)
    known = repository.use_session(token_hash(cookie), SystemClock().now(), hours)
    return known is not None and repository.is_let_in(organization_id, known[0].id, known[1])


def _of_token(repository: IdentityRepository, token: ApiToken) -> Caller:
    """:raises NotAuthenticated: when it is a person's who has no access any more.
    :raises FactorRequired: when it is a person's whose role rests.
    """
    role = Role(token.role)
    if token.owner_id is not None:
        standing = repository.standing_of(token.owner_id)
        if token.project_id in standing.barred:
            raise factor_required(standing.barred[token.project_id])
        owners = standing.roles.get(token.project_id)
        if owners is None:
            raise NotAuthenticated("the owner of this token has no access any more")
        role = role if owners.covers(role) else owners
    scopes = None if token.scopes is None else held(token.scopes)
    roles = {token.project_id: role}
    return Caller("token", token.id, token.name, roles, scopes, token.owner_id)


def _insist_on_scope(request: Request, caller: Caller) -> None:
    """:raises Forbidden: when no token may, among them operations that nobody gave a scope.
    :raises ScopeMissing: when a token was not made for this operation.
    """
    if caller.kind != "token":
        return
    wanted = TAKES.get(request.scope["route"].name)
    if wanted is None:
        raise Forbidden("no API token may do this; sign in")
    if caller.scopes is not None and wanted not in caller.scopes:
        had = ", ".join(sorted(caller.scopes)) or "none"
        mend = f"make one with that scope {MADE}"
        raise ScopeMissing(f"this token has the scopes {had}; this takes {wanted}: {mend}")


def _known(request: Request, session: SessionDep) -> Caller:
    caller = recognize(request, session)
    recognized(request, f"{caller.kind}:{caller.id}")
    if not has_tenant(request):
        of_tenant(request, _tenant(caller, session))
    asks = whence()
    asks.person_id, asks.token_id = caller.person_id, caller.id if caller.kind == "token" else None
    _insist_on_scope(request, caller)
    return caller


def _tenant(caller: Caller, session: Session) -> Hashable:
    """The organization of a caller; of several the oldest."""
    repository = IdentityRepository(session)
    found = repository.organizations_of({*caller.roles, *caller.barred})
    return min(found, default=f"{caller.kind}:{caller.id}")


KnownCallerDep = Annotated[Caller, Depends(_known)]
"""Whoever calls, in a transaction that is not confined: for logins alone."""


def _insist_on_factor(caller: Caller) -> None:
    """:raises FactorRequired: when all that they may do rests; what of it is asked for is not told
    from what does not exist.
    """
    if caller.barred and not caller.roles:
        raise factor_required(", ".join(sorted(set(caller.barred.values()))))


def _caller(caller: KnownCallerDep, session: SessionDep) -> Caller:
    _insist_on_factor(caller)
    confine(session, caller.roles)
    return caller


CallerDep = Annotated[Caller, Depends(_caller)]
"""Whoever calls; nobody is refused with 401. The transaction sees their projects alone."""


def _person(caller: KnownCallerDep) -> Caller:
    if caller.kind != "user":
        raise Forbidden("an API token has no account; sign in")
    return caller


PersonDep = Annotated[Caller, Depends(_person)]
"""A person at their own account, which belongs to no project: what is theirs by `Caller.id`. The
transaction is not confined.
"""


def _manager(caller: KnownCallerDep, session: SessionDep) -> Caller:
    _insist_on_factor(caller)
    confine_to_people(session, caller.roles)
    return caller


ManagerDep = Annotated[Caller, Depends(_manager)]
"""Whoever calls about people, tokens and audit of their projects; the transaction sees these."""
