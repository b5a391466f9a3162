"""Logins, organizations, members, API tokens."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response

from weighhouse_backend.identity import person_audit
from weighhouse_backend.identity.access import KnownCallerDep, ManagerDep, PersonDep
from weighhouse_backend.identity.cookie_names import SESSION, session_sent
from weighhouse_backend.identity.cookies import set_login_cookies, take_back
from weighhouse_backend.identity.dependencies import IdentityServiceDep, TokenServiceDep
from weighhouse_backend.identity.errors import (
    ProviderRequired,
    SecondFactorNeeded,
    TooManyLogins,
    WrongPassword,
)
from weighhouse_backend.identity.factor_policy import FactorPolicyService
from weighhouse_backend.identity.factors import FactorService, wrong_code
from weighhouse_backend.identity.logins import Attempt, LoginService, Turns
from weighhouse_backend.identity.origins import origin_of
from weighhouse_backend.identity.project_endpoints import router as projects
from weighhouse_backend.identity.projects import ProjectService
from weighhouse_backend.identity.provider_schemas import SignedOut
from weighhouse_backend.identity.roles import MemberRole, Role
from weighhouse_backend.identity.schemas import (
    ApiTokenCreate,
    ApiTokenMade,
    ApiTokenRead,
    ApiTokenRotate,
    MemberRead,
    MemberUpdate,
    OrganizationCreate,
    OrganizationRead,
    ProjectRead,
    ProjectRoleUpdate,
    SessionCreate,
    SessionRead,
    UserRead,
)
from weighhouse_backend.identity.secrets import password_fits
from weighhouse_backend.identity.service import IdentityService
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.pages import Page, PageQuery
from weighhouse_backend.kit.sealing import seal_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")
router.include_router(projects)
PageDep = Annotated[PageQuery, Depends()]


@router.post("/sessions", status_code=201, tags=["sessions"])
def identity_log_in(body: SessionCreate, request: Request, response: Response) -> UserRead:
    """Sign in; the answer sets a cookie that scripts cannot read. Who has a second factor is
    answered with the problem `second-factor-needed` when the password fits and there is no `code`:
    ask for it and send all three.
    """
    state = request.app.state
    settings: Settings = state.settings
    turns: Turns = state.login_turns
    origin = origin_of(request)
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
    _insist_on_factor(request, attempt, attempt.user_id, body.code)
    with unit_of_work(state.session_factory) as session:
        if not IdentityService(session, SystemClock()).may_use_password(attempt.user_id):
            raise ProviderRequired("choose it on the page to sign in")
        made = LoginService(session, SystemClock()).succeed(
            attempt, attempt.user_id, settings.session_hours
        )
        person_audit.record(session, SystemClock(), made.user, "login.by_password")
    set_login_cookies(response, settings, made)
    user = made.user
    return UserRead(id=user.id, email=user.email, name=user.name)


def _insist_on_factor(request: Request, attempt: Attempt, user_id: UUID, code: str | None) -> None:
    """A wrong code stays counted as a refused login; a missing one is no guess."""
    state = request.app.state
    with unit_of_work(state.session_factory) as session:
        factors = FactorService(session, SystemClock(), state.settings)
        if not factors.asked_of(user_id):
            return
        if not code:
            LoginService(session, SystemClock()).withdraw(attempt)
        right = bool(code) and factors.takes(
            user_id, code or "", own_device=attempt.device_id is not None
        )
        by_code = factors.has_authenticator(user_id)
    if not code and by_code:
        raise SecondFactorNeeded("send the code of the authenticator, or a recovery code")
    if not code:
        raise SecondFactorNeeded("sign in by your passkey instead, or send a recovery code")
    if not right:
        raise wrong_code()


@router.get("/sessions/current", tags=["sessions"])
def identity_who_am_i(
    caller: PersonDep, session: SessionDep, service: IdentityServiceDep
) -> SessionRead:
    """Who is signed in, and what they see."""
    user = service.signed_in(caller)
    return SessionRead(
        user=UserRead(id=user.id, email=user.email, name=user.name),
        organizations=[
            OrganizationRead(id=one.id, slug=one.slug, name=one.name)
            for one in service.organizations(caller)
        ],
        projects=ProjectService(session, SystemClock()).listed(caller),
        factor_required_by=sorted(set(caller.barred.values())),
    )


@router.delete("/sessions/current", tags=["sessions"])
def identity_log_out(
    request: Request, response: Response, caller: KnownCallerDep, service: IdentityServiceDep
) -> SignedOut:
    """Sign out; tells where one signs out of the provider, too, if one came by one."""
    del caller
    sealed = service.log_out(session_sent(request))
    take_back(response, request.app.state.settings, SESSION, "/")
    response.headers["Clear-Site-Data"] = '"cache"'
    return SignedOut(
        provider_url=None if sealed is None else seal_of(request.app.state.settings).open(sealed)
    )


@router.post("/organizations", status_code=201, tags=["projects"])
def identity_make_organization(
    body: OrganizationCreate, caller: PersonDep, service: IdentityServiceDep
) -> ProjectRead:
    """Make an organization of one's own; answers with its first project. Takes a person who owns an
    organization on this installation.
    """
    return service.make_organization(caller, body)


@router.get("/members", tags=["people"])
def identity_list_members(
    caller: ManagerDep, session: SessionDep, service: IdentityServiceDep,
    project_id: UUID | None = None,
) -> Page[MemberRead]:  # fmt: skip
    """People of a project's organization."""
    holders = FactorPolicyService(session, SystemClock()).holders(caller, project_id)
    return Page(
        items=[
            MemberRead(
                id=user.id, email=user.email, name=user.name, role=MemberRole(role),
                project_role=None if own is None else Role(own),
                second_factor=None if holders is None else user.id in holders,
            )
            for user, role, own in service.members(caller, project_id)
        ]
    )  # fmt: skip


