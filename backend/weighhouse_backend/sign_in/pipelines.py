"""Trusted pipelines: whose word lets them in, and the tokens that they are given for it."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.errors import PipelineRefused
from weighhouse_backend.identity.grants import handed_on, may_give
from weighhouse_backend.identity.models import ApiToken, PipelineTrust
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.scopes import Scope
from weighhouse_backend.identity.secrets import new_token, token_hash, token_prefix
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import (
    Conflict,
    FieldProblem,
    Invalid,
    NotFound,
    Problem,
)
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.sign_in.oidc import LEEWAY_SECONDS, insist_on_safe
from weighhouse_backend.sign_in.pipeline_claims import (
    NAMING,
    names_somebody,
    not_conditions,
    unmet,
)
from weighhouse_backend.sign_in.pipeline_schemas import TrustCreate
from weighhouse_backend.sign_in.providers import reach_of
from weighhouse_backend.sign_in.single_use import spend

MOST = 50
"""Trusts of a project."""
KEPT = datetime.timedelta(days=30)
"""How long what was given to a pipeline is on record after its end; the audit log has it on."""


@dataclass(frozen=True)
class TrustService:
    """Sets trusts up and ends them; takes a maintainer."""

    session: Session
    clock: Clock
    settings: Settings

    def list(self, caller: Caller, project_id: UUID | None) -> Sequence[PipelineTrust]:
        """The trusts of a project, by name."""
        project = self._maintained(caller, project_id)
        found = select(PipelineTrust).where(PipelineTrust.project_id == project)
        return self.session.scalars(found.order_by(PipelineTrust.name, PipelineTrust.id)).all()

    def make(self, caller: Caller, wanted: TrustCreate) -> PipelineTrust:
        """Trust pipelines; gives no more than the caller has.

        :raises Invalid: when the issuer may not be asked, or conditions leave open whose they are.
        :raises Conflict: when the project has `MOST`.
        """
        project = self._maintained(caller, wanted.project_id)
        grant = may_give(caller, wanted.role, wanted.scopes, project_id=project)
        self._insist(wanted)
        if len(self.list(caller, project)) >= MOST:
            raise Conflict(f"a project trusts {MOST} kinds of pipelines at most; remove one")
        row = grant.row(
            PipelineTrust, name=wanted.name, issuer=wanted.issuer,
            audience=wanted.audience or self.settings.public_url.rstrip("/"),
            conditions=dict(wanted.conditions), lifetime_seconds=wanted.lifetime_seconds,
            created_by=caller.name, created_at=self.clock.now(),
        )  # fmt: skip
        self.session.add(row)
        self.session.flush()
        _note(
            self.session, self.clock, row, caller.name, "pipeline_trust.created", row.name,
            audience=row.audience, conditions=row.conditions, role=str(row.role),
            scopes=row.scopes, lifetime_seconds=row.lifetime_seconds,
        )  # fmt: skip
        return row

    def remove(self, caller: Caller, trust_id: UUID) -> None:
        """End a trust, and what was given by it."""
        row = _locked(self.session, trust_id)
        if row is None:
            raise NotFound
        caller.require(row.project_id, Role.MAINTAINER)
        ended = self.session.execute(
            update(ApiToken)
            .where(ApiToken.trust_id == row.id, ApiToken.revoked_at.is_(None))
            .values(revoked_at=self.clock.now())
            .returning(ApiToken.id)
        ).all()
        _note(
            self.session, self.clock, row, caller.name, "pipeline_trust.removed", row.name,
            tokens=len(ended),
        )  # fmt: skip
        self.session.delete(row)

    def _maintained(self, caller: Caller, project_id: UUID | None) -> UUID:
        project = caller.project_or_only(project_id)
        caller.require(project, Role.MAINTAINER)
        return project

    def _insist(self, wanted: TrustCreate) -> None:
        try:
            insist_on_safe(wanted.issuer, reach_of(self.settings))
        except ValueError as error:
            raise _wrong("issuer", f"{error}", "https://…") from error
        if Scope.PEOPLE_MANAGE in wanted.scopes:
            raise _wrong("scopes", "would let a pipeline make tokens that outlast it", "others")
        if wrong := not_conditions(wanted.conditions):
            raise _wrong(
                "conditions", f"{', '.join(wrong)} is no condition, and checked always",
                "what the CI service says of the pipeline",
            )  # fmt: skip
        if not names_somebody(wanted.conditions):
            raise _wrong(
                "conditions", "leave open whose pipelines they are",
                f"one of {', '.join(NAMING)}, without * before its first slash",
            )  # fmt: skip


@dataclass(frozen=True)
class ExchangeService:
    """Gives pipelines tokens for the word of their CI service."""

    session: Session
    clock: Clock

    def trust(self, trust_id: UUID) -> PipelineTrust | None:
        """A trust."""
        return self.session.get(PipelineTrust, trust_id)

    def admit(
        self, trust_id: UUID, claims: dict[str, Any], digest: str, address: str
    ) -> tuple[ApiToken, str] | Problem:
        """A token for a pipeline.

        :param claims: what its CI service says, known to be its word.
        :param digest: of the CI service's token.
        :returns: the row, and the token to show once; or why not, where what was noted has to be
            kept.
        """
        row, now = _locked(self.session, trust_id), self.clock.now()
        if row is None:
            return PipelineRefused("the trust was removed")
        if wrong := unmet(row.conditions, claims):
            self._note(row, claims, "refused", unmet=wrong, address=address)
            return PipelineRefused(
                "it does not fit the trust's conditions; the project's audit log says which"
            )
        if not self._first_time(row, claims, digest, now):
            self._note(row, claims, "refused", because="it was exchanged before", address=address)
            return PipelineRefused("the CI service's token was exchanged already; ask for another")
        self._forget(row, now)
        token = new_token("p")
        grant = handed_on(role=row.role, scopes=row.scopes, project_id=row.project_id)
        made = grant.row(
            ApiToken, name=row.name, prefix=token_prefix(token), token_hash=token_hash(token),
            created_by=row.name, created_at=now, trust_id=row.id, pipeline=claims["sub"],
            expires_at=now + datetime.timedelta(seconds=row.lifetime_seconds),
        )  # fmt: skip
        self.session.add(made)
        row.last_used_at, row.last_pipeline = now, claims["sub"]
        self.session.flush()
        self._note(row, claims, "issued", address=address, prefix=made.prefix)
        return made, token

    def _first_time(
        self, row: PipelineTrust, claims: dict[str, Any], digest: str, now: datetime.datetime
    ) -> bool:
        """Notes that a token was exchanged; of two at a time one is the first."""
        known = claims.get("jti")
        kept = isinstance(known, str) and known.isprintable() and known
        name = token_hash(f"{row.issuer}\n{known}") if kept else digest
        ends = datetime.datetime.fromtimestamp(claims["exp"] + LEEWAY_SECONDS + 1, datetime.UTC)
        return spend(self.session, name, ends, now)

    def _forget(self, row: PipelineTrust, now: datetime.datetime) -> None:
        self.session.execute(
            delete(ApiToken).where(ApiToken.trust_id == row.id, ApiToken.expires_at < now - KEPT)
        )

    def _note(self, row: PipelineTrust, claims: dict[str, Any], what: str, **details: Any) -> None:
        _note(
            self.session, self.clock, row, row.name, f"pipeline_token.{what}", claims["sub"],
            **details,
        )  # fmt: skip


def _locked(session: Session, trust_id: UUID) -> PipelineTrust | None:
    """Until the transaction ends: a trust does not end while a token is given by it."""
    return session.get(PipelineTrust, trust_id, with_for_update=True, populate_existing=True)


def _note(
    session: Session, clock: Clock, row: PipelineTrust, actor: str, action: str, subject: str,
    **details: Any,
) -> None:  # fmt: skip
    audit.record(
        session, clock, actor=actor, action=action, subject=subject, project_id=row.project_id,
        trust=row.name, trust_id=str(row.id), issuer=row.issuer, **details,
    )  # fmt: skip


def _wrong(path: str, message: str, expected: str) -> Invalid:
    return Invalid(
        f"{path}: {message}",
        errors=[FieldProblem(path=path, message=message, expected=expected)],
    )
