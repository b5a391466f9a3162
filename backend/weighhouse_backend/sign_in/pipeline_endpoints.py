"""Trusted pipelines, and the exchange of a CI service's token for one of ours."""

from typing import Any
from uuid import UUID

import structlog
from fastapi import APIRouter, Request

from weighhouse_backend.identity.access import ManagerDep
from weighhouse_backend.identity.errors import PipelineRefused, ProviderAway
from weighhouse_backend.identity.models import PipelineTrust
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.pages import Page
from weighhouse_backend.kit.problems import Problem, Unavailable
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in import oidc
from weighhouse_backend.sign_in.dependencies import TrustServiceDep
from weighhouse_backend.sign_in.logins import Attempt, LoginService
from weighhouse_backend.sign_in.origins import origin_of
from weighhouse_backend.sign_in.pipeline_claims import NotTheirWord, claims_in, issuer_in
from weighhouse_backend.sign_in.pipeline_schemas import (
    PipelineTokenExchange,
    PipelineTokenMade,
    TrustCreate,
    TrustRead,
)
from weighhouse_backend.sign_in.pipelines import ExchangeService
from weighhouse_backend.sign_in.providers import reach_of

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")
log = structlog.get_logger(__name__)


@router.get("/pipeline-trusts", tags=["tokens"])
def identity_list_trusts(
    caller: ManagerDep, service: TrustServiceDep, project_id: UUID | None = None
) -> Page[TrustRead]:
    """The pipelines that a project trusts; takes a maintainer."""
    rows = service.list(caller, project_id)
    return Page(items=[TrustRead.model_validate(row) for row in rows])


@router.post("/pipeline-trusts", status_code=201, tags=["tokens"])
def identity_make_trust(
    body: TrustCreate, caller: ManagerDep, service: TrustServiceDep
) -> TrustRead:
    """Trust pipelines of a CI service: what it says of a job is exchanged for a token that soon
    ends. Takes a maintainer.
    """
    return TrustRead.model_validate(service.make(caller, body))


@router.delete("/pipeline-trusts/{trust_id}", status_code=204, tags=["tokens"])
def identity_remove_trust(trust_id: UUID, caller: ManagerDep, service: TrustServiceDep) -> None:
    """End a trust and, at once, all tokens that were given by it; takes a maintainer."""
    service.remove(caller, trust_id)


@router.post("/pipeline-tokens", status_code=201, tags=["sessions"])
def identity_exchange_pipeline_token(
    body: PipelineTokenExchange, request: Request
) -> PipelineTokenMade:
    """Exchange the OpenID Connect token of a CI job for an API token, by a trust; once. Each
    refusal counts for the address it came from, as a refused login does.
    """
    sessions, clock = request.app.state.session_factory, SystemClock()
    origin, digest = origin_of(request), token_hash(body.token)
    with unit_of_work(sessions) as session:
        attempt = LoginService(session, clock).begin(f"pipeline {digest[:16]}", origin)
    with unit_of_work(sessions) as session:
        trust = ExchangeService(session, clock).trust(body.trust_id)
        session.expunge_all()
    # Nothing of the database is held while the issuer is asked; no issuer but the trust's is.
    if trust is None or issuer_in(body.token) != trust.issuer:
        raise PipelineRefused("there is no such trust, or the token is not of its issuer")
    claims = _claims(request, attempt, trust, body.token)
    with unit_of_work(sessions) as session:
        came_to = ExchangeService(session, clock).admit(
            trust.id, claims, digest, attempt.origin.address
        )
        if not isinstance(came_to, Problem):
            LoginService(session, clock).withdraw(attempt)
    if isinstance(came_to, Problem):
        raise came_to
    row, token = came_to
    return PipelineTokenMade(
        token=token, expires_at=row.expires_at, project_id=row.project_id, role=Role(row.role),
        scopes=row.scopes,
    )  # fmt: skip


def _claims(request: Request, attempt: Attempt, trust: PipelineTrust, token: str) -> dict[str, Any]:
    state, now = request.app.state, SystemClock().now().timestamp()
    try:
        keys = oidc.keys_of(trust.issuer, reach_of(state.settings))
        return claims_in(token, keys, trust.issuer, trust.audience, now)
    except NotTheirWord as error:
        raise PipelineRefused(f"{error}") from error
    except Unavailable as error:
        with unit_of_work(state.session_factory) as session:
            LoginService(session, SystemClock()).withdraw(attempt)
        log.warning("pipeline_issuer_away", issuer=trust.issuer, because=error.detail)
        raise ProviderAway("the CI service's issuer does not answer as one; try again") from error
