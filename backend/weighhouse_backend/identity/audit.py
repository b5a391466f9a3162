"""The audit log: every change of access, and what later features add."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import DateTime, Select, Text, Uuid, cast, func, literal, or_, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session
from weighhouse_protocol.text import csv_cell

from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.models import AuditEntry
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.moments import Moment
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.problems import FieldProblem, Invalid
from weighhouse_backend.kit.whence import whence

MOST_EXPORTED = 50_000
COLUMNS = ("at", "actor", "action", "subject", "details", "address", "person_id", "token_id")


class AuditQuery(BaseModel):
    """Which entries; all conditions hold at once."""

    actor: Annotated[str | None, Query(max_length=200)] = None
    """Part of who it was, capitals or not."""
    action: Annotated[str | None, Query(max_length=100)] = None
    """What was done, or how it begins: `api_token`."""
    text: Annotated[str | None, Query(max_length=200)] = None
    """Part of what it was done to, or of its details."""
    address: Annotated[str | None, Query(max_length=64)] = None
    """The address that it was asked from, or how it begins."""
    since: Annotated[Moment | None, Query()] = None
    """Not before."""
    until: Annotated[Moment | None, Query()] = None
    """Before."""


def record(
    session: Session,
    clock: Clock,
    *,
    actor: str,
    action: str,
    subject: str,
    project_id: UUID | None = None,
    **details: Any,
) -> None:
    """Note an action in the transaction that carries it out, with address, person and token of the
    request that it is done in; never put a secret in it.

    A confined transaction cannot touch the table: the database notes for it, of its own projects.
    """
    asks = whence()
    note = func.weighhouse_note(
        literal(new_id(), Uuid()), literal(project_id, Uuid()), actor, action, subject,
        literal(details, JSONB()), literal(clock.now(), DateTime(timezone=True)),
        literal(asks.address, Text()), literal(asks.person_id, Uuid()),
        literal(asks.token_id, Uuid()),
    )  # fmt: skip
    # What was made in the same breath, a project perhaps, has to be stored before.
    session.flush()
    session.execute(select(note))


class AuditService:
    """Reads the log; takes a maintainer."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    def entries(
        self, caller: Caller, project_id: UUID | None, wanted: AuditQuery, page: PageQuery
    ) -> Page[Any]:
        """What was done in a project, newest first."""
        statement = _chosen(_project(caller, project_id), wanted)
        return page_of(self._session, statement, AuditEntry.id, page, lambda row: row)

    def export(self, caller: Caller, project_id: UUID | None, wanted: AuditQuery) -> str:
        """The same as CSV (RFC 4180), oldest first; that it was taken is noted in the log, too.

        :raises Invalid: when it is more than `MOST_EXPORTED` entries.
        """
        project = _project(caller, project_id)
        statement = _chosen(project, wanted).order_by(AuditEntry.id).limit(MOST_EXPORTED + 1)
        rows = self._session.scalars(statement).all()
        if len(rows) > MOST_EXPORTED:
            raise Invalid(
                f"these are more than {MOST_EXPORTED:,} entries; export them in parts",
                errors=[
                    FieldProblem(
                        path="until", message="leaves too many", expected="an earlier instant"
                    )
                ],
            )
        record(
            self._session, self._clock, actor=caller.name, action="audit.exported",
            subject=f"{len(rows)} entries", project_id=project,
            wanted=wanted.model_dump(mode="json", exclude_none=True),
        )  # fmt: skip
        return as_csv(rows)


def _project(caller: Caller, project_id: UUID | None) -> UUID:
    project = caller.project_or_only(project_id)
    caller.require(project, Role.MAINTAINER)
    return project


def _chosen(project: UUID, wanted: AuditQuery) -> Select[AuditEntry]:
    statement = select(AuditEntry).where(AuditEntry.project_id == project)
    if wanted.actor:
        statement = statement.where(AuditEntry.actor.icontains(wanted.actor, autoescape=True))
    if wanted.action:
        statement = statement.where(AuditEntry.action.startswith(wanted.action, autoescape=True))
    if wanted.text:
        details = cast(AuditEntry.details, Text)
        statement = statement.where(
            or_(
                AuditEntry.subject.icontains(wanted.text, autoescape=True),
                details.icontains(wanted.text, autoescape=True),
            )
        )
    if wanted.address:
        statement = statement.where(AuditEntry.address.startswith(wanted.address, autoescape=True))
    if wanted.since:
        statement = statement.where(AuditEntry.at >= wanted.since)
    if wanted.until:
        statement = statement.where(AuditEntry.at < wanted.until)
    return statement


def as_csv(entries: Iterable[AuditEntry]) -> str:
    """A line an entry, details as JSON; nothing that a spreadsheet would carry out."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for one in entries:
        details = json.dumps(one.details, ensure_ascii=False, sort_keys=True)
        who = (one.address, one.person_id, one.token_id)
        cells = (
            one.at.isoformat(), one.actor, one.action, one.subject, details,
            *(str(each or "") for each in who),
        )  # fmt: skip
        writer.writerow(map(csv_cell, cells))
    return out.getvalue()
