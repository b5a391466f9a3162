"""API tokens: a project's or a person's, with a role, scopes and an end."""

import datetime
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.grants import Grant, may_give
from weighhouse_backend.identity.models import ApiToken
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.schemas import ApiTokenCreate
from weighhouse_backend.identity.secrets import new_token, token_hash, token_prefix
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.problems import Conflict, Forbidden, NotFound


@dataclass(frozen=True)
class TokenService:
    """Makes tokens and ends them."""

    session: Session
    clock: Clock

    def make(self, caller: Caller, wanted: ApiTokenCreate) -> tuple[ApiToken, str]:
        """Make an API token; gives no more than the caller has. The project's take a maintainer, a
        person's own only the person.

        :returns: the row, and the token to show once.
        """
        project_id = caller.project_or_only(wanted.project_id)
        caller.require(project_id, Role.VIEWER if wanted.personal else Role.MAINTAINER)
        if wanted.personal and caller.kind != "user":
            raise Forbidden("a personal token is made by a person who is signed in")
        grant = may_give(caller, wanted.role, wanted.scopes, project_id=project_id)
        days = wanted.expires_in_days
        now = self.clock.now()
        row, token = self._new(
            grant,
            name=wanted.name,
            owner_id=caller.id if wanted.personal else None,
            created_by=caller.name,
            created_at=now,
            expires_at=now + datetime.timedelta(days=days) if days else None,
        )
        self._audit(caller, "api_token.created", row, role=str(row.role), scopes=row.scopes)
        return row, token

    def list(self, caller: Caller, project_id: UUID | None, query: PageQuery) -> Page[Any]:
        """The API tokens of a project, newest first: to a maintainer all, to others their own; of
        those that pipelines got only what holds.
        """
        project = caller.project_or_only(project_id)
        caller.require(project, Role.VIEWER if caller.kind == "user" else Role.MAINTAINER)
        holds = ApiToken.revoked_at.is_(None) & (ApiToken.expires_at > self.clock.now())
        statement = select(ApiToken).where(
            ApiToken.project_id == project, ApiToken.pipeline.is_(None) | holds
        )
        if not caller.roles[project].covers(Role.MAINTAINER):
            statement = statement.where(ApiToken.owner_id == caller.id)
        return page_of(self.session, statement, ApiToken.id, query, lambda row: row)

    def rotate(self, caller: Caller, token_id: UUID, overlap_hours: float) -> tuple[ApiToken, str]:
        """Make a token in the place of another one, which holds a while longer, so that what uses
        it can be told the new one.

        :raises Conflict: when it was revoked, has ended, or was rotated already.
        """
        old = self._own(caller, token_id)
        mine = caller.kind == "user" and old.owner_id == caller.id
        if old.owner_id is not None and not mine:
            raise Forbidden("a personal token is rotated by its owner alone")
        grant = may_give(caller, Role(old.role), old.scopes, project_id=old.project_id)
        now = self.clock.now()
        if old.revoked_at is not None or (old.expires_at is not None and old.expires_at <= now):
            raise Conflict("it holds no more; make a new one")
        if old.replaced_by is not None:
            raise Conflict("another one was made in its place already")
        if old.pipeline is not None:
            raise Conflict("a pipeline got it; its next job gets the next one")
        lasted = None if old.expires_at is None else old.expires_at - old.created_at
        row, token = self._new(
            grant, name=old.name, owner_id=old.owner_id, created_by=caller.name, created_at=now,
            expires_at=None if lasted is None else now + lasted,
        )  # fmt: skip
        ends = now + datetime.timedelta(hours=overlap_hours)
        old.expires_at = ends if old.expires_at is None else min(ends, old.expires_at)
        old.replaced_by = row.id
        self._audit(caller, "api_token.rotated", old, ends_at=old.expires_at.isoformat())
        return row, token

    def revoke(self, caller: Caller, token_id: UUID) -> None:
        """Make a token worthless at once. Repeatable."""
        row = self._own(caller, token_id)
        if row.revoked_at is None:
            row.revoked_at = self.clock.now()
            self._audit(caller, "api_token.revoked", row)

    def _own(self, caller: Caller, token_id: UUID) -> ApiToken:
        row = IdentityRepository(self.session).token(token_id)
        if row is None:
            raise NotFound
        theirs = caller.kind == "user" and row.owner_id == caller.id
        caller.require(row.project_id, Role.VIEWER if theirs else Role.MAINTAINER)
        return row

    def _new(self, grant: Grant, **columns: Any) -> tuple[ApiToken, str]:
        token = new_token("p")
        row = grant.row(
            ApiToken, prefix=token_prefix(token), token_hash=token_hash(token), **columns
        )
        self.session.add(row)
        self.session.flush()
        return row, token

    def _audit(self, caller: Caller, action: str, row: ApiToken, **details: Any) -> None:
        audit.record(
            self.session, self.clock, actor=caller.name, action=action, subject=row.name,
            project_id=row.project_id, **details,
        )  # fmt: skip
