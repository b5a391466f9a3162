"""Logins, projects, members, API tokens."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response

from weighhouse_backend.identity.access import COOKIE, CallerDep
from weighhouse_backend.identity.dependencies import IdentityServiceDep
from weighhouse_backend.identity.errors import TooManyLogins, WrongPassword
from weighhouse_backend.identity.logins import DEVICE_KNOWN_FOR, LoginService, Origin, Turns
from weighhouse_backend.identity.schemas import (
    ApiTokenCreate,
    ApiTokenMade,
    ApiTokenRead,
    AuditEntryRead,
    MemberCreate,
    MemberRead,
    MemberUpdate,
    OrganizationRead,
    ProjectCreate,
    ProjectRead,
    SessionCreate,
    SessionRead,
    UserRead,
)
from weighhouse_backend.identity.secrets import password_fits
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.pages import Page, PageQuery
from weighhouse_backend.kit.problems import Forbidden
from weighhouse_backend.kit.rates import client_address
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work

router = APIRouter(prefix="/api/v1")
PageDep = Annotated[PageQuery, Depends()]
DEVICE_COOKIE = "weighhouse_device"
"""Tells at the next login that this browser is one that its person signed in from."""


@router.post("/sessions", status_code=201, tags=["sessions"])
def identity_log_in(body: SessionCreate, request: Request, response: Response) -> UserRead:
    """Sign in; the answer sets a cookie that scripts cannot read."""
    state = request.app.state
    settings: Settings = state.settings
    turns: Turns = state.login_turns
    origin = Origin(client_address(request.scope), request.cookies.get(DEVICE_COOKIE))
    # Transactions of its own: a refused login has to be remembered, and none waits for the hashing.
    with unit_of_work(state.session_factory) as session:
        attempt = LoginService(session, SystemClock()).begin(body.email, origin)
    with turns.one(known=attempt.device_id is not None) as granted:
        right = granted and password_fits(attempt.password_hash, body.password)
    if not granted:
        with unit_of_work(state.session_factory) as session:
            LoginService(session, SystemClock()).withdraw(attempt)
        raise TooManyLogins("too many sign in at once; try again", headers={"Retry-After": "1"})
    if not right or attempt.user_id is None:
        raise WrongPassword
    with unit_of_work(state.session_factory) as session:
        made = LoginService(session, SystemClock()).succeed(
            attempt, attempt.user_id, settings.session_hours
        )
    response.set_cookie(
        COOKIE, made.session_token, httponly=True, samesite="strict",
        secure=settings.cookie_secure, path="/", max_age=int(settings.session_hours * 3600),
    )  # fmt: skip
    response.set_cookie(
        DEVICE_COOKIE, made.device_token, httponly=True, samesite="strict",
        secure=settings.cookie_secure, path=f"{router.prefix}/sessions",
        max_age=int(DEVICE_KNOWN_FOR.total_seconds()),
    )  # fmt: skip
    user = made.user
    return UserRead(id=user.id, email=user.email, name=user.name)


@router.get("/sessions/current", tags=["sessions"])
def identity_who_am_i(caller: CallerDep, service: IdentityServiceDep) -> SessionRead:
    """Who is signed in, and what they see."""
    if caller.kind != "user":
        raise Forbidden("an API token is nobody in particular")
    user = service.user(caller.id)
    return SessionRead(
        user=UserRead(id=user.id, email=user.email, name=user.name),
        organizations=[
            OrganizationRead(id=one.id, slug=one.slug, name=one.name)
            for one in service.organizations(caller)
        ],
        projects=service.projects(caller),
    )


@router.delete("/sessions/current", status_code=204, tags=["sessions"])
def identity_log_out(
    request: Request, response: Response, caller: CallerDep, service: IdentityServiceDep
) -> None:
    """Sign out."""
    del caller
    service.log_out(request.cookies.get(COOKIE, ""))
    response.delete_cookie(COOKIE, path="/")


@router.get("/projects", tags=["projects"])
def identity_list_projects(caller: CallerDep, service: IdentityServiceDep) -> Page[ProjectRead]:
    """The caller's projects, with their role in each."""
    return Page(items=service.projects(caller))


@router.post("/projects", status_code=201, tags=["projects"])
def identity_make_project(
    body: ProjectCreate, caller: CallerDep, service: IdentityServiceDep
) -> ProjectRead:
    """Make a project; takes a person who owns the organization."""
    return service.make_project(caller, body)


@router.get("/members", tags=["projects"])
def identity_list_members(
    caller: CallerDep, service: IdentityServiceDep, project_id: UUID | None = None
) -> Page[MemberRead]:
    """People who see a project."""
    return Page(
        items=[
            MemberRead(id=user.id, email=user.email, name=user.name, role=role)
            for user, role in service.members(caller, project_id)
        ]
    )


@router.post("/members", status_code=201, tags=["projects"])
def identity_add_member(
    body: MemberCreate,
    caller: CallerDep,
    service: IdentityServiceDep,
    project_id: UUID | None = None,
) -> MemberRead:
    """Give a person access to a project's organization; takes an owner."""
    user = service.add_member(caller, project_id, body)
    return MemberRead(id=user.id, email=user.email, name=user.name, role=body.role)


@router.put("/members/{user_id}", tags=["projects"])
def identity_change_member(
    user_id: UUID,
    body: MemberUpdate,
    caller: CallerDep,
    service: IdentityServiceDep,
    project_id: UUID | None = None,
) -> MemberRead:
    """Give a person another role; takes an owner."""
    user = service.change_member(caller, project_id, user_id, body.role)
    return MemberRead(id=user.id, email=user.email, name=user.name, role=body.role)


@router.delete("/members/{user_id}", status_code=204, tags=["projects"])
def identity_remove_member(
    user_id: UUID,
    caller: CallerDep,
    service: IdentityServiceDep,
    project_id: UUID | None = None,
) -> None:
    """Take a person's access; takes an owner."""
    service.remove_member(caller, project_id, user_id)


@router.get("/api-tokens", tags=["tokens"])
def identity_list_tokens(
    caller: CallerDep,
    service: IdentityServiceDep,
    page: PageDep,
    project_id: UUID | None = None,
) -> Page[ApiTokenRead]:
    """The API tokens of a project; takes a maintainer."""
    found = service.tokens(caller, project_id, page)
    return Page(
        items=[ApiTokenRead.model_validate(row) for row in found.items],
        next_cursor=found.next_cursor,
    )


@router.post("/api-tokens", status_code=201, tags=["tokens"])
def identity_make_token(
    body: ApiTokenCreate, caller: CallerDep, service: IdentityServiceDep
) -> ApiTokenMade:
    """Make an API token; it is shown this once."""
    row, token = service.make_token(caller, body)
    return ApiTokenMade(**ApiTokenRead.model_validate(row).model_dump(), token=token)


@router.delete("/api-tokens/{token_id}", status_code=204, tags=["tokens"])
def identity_revoke_token(token_id: UUID, caller: CallerDep, service: IdentityServiceDep) -> None:
    """Make a token worthless at once."""
    service.revoke_token(caller, token_id)


@router.get("/audit-entries", tags=["projects"])
def identity_list_audit_entries(
    caller: CallerDep,
    service: IdentityServiceDep,
    page: PageDep,
    project_id: UUID | None = None,
) -> Page[AuditEntryRead]:
    """Who did what to what; takes a maintainer."""
    found = service.audit_entries(caller, project_id, page)
    return Page(
        items=[AuditEntryRead.model_validate(row) for row in found.items],
        next_cursor=found.next_cursor,
    )
