"""All queries of identity."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from weighhouse_backend.identity.models import (
    ApiToken,
    LoginSession,
    Membership,
    Organization,
    Project,
    User,
)
from weighhouse_backend.identity.roles import Role

USED_GRAIN = datetime.timedelta(minutes=1)


@dataclass(frozen=True)
class IdentityRepository:
    """Reads and writes people, projects, tokens."""

    session: Session

    def use_token(self, digest: str, now: datetime.datetime) -> ApiToken | None:
        """A valid API token by its hash; notes that it was used, once a minute at most."""
        found = self.session.scalar(select(ApiToken).where(ApiToken.token_hash == digest))
        if found is None or found.revoked_at is not None:
            return None
        if found.expires_at is not None and found.expires_at <= now:
            return None
        if found.last_used_at is None or now - found.last_used_at > USED_GRAIN:
            found.last_used_at = now
        return found

    def use_session(self, digest: str, now: datetime.datetime, hours: float) -> User | None:
        """Who is signed in with a cookie; notes the use, once a minute at most."""
        found = self.session.scalar(select(LoginSession).where(LoginSession.token_hash == digest))
        if found is None or now - found.last_used_at > datetime.timedelta(hours=hours):
            return None
        if now - found.last_used_at > USED_GRAIN:
            found.last_used_at = now
        return self.session.get(User, found.user_id)

    def end_session(self, digest: str) -> None:
        """Sign a browser out."""
        self.session.execute(delete(LoginSession).where(LoginSession.token_hash == digest))

    def forget_sessions(self, user_id: UUID, unused_since: datetime.datetime) -> None:
        """Remove a person's logins that have ended by not being used."""
        self.session.execute(
            delete(LoginSession).where(
                LoginSession.user_id == user_id, LoginSession.last_used_at < unused_since
            )
        )

    def roles_of(self, user_id: UUID) -> dict[UUID, Role]:
        """A person's role in each project they see."""
        rows = self.session.execute(
            select(Project.id, Membership.role)
            .join(Membership, Membership.organization_id == Project.organization_id)
            .where(Membership.user_id == user_id)
        )
        return {project_id: Role(role) for project_id, role in rows}

    def user_by_email(self, email: str) -> User | None:
        """A person by address, whatever its case."""
        return self.session.scalar(select(User).where(func.lower(User.email) == email.lower()))

    def user(self, user_id: UUID) -> User | None:
        """A person."""
        return self.session.get(User, user_id)

    def organization_by_slug(self, slug: str) -> Organization | None:
        """An organization."""
        return self.session.scalar(select(Organization).where(Organization.slug == slug))

    def lock_organization(self, organization_id: UUID) -> None:
        """Let nobody else change who belongs to an organization until the transaction ends."""
        self.session.execute(
            select(Organization.id).where(Organization.id == organization_id).with_for_update()
        )

    def project_by_slug(self, organization_id: UUID, slug: str) -> Project | None:
        """A project of an organization."""
        return self.session.scalar(
            select(Project).where(Project.organization_id == organization_id, Project.slug == slug)
        )

    def membership(self, organization_id: UUID, user_id: UUID) -> Membership | None:
        """A person's place in an organization."""
        return self.session.get(Membership, (organization_id, user_id))

    def projects(self, project_ids: Sequence[UUID]) -> Sequence[tuple[Project, Organization]]:
        """Projects with their organizations, by name."""
        rows = self.session.execute(
            select(Project, Organization)
            .join(Organization, Organization.id == Project.organization_id)
            .where(Project.id.in_(project_ids))
            .order_by(Organization.name, Project.name)
        )
        return [(project, organization) for project, organization in rows]

    def members(self, organization_id: UUID) -> Sequence[tuple[User, str]]:
        """People of an organization with their roles, by name."""
        rows = self.session.execute(
            select(User, Membership.role)
            .join(Membership, Membership.user_id == User.id)
            .where(Membership.organization_id == organization_id)
            .order_by(User.name)
        )
        return [(user, role) for user, role in rows]

    def names(self, user_ids: Collection[UUID]) -> dict[UUID, str]:
        """Names of people by id."""
        rows = self.session.execute(select(User.id, User.name).where(User.id.in_(list(user_ids))))
        return {row[0]: row[1] for row in rows}

    def owners_count(self, organization_id: UUID) -> int:
        """How many owners an organization has."""
        return self.session.scalars(
            select(func.count())
            .select_from(Membership)
            .where(Membership.organization_id == organization_id, Membership.role == Role.OWNER)
        ).one()

    def token(self, token_id: UUID) -> ApiToken | None:
        """An API token by id."""
        return self.session.get(ApiToken, token_id)

    def add(self, row: object) -> None:
        """Store a new row."""
        self.session.add(row)
        self.session.flush()
