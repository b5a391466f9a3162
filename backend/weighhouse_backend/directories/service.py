"""The directory of an organization: let in by its owners, known by its token."""

import datetime
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.directories.models import Directory
from weighhouse_backend.directories.schemas import DirectoryMade, DirectoryRead
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.grants import may_give_everywhere
from weighhouse_backend.identity.models import Project
from weighhouse_backend.identity.owners import lock_organization, project_of_owned
from weighhouse_backend.identity.roles import MemberRole
from weighhouse_backend.identity.scopes import Scope
from weighhouse_backend.identity.secrets import new_token, token_hash, token_prefix
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.settings import Settings

PATH = "/api/scim/v2"
SCIM_MEDIA_TYPE = "application/scim+json"
USED_GRAIN = datetime.timedelta(minutes=1)


def root(settings: Settings) -> str:
    """SCIM's root, as directories reach it."""
    return f"{settings.public_url.rstrip('/')}{PATH}"


@dataclass(frozen=True)
class DirectoryService:
    """Lets an organization's directory in; takes an owner of the organization."""

    session: Session
    clock: Clock
    settings: Settings

    def read(self, caller: Caller, project_id: UUID | None) -> DirectoryRead:
        """The directory of a project's organization.

        :raises NotFound: when none is let in.
        """
        row = self._of(self._owned(caller, project_id).organization_id)
        if row is None:
            raise NotFound("no directory is let in")
        return DirectoryRead.model_validate(self._told(row))

    def let_in(self, caller: Caller, project_id: UUID | None) -> DirectoryMade:
        """Make a token for the directory of a project's organization; the one before ends."""
        project = self._owned(caller, project_id)
        organization_id = project.organization_id
        # Of two that make the first one at once, one waits.
        lock_organization(self.session, organization_id)
        grant = may_give_everywhere(
            self.session, caller, MemberRole.OWNER, [Scope.PEOPLE_MANAGE],
            organization_id=organization_id,
        )  # fmt: skip
        row, token = self._of(organization_id), new_token("c")
        again = row is not None
        if row is None:
            row = grant.row(Directory)
            self.session.add(row)
        row.token_hash, row.prefix = token_hash(token), token_prefix(token)
        row.created_by, row.created_at = caller.name, self.clock.now()
        row.last_used_at = row.last_used_from = None
        self.session.flush()
        self._audit(caller, "directory.let_in", row, project.id, again=again)
        return DirectoryMade.model_validate(self._told(row) | {"token": token})

    def shut_out(self, caller: Caller, project_id: UUID | None) -> None:
        """End the directory's token; whom it took out stays out. Repeatable."""
        project = self._owned(caller, project_id)
        row = self._of(project.organization_id)
        if row is not None:
            self.session.delete(row)
            self._audit(caller, "directory.shut_out", row, project.id)

    def recognize(self, token: str, address: str) -> Directory | None:
        """Whose token it is, in a transaction that is not confined; notes that it was used and from
        where, once a minute at most. None: nobody's any more.
        """
        row = self.session.scalar(
            select(Directory).where(Directory.token_hash == token_hash(token))
        )
        now = self.clock.now()
        if row is not None and (row.last_used_at is None or now - row.last_used_at > USED_GRAIN):
            row.last_used_at, row.last_used_from = now, address
        return row

    def _of(self, organization_id: UUID) -> Directory | None:
        return self.session.scalar(
            select(Directory).where(Directory.organization_id == organization_id)
        )

    def _owned(self, caller: Caller, project_id: UUID | None) -> Project:
        return project_of_owned(self.session, caller, project_id)

    def _told(self, row: Directory) -> dict[str, object]:
        names = ("prefix", "created_by", "created_at", "last_used_at", "last_used_from")
        return {"url": root(self.settings), **{name: getattr(row, name) for name in names}}

    def _audit(
        self, caller: Caller, action: str, row: Directory, project: UUID, **details: bool
    ) -> None:
        audit.record(
            self.session, self.clock, actor=caller.name, action=action, subject=f"{row.prefix}…",
            project_id=project, **details,
        )  # fmt: skip
