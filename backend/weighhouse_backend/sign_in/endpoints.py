"""Signing in by a password, who is signed in, and signing out."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from weighhouse_backend.identity import person_audit
from weighhouse_backend.identity.access import KnownCallerDep, PersonDep
from weighhouse_backend.identity.cookie_names import SESSION, session_sent
from weighhouse_backend.identity.errors import (
    ProviderRequired,
    SecondFactorNeeded,
    TooManyLogins,
    WrongPassword,
)
from weighhouse_backend.identity.schemas import (
    OrganizationRead,
    SessionCreate,
    SessionRead,
    UserRead,
)
from weighhouse_backend.identity.secrets import password_fits
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.seals import seal_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.membership.dependencies import MembershipServiceDep
from weighhouse_backend.membership.projects import ProjectService
from weighhouse_backend.sign_in.cookies import set_login_cookies, take_back
from weighhouse_backend.sign_in.factors import FactorService, wrong_code
from weighhouse_backend.sign_in.logins import Attempt, LoginService, Turns
from weighhouse_backend.sign_in.origins import origin_of
from weighhouse_backend.sign_in.provider_schemas import SignedOut

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


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
        if not LoginService(session, SystemClock()).may_use_password(attempt.user_id):
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
    caller: PersonDep, session: SessionDep, service: MembershipServiceDep
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
    request: Request, response: Response, caller: KnownCallerDep, session: SessionDep
) -> SignedOut:
    """Sign out; tells where one signs out of the provider, too, if one came by one."""
    del caller
    sealed = LoginService(session, SystemClock()).log_out(session_sent(request))
    take_back(response, request.app.state.settings, SESSION, "/")
    response.headers["Clear-Site-Data"] = '"cache"'
    return SignedOut(
        provider_url=None if sealed is None else seal_of(request.app.state.settings).open(sealed)
    )
