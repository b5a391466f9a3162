"""Signing in with an organization's provider, and setting one up."""

import datetime
import secrets
from typing import Annotated
from urllib.parse import parse_qs
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response

from weighhouse_backend.identity.access import ManagerDep
from weighhouse_backend.identity.cookie_names import SIGN_IN
from weighhouse_backend.identity.cookie_names import sent as sent_cookie
from weighhouse_backend.identity.errors import LogoutRefused, ProviderAnswerRefused
from weighhouse_backend.identity.models import SignIn
from weighhouse_backend.identity.schemas import UserRead
from weighhouse_backend.identity.secrets import new_token, token_hash
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.pages import Page
from weighhouse_backend.kit.problems import NotFound, Problem, Unavailable
from weighhouse_backend.kit.seals import seal_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in import oidc
from weighhouse_backend.sign_in.back_channel import BackChannelService, ended_in
from weighhouse_backend.sign_in.cookies import leave, set_login_cookies, take_back
from weighhouse_backend.sign_in.dependencies import ProviderServiceDep, SignInServiceDep
from weighhouse_backend.sign_in.logins import Attempt, LoginService, SignedIn
from weighhouse_backend.sign_in.origins import origin_of
from weighhouse_backend.sign_in.pipeline_claims import issuer_in
from weighhouse_backend.sign_in.provider_schemas import (
    ProviderOffer,
    ProviderRead,
    ProviderSave,
    SignInAnswer,
    SignInDone,
    SignInSent,
    SignInStart,
)
from weighhouse_backend.sign_in.provider_sign_in import LASTS, Person, SignInService, person_in
from weighhouse_backend.sign_in.providers import party_of, signed_out_uri

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")
LOGOUT_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {
                    "type": "object",
                    "required": ["logout_token"],
                    "properties": {"logout_token": {"type": "string", "minLength": 1}},
                }
            }
        },
    }
}
"""What providers send, as the standard has it; everything else here takes JSON."""


@router.get("/identity-provider", tags=["people"])
def identity_read_provider(
    caller: ManagerDep, service: ProviderServiceDep, project_id: UUID | None = None
) -> ProviderRead:
    """The provider that a project's organization signs in with; takes an owner of it."""
    return service.read(caller, project_id)


@router.put("/identity-provider", tags=["people"])
def identity_save_provider(
    body: ProviderSave,
    caller: ManagerDep,
    service: ProviderServiceDep,
    project_id: UUID | None = None,
) -> ProviderRead:
    """Set the provider up that a project's organization signs in with, or change it; takes an owner
    of the organization.
    """
    return service.save(caller, project_id, body)


@router.delete("/identity-provider", status_code=204, tags=["people"])
def identity_remove_provider(
    caller: ManagerDep, service: ProviderServiceDep, project_id: UUID | None = None
) -> None:
    """Forget the provider of a project's organization; who signed in by it is signed out. Takes an
    owner of the organization.
    """
    service.remove(caller, project_id)


@router.get("/sign-in", tags=["sessions"])
def identity_list_ways_in(
    service: SignInServiceDep, organization: str | None = None
) -> Page[ProviderOffer]:
    """Providers to sign in with: those that everybody sees, or the one of an organization that is
    named by its slug.
    """
    return Page(
        items=[
            ProviderOffer(organization=one.slug, name=provider.name)
            for one, provider in service.offered(organization)
        ]
    )


@router.post("/sign-in", tags=["sessions"])
def identity_begin_sign_in(body: SignInStart, request: Request, response: Response) -> SignInSent:
    """Begin to sign in with an organization's provider: tells where to go. The answer sets a cookie
    that binds the attempt to this browser.
    """
    state = request.app.state
    settings: Settings = state.settings
    with unit_of_work(state.session_factory) as session:
        found = SignInService(session, SystemClock()).offered(body.organization)
        if not found:
            raise NotFound("no organization with this name signs in with a provider")
        row = found[0][1]
        party, provider_id, claim = party_of(settings, row), row.id, row.groups_claim
    # Nothing of the database is held while the provider is asked.
    provider = oidc.discover(party)
    token, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    verifier += secrets.token_urlsafe(16)
    browser = new_token("b")
    with unit_of_work(state.session_factory) as session:
        SignInService(session, SystemClock()).send(
            provider_id, state=token, browser=browser, nonce=nonce,
            verifier_sealed=seal_of(settings).close(verifier), next_path=body.next,
        )  # fmt: skip
    leave(response, settings, SIGN_IN, browser, f"{router.prefix}/sign-in", LASTS)
    return SignInSent(url=oidc.way_there(provider, party, token, nonce, verifier, claim))


