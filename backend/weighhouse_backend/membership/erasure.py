"""Forgets people on request: the person goes, what they did stays under a pseudonym.

Carried out by whoever owns the tables, in one transaction: nobody of the application may change an
audit entry. Where a name alone tells who did something, it is replaced in the organizations that
the person belongs to, or acted in as the audit log tells, and only where no namesake is.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import Text, Uuid, column, delete, func, or_, select, table, text, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session
from sqlalchemy.sql.expression import ColumnElement, TableClause

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.errors import LastOwner
from weighhouse_backend.identity.models import (
    AuditEntry,
    Invitation,
    LoginFailure,
    Membership,
    Organization,
    Project,
    User,
)
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import Forbidden, NotFound
from weighhouse_backend.membership.domain_models import JoiningAsk

ACTOR = "installation"
NAMED = ("actor", "author", "author_name", "owner_name")
"""Columns that tell who did something, besides those that end in `_by`."""
DIGITS = 8


@dataclass
class Forgotten:
    """What was replaced or removed, or would be."""

    pseudonym: str
    name: str
    organizations: list[str] = field(default_factory=list)
    entries: int = 0
    """Of the audit log."""
    rows: int = 0
    """Elsewhere."""
    invitations: int = 0
    left: list[str] = field(default_factory=list)
    """Organizations with a namesake, where rows that tell a name alone keep it."""


@dataclass(frozen=True)
class ForgettingService:
    """Removes a person, and their name from what they did."""

    session: Session
    clock: Clock

    def forget(self, email: str) -> Forgotten:
        """Forget a person; for whoever keeps the installation, by the login that owns the tables.

        :raises NotFound: when nobody has that address.
        :raises LastOwner: when an organization would be left without an owner.
        :raises Forbidden: when the database's login may not change audit entries.
        """
        user = IdentityRepository(self.session).user_by_email(email)
        if user is None:
            raise NotFound(f"nobody here has the address {email}")
        self._insist_on_owners(user)
        may = func.has_table_privilege("audit_entries", "UPDATE")
        if not self.session.scalar(select(may)):
            raise Forbidden(
                "this takes the database login that owns the tables: WEIGHHOUSE_OWNER_DATABASE_URL"
            )
        found = Forgotten(pseudonym_of(user.id), user.name)
        organizations = self._organizations(user)
        plain = [one.id for one in organizations if not self._namesake(user, one.id)]
        found.organizations = [one.name for one in organizations]
        found.left = [one.name for one in organizations if one.id not in plain]
        found.entries = self._forget_in_audit(user, plain, found.pseudonym)
        alone = not self._namesake(user)
        for told in self._told():
            if len(told.columns) == 1 and not alone:
                continue
            found.rows += self._replace(told, user.name, found.pseudonym, plain)
        found.rows += self._forget_changes(user, plain, found.pseudonym)
        found.invitations = len(
            self.session.scalars(
                delete(Invitation)
                .where(func.lower(Invitation.email) == user.email.lower())
                .returning(Invitation.id)
            ).all()
        )
        self.session.execute(
            delete(LoginFailure).where(func.lower(LoginFailure.email) == user.email.lower())
        )
        self.session.execute(
            delete(JoiningAsk).where(func.lower(JoiningAsk.email) == user.email.lower())
        )
        home = IdentityRepository(self.session).oldest_projects([one.id for one in organizations])
        self.session.delete(user)
        self.session.flush()
        for project_id in home:
            audit.record(
                self.session, self.clock, actor=ACTOR, action="person.forgotten",
                subject=found.pseudonym, project_id=project_id,
            )  # fmt: skip
        return found

    def _insist_on_owners(self, user: User) -> None:
        owned = self.session.scalars(
            select(Membership.organization_id).where(
                Membership.user_id == user.id, Membership.role == Role.OWNER
            )
        )
        people = IdentityRepository(self.session)
        for organization_id in owned.all():
            people.lock_organization(organization_id)
            if people.owners_count(organization_id) == 1:
                name = self.session.get_one(Organization, organization_id).name
                raise LastOwner(f"{name} has no other owner: make somebody else one first")

    def _organizations(self, user: User) -> list[Organization]:
        belongs = select(Membership.organization_id).where(Membership.user_id == user.id)
        acted = (
            select(Project.organization_id)
            .join(AuditEntry, AuditEntry.project_id == Project.id)
            .where(AuditEntry.person_id == user.id)
        )
        chosen = or_(Organization.id.in_(belongs), Organization.id.in_(acted))
        return list(
            self.session.scalars(select(Organization).where(chosen).order_by(Organization.id))
        )

    def _namesake(self, user: User, organization_id: UUID | None = None) -> bool:
        """Whether somebody else is called so: in an organization, or anywhere."""
        other = select(User.id).where(User.name == user.name, User.id != user.id)
        if organization_id is not None:
            other = other.join(Membership, Membership.user_id == User.id).where(
                Membership.organization_id == organization_id
            )
        return self.session.scalar(other.limit(1)) is not None

    def _told(self) -> Iterator[TableClause]:
        """Tables that tell a name, each with the column that does as its last."""
        rows = self.session.execute(
            text(
                "SELECT c.table_name, c.column_name, array_agg(o.column_name::text)"
                " FILTER (WHERE o.column_name IN ('project_id', 'organization_id'))"
                " FROM information_schema.columns c JOIN information_schema.columns o"
                " USING (table_schema, table_name) WHERE table_schema = 'public'"
                " AND c.data_type = 'text' AND c.table_name <> 'audit_entries'"
                " AND (c.column_name LIKE '%\\_by' OR c.column_name = ANY (:named))"
                " GROUP BY 1, 2 ORDER BY 1, 2"
            ),
            {"named": list(NAMED)},
        )
        for name, told, whose in rows:
            ids = [column(one, Uuid()) for one in whose or ()]
            yield table(name, *ids, column(told, Text()))

    def _replace(self, told: TableClause, name: str, pseudonym: str, plain: list[UUID]) -> int:
        *_, who = told.columns
        changed = (
            update(told)
            .where(who == name, _whose(told, plain))
            .values({who.name: pseudonym})
            .returning(text("1"))
        )
        return len(self.session.execute(changed).all())

    def _forget_in_audit(self, user: User, plain: list[UUID], pseudonym: str) -> int:
        entries = table(
            "audit_entries", *(column(one, Uuid()) for one in ("id", "project_id", "person_id")),
            *(column(one, Text()) for one in ("actor", "subject", "address")),
            column("details", JSONB()),
        )  # fmt: skip
        told = entries.c
        ours = _whose(entries, plain)
        found = self.session.execute(
            select(entries).where(
                or_(
                    told.person_id == user.id,
                    told.subject.icontains(user.email, autoescape=True),
                    told.details.cast(Text).icontains(user.email, autoescape=True),
                    (told.actor == user.name) & ours,
                    told.details.cast(Text).contains(user.name, autoescape=True) & ours,
                )
            )
        ).all()
        for row in found:
            own = row.person_id == user.id
            named = row.actor == user.name and (own or self._in(row.project_id, plain))
            self.session.execute(
                update(entries)
                .where(told.id == row.id)
                .values(
                    actor=pseudonym if named else row.actor,
                    subject=_without(row.subject, user, pseudonym),
                    details=_without(row.details, user, pseudonym),
                    address=None if own else row.address,
                )
            )
        return len(found)

    def _in(self, project_id: UUID | None, organizations: list[UUID]) -> bool:
        if project_id is None:
            return False
        project = self.session.get(Project, project_id)
        return project is not None and project.organization_id in organizations

    def _forget_changes(self, user: User, plain: list[UUID], pseudonym: str) -> int:
        """In what became of alerts, names stand as values of what was changed."""
        rows = table(
            "alert_events", column("id", Uuid()), column("project_id", Uuid()),
            column("changes", JSONB()),
        )  # fmt: skip
        mentions = rows.c.changes.cast(Text).contains(user.name, autoescape=True)
        found = self.session.execute(select(rows).where(mentions, _whose(rows, plain))).all()
        for row in found:
            changes = _without(row.changes, user, pseudonym)
            self.session.execute(update(rows).where(rows.c.id == row.id).values(changes=changes))
        return len(found)


def pseudonym_of(user_id: UUID) -> str:
    """What somebody is called who was forgotten; always the same of one person."""
    return f"former member {hashlib.sha256(user_id.bytes).hexdigest()[:DIGITS]}"


def _whose(told: TableClause, organizations: list[UUID]) -> ColumnElement[bool]:
    """Rows of organizations; of a table that does not tell whose they are, all."""
    if "organization_id" in told.c:
        return told.c.organization_id.in_(organizations)
    if "project_id" in told.c:
        projects = select(Project.id).where(Project.organization_id.in_(organizations))
        return told.c.project_id.in_(projects)
    return text("true")  # type: ignore[return-value]


def _without(value: Any, user: User, pseudonym: str) -> Any:
    """The same without name and address of somebody: in values that are one, or hold the latter."""
    if isinstance(value, dict):
        return {key: _without(one, user, pseudonym) for key, one in value.items()}
    if isinstance(value, list):
        return [_without(one, user, pseudonym) for one in value]
    if not isinstance(value, str):
        return value
    if value == user.name:
        return pseudonym
    return re.sub(re.escape(user.email), pseudonym, value, flags=re.IGNORECASE)
