"""Signing in by a passkey, and one's own passkeys."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from weighhouse_backend.identity import person_audit
from weighhouse_backend.identity.access import PersonDep
from weighhouse_backend.identity.cookie_names import session_sent
from weighhouse_backend.identity.errors import ProviderRequired
from weighhouse_backend.identity.schemas import UserRead
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.sign_in.cookies import set_login_cookies
from weighhouse_backend.sign_in.dependencies import PasskeyServiceDep, PasswordServiceDep
from weighhouse_backend.sign_in.factor_endpoints import proving
from weighhouse_backend.sign_in.factor_schemas import (
    FactorProof,
    PasskeyAdd,
    PasskeyLogin,
    PasskeyMade,
    PasskeyQuestion,
)
from weighhouse_backend.sign_in.logins import LoginService
from weighhouse_backend.sign_in.origins import origin_of

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


@router.post("/sessions/passkey-question", tags=["sessions"])
def identity_ask_for_passkey(service: PasskeyServiceDep) -> PasskeyQuestion:
    """What a browser is asked to show a passkey: to sign in by it, or to prove that it is its
    holder who changes second factors. It may be answered once, within five minutes.
    """
    return PasskeyQuestion(public_key=service.ask())


@router.post("/sessions/by-passkey", status_code=201, tags=["sessions"])
def identity_log_in_by_passkey(
    body: PasskeyLogin, request: Request, response: Response, session: SessionDep,
    service: PasskeyServiceDep,
) -> UserRead:  # fmt: skip
    """Sign in by a passkey, without address, password and code. The answer sets a cookie that
    scripts cannot read.
    """
    clock, settings = SystemClock(), request.app.state.settings
    user = service.holder(body.answer)
    if not LoginService(session, clock).may_use_password(user.id):
        raise ProviderRequired("choose it on the page to sign in")
    logins = LoginService(session, clock)
    attempt = logins.certain(user, origin_of(request))
    made = logins.succeed(attempt, user.id, settings.session_hours)
    person_audit.record(session, clock, user, "login.by_passkey")
    set_login_cookies(response, settings, made)
    return UserRead(id=user.id, email=user.email, name=user.name)


@router.post("/second-factor/passkey-question", tags=["sessions"])
def identity_begin_passkey(
    body: FactorProof, caller: PersonDep, request: Request, service: PasskeyServiceDep,
    people: PasswordServiceDep,
) -> PasskeyQuestion:  # fmt: skip
    """What a browser is asked to make a passkey for the caller, who proves that it is they: by
    their password, and a code where there is a second factor; or by another passkey.
    """
    with proving(request, people, caller, body):
        return PasskeyQuestion(public_key=service.begin(caller, body))


@router.post("/second-factor/passkeys", status_code=201, tags=["sessions"])
def identity_add_passkey(
    body: PasskeyAdd, caller: PersonDep, request: Request, service: PasskeyServiceDep
) -> PasskeyMade:
    """Have a passkey that a browser made sign one in. With the first second factor come recovery
    codes, shown this once, and other browsers are signed out.
    """
    keep = token_hash(session_sent(request))
    return service.add(caller, body.name, body.answer, keep)


@router.post("/second-factor/passkeys/{passkey_id}/removal", status_code=204, tags=["sessions"])
def identity_remove_passkey(
    passkey_id: UUID, body: FactorProof, caller: PersonDep, request: Request,
    service: PasskeyServiceDep, people: PasswordServiceDep,
) -> None:  # fmt: skip
    """Have a passkey sign nobody in any more, by password and a code, or by a passkey."""
    with proving(request, people, caller, body):
        service.remove(caller, passkey_id, body)