@router.put("/members/{user_id}", tags=["people"])
def identity_change_member(
    user_id: UUID,
    body: MemberUpdate,
    caller: ManagerDep,
    service: IdentityServiceDep,
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
    service: IdentityServiceDep,
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
    service: IdentityServiceDep,
) -> None:
    """Give a member of the organization a role of their own in a project; takes an owner of it."""
    service.set_project_role(caller, project_id, user_id, body.role)


@router.delete("/projects/{project_id}/members/{user_id}", status_code=204, tags=["people"])
def identity_end_project_role(
    project_id: UUID, user_id: UUID, caller: ManagerDep, service: IdentityServiceDep
) -> None:
    """Take a member's own role in a project; the one in the organization stays."""
    service.end_project_role(caller, project_id, user_id)


@router.get("/api-tokens", tags=["tokens"])
def identity_list_tokens(
    caller: ManagerDep,
    tokens: TokenServiceDep,
    page: PageDep,
    project_id: UUID | None = None,
) -> Page[ApiTokenRead]:
    """The API tokens of a project: to a maintainer all, to others their own."""
    found = tokens.list(caller, project_id, page)
    return found.of(ApiTokenRead.model_validate(row) for row in found.items)


@router.post("/api-tokens", status_code=201, tags=["tokens"])
def identity_make_token(
    body: ApiTokenCreate, caller: ManagerDep, tokens: TokenServiceDep
) -> ApiTokenMade:
    """Make an API token; it is shown this once."""
    row, token = tokens.make(caller, body)
    return ApiTokenMade(**ApiTokenRead.model_validate(row).model_dump(), token=token)


@router.post("/api-tokens/{token_id}/rotate", status_code=201, tags=["tokens"])
def identity_rotate_token(
    token_id: UUID, body: ApiTokenRotate, caller: ManagerDep, tokens: TokenServiceDep
) -> ApiTokenMade:
    """Make a token in the place of one, which holds a while longer; it is shown this once."""
    row, token = tokens.rotate(caller, token_id, body.overlap_hours)
    return ApiTokenMade(**ApiTokenRead.model_validate(row).model_dump(), token=token)


@router.delete("/api-tokens/{token_id}", status_code=204, tags=["tokens"])
def identity_revoke_token(token_id: UUID, caller: ManagerDep, tokens: TokenServiceDep) -> None:
    """Make a token worthless at once."""
    tokens.revoke(caller, token_id)