@router.post("/sign-in/answer", status_code=201, tags=["sessions"])
def identity_end_sign_in(body: SignInAnswer, request: Request, response: Response) -> SignInDone:
    """Sign in with what the provider sent the browser back with; once. The answer sets a cookie
    that scripts cannot read.
    """
    state = request.app.state
    settings: Settings = state.settings
    browser = sent_cookie(request, SIGN_IN) or ""
    # It counts as refused until it is known to be right; of nobody yet, so for the address alone.
    with unit_of_work(state.session_factory) as session:
        attempt = LoginService(session, SystemClock()).begin(
            f"provider {token_hash(body.state)[:16]}", origin_of(request)
        )
    with unit_of_work(state.session_factory) as session:
        service = SignInService(session, SystemClock())
        sent = service.take(body.state, browser)
        session.expunge_all()
    take_back(response, settings, SIGN_IN, f"{router.prefix}/sign-in")
    done = _answered(request, settings, body, sent, attempt)
    set_login_cookies(response, settings, done)
    user = done.user
    return SignInDone(user=UserRead(id=user.id, email=user.email, name=user.name), next=sent.next)


async def _body(request: Request) -> bytes:
    return await request.body()


@router.post(
    "/sign-in/{organization}/signed-out", status_code=204, tags=["sessions"],
    openapi_extra=LOGOUT_FORM,
)  # fmt: skip
def identity_end_by_provider(
    organization: str, request: Request, body: Annotated[bytes, Depends(_body)]
) -> None:
    """An organization's provider says that somebody signed out there, by a signed `logout_token`
    (OpenID Connect Back-Channel Logout): their logins by it end here, too.
    """
    state, clock = request.app.state, SystemClock()
    with unit_of_work(state.session_factory) as session:
        found = SignInService(session, clock).offered(organization)
        if not found:
            raise NotFound("no organization with this name signs in with a provider")
        row = found[0][1]
        party, provider_id = party_of(state.settings, row), row.id
    token = _logout_token(body)
    if issuer_in(token) != party.issuer:  # before anybody is asked for keys
        raise LogoutRefused("it is not of the organization's provider")
    keys = oidc.keys_of(party.issuer, party.reach)
    ended = ended_in(token, keys, party, datetime.datetime.now(datetime.UTC).timestamp())
    with unit_of_work(state.session_factory) as session:
        provider = SignInService(session, clock).provider(provider_id)
        BackChannelService(session, clock).end(provider, ended)


def _logout_token(body: bytes) -> str:
    try:
        return parse_qs(body.decode("ascii"), max_num_fields=10)["logout_token"][0]
    except (ValueError, KeyError) as error:
        raise LogoutRefused("send a form with `logout_token`") from error


def _answered(
    request: Request, settings: Settings, body: SignInAnswer, sent: SignIn, attempt: Attempt
) -> SignedIn:
    sessions, clock = request.app.state.session_factory, SystemClock()
    with unit_of_work(sessions) as session:
        row = SignInService(session, clock).provider(sent.provider_id)
        party, claim = party_of(settings, row), row.groups_claim
    try:
        provider, person, id_token = _person(settings, party, claim, body, sent)
    except Unavailable:
        with unit_of_work(sessions) as session:
            LoginService(session, clock).withdraw(attempt)
        raise
    except Problem as problem:
        _note_refusal(request, sent.provider_id, "somebody", problem)
        raise
    url = oidc.way_out(provider, party, id_token, signed_out_uri(settings))
    with unit_of_work(sessions) as session:
        service = SignInService(session, clock)
        row = service.provider(sent.provider_id)
        found = service.let_in(row, person)
        if not isinstance(found, Problem):
            service.entered(row, found, attempt.origin.address)
            return LoginService(session, clock).succeed(
                attempt, found.id, settings.session_hours, row.id,
                None if url is None else seal_of(settings).close(url),
            )  # fmt: skip
    _note_refusal(request, sent.provider_id, person.email or person.subject, found)
    raise found


def _person(
    settings: Settings, party: oidc.Party, claim: str, body: SignInAnswer, sent: SignIn
) -> tuple[oidc.Provider, Person, str]:
    """Whom the provider's answer is about."""
    if body.error is not None or body.code is None:
        if body.error == "access_denied":
            raise ProviderAnswerRefused("it says that you did not agree, or may not sign in here")
        raise ProviderAnswerRefused(f"it answers {body.error!r:.100}")
    provider = oidc.discover(party)
    if body.iss != party.issuer and (body.iss is not None or provider.says_issuer):
        raise ProviderAnswerRefused("the answer is another provider's")
    claims, id_token = oidc.claims_of(
        provider, party, body.code, seal_of(settings).open(sent.verifier_sealed), sent.nonce,
        datetime.datetime.now(datetime.UTC).timestamp(),
    )  # fmt: skip
    return provider, person_in(claims, claim), id_token


def _note_refusal(request: Request, provider_id: UUID, who: str, problem: Problem) -> None:
    with unit_of_work(request.app.state.session_factory) as session:
        service = SignInService(session, SystemClock())
        service.refused(service.provider(provider_id), who, problem)
