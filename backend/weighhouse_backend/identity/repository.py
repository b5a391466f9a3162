"""All queries of identity."""

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Text,
    Uuid,
    column,
    delete,
    func,
    or_,
    select,
    true,
    update,
)  # fmt: skip
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from sqlalchemy.sql.selectable import TableValuedAlias

from weighhouse_backend.identity.factor_models import SecondFactor
from weighhouse_backend.identity.invitation_repository import end_invitations, to_person
from weighhouse_backend.identity.models import (
    ApiToken,
    Identity,
    IdentityProvider,
    LoginSession,
    Membership,
    Organization,
    Project,
    ProjectMembership,
    User,
)
from weighhouse_backend.identity.roles import MemberRole, Role

USED_GRAIN = datetime.timedelta(minutes=1)
VOUCHED_FOR = datetime.timedelta(hours=12)
"""How long a login by a provider lasts, used or not: groups are looked at again at the next."""


@dataclass(frozen=True)
class Standing:
    """What somebody may do, and where it rests."""

    roles: Mapping[UUID, Role]
    """Project → role."""
    barred: Mapping[UUID, str]
    """Projects where they have a role that rests until they have a second factor, each with its
    organization's name."""


@dataclass(frozen=True)
class IdentityRepository:
    """Reads and writes people, projects, tokens."""

    session: Session

    def use_token(
        self, digest: str, now: datetime.datetime, address: str | None = None
    ) -> ApiToken | None:
        """A valid API token by its hash; notes that it was used and from where, once a minute at
        most.
        """
        found = self.session.scalar(select(ApiToken).where(ApiToken.token_hash == digest))
        if found is None or found.revoked_at is not None:
            return None
        if found.expires_at is not None and found.expires_at <= now:
            return None
        if found.last_used_at is None or now - found.last_used_at > USED_GRAIN:
            found.last_used_at, found.last_used_from = now, address
        return found

    def use_session(
        self, digest: str, now: datetime.datetime, hours: float
    ) -> tuple[User, LoginSession] | None:
        """Who is signed in with a cookie, and how; notes the use, once a minute at most."""
        found = self.session.scalar(select(LoginSession).where(LoginSession.token_hash == digest))
        if found is None or now - found.last_used_at > datetime.timedelta(hours=hours):
            return None
        if found.provider_id is not None and now - found.created_at > VOUCHED_FOR:
            return None
        if now - found.last_used_at > USED_GRAIN:
            found.last_used_at = now
        user = self.session.get(User, found.user_id)
        return None if user is None else (user, found)

    def end_session(self, digest: str) -> str | None:
        """Sign a browser out; where one signs out of the provider, sealed."""
        return self.session.scalar(
            delete(LoginSession)
            .where(LoginSession.token_hash == digest)
            .returning(LoginSession.sign_out_sealed)
        )

    def forget_sessions(self, user_id: UUID, unused_since: datetime.datetime) -> None:
        """Remove a person's logins that have ended by not being used."""
        self.session.execute(
            delete(LoginSession).where(
                LoginSession.user_id == user_id, LoginSession.last_used_at < unused_since
            )
        )

    def standing_of(self, user_id: UUID, login: LoginSession | None = None) -> Standing:
        """A person's role in each project they see: the higher one of what the organization gives
        and their own there, which holds only while they are in the organization. Where that
        requires a second factor of them, it rests.

        :param login: how they signed in, which may open some organizations only.
        """
        rows = self.session.execute(
            select(
                Project.id, Membership.role, ProjectMembership.role, Organization.name,
                or_(Organization.factor_required_at.is_(None), _vouched_for(user_id, login)),
            )
            .join(Membership, Membership.organization_id == Project.organization_id)
            .join(Organization, Organization.id == Project.organization_id)
            .outerjoin(
                ProjectMembership,
                (ProjectMembership.project_id == Project.id)
                & (ProjectMembership.user_id == Membership.user_id),
            )
            .where(Membership.user_id == user_id, *_opened_by(login))
        )  # fmt: skip
        found: dict[UUID, Role] = {}
        barred: dict[UUID, str] = {}
        for project_id, of_all, own, organization, holds in rows:
            given = MemberRole(of_all).in_projects
            theirs = None if own is None else Role(own)
            role = given if given and (theirs is None or given.covers(theirs)) else theirs
            if role is not None and holds:
                found[project_id] = role
            elif role is not None:
                barred[project_id] = organization
        return Standing(found, barred)

    def roles_of(self, user_id: UUID) -> Mapping[UUID, Role]:
        """A person's role in each project they see, however they sign in."""
        return self.standing_of(user_id).roles

    def user_by_email(self, email: str) -> User | None:
        """A person by address, whatever its case."""
        return self.session.scalar(select(User).where(func.lower(User.email) == email.lower()))

    def user(self, user_id: UUID) -> User | None:
        """A person."""
        return self.session.get(User, user_id)

    def organization_by_slug(self, slug: str) -> Organization | None:
        """An organization."""
        return self.session.scalar(select(Organization).where(Organization.slug == slug))

    def organizations_of(self, project_ids: Collection[UUID]) -> Sequence[UUID]:
        """Whose projects are."""
        return self.session.scalars(
            select(Project.organization_id).where(Project.id.in_(project_ids)).distinct()
        ).all()

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

    def add_project(self, **values: Any) -> Project | None:
        """A new project; None when its organization has one of this slug, seen or not."""
        made = self.session.scalar(
            insert(Project)
            .values(values)
            .on_conflict_do_nothing(index_elements=["organization_id", "slug"])
            .returning(Project.id)
        )
        return None if made is None else self.session.get_one(Project, made)

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

    def members(
        self, organization_id: UUID, project_id: UUID
    ) -> Sequence[tuple[User, str, str | None]]:
        """People of an organization with their roles there and in a project, by name; no guests but
        the project's.
        """
        own = ProjectMembership
        rows = self.session.execute(
            select(User, Membership.role, own.role)
            .join(Membership, Membership.user_id == User.id)
            .outerjoin(own, (own.user_id == User.id) & (own.project_id == project_id))
            .where(
                Membership.organization_id == organization_id,
                (Membership.role != MemberRole.GUEST) | own.role.is_not(None),
            )
            .order_by(User.name)
        )
        return [(user, role, project_role) for user, role, project_role in rows]

    def owns_any(self, user_id: UUID) -> bool:
        """Whether a person, in by password, owns an organization that is open to them."""
        owned = (
            select(Membership.user_id)
            .join(Organization, Organization.id == Membership.organization_id)
            .where(
                Membership.user_id == user_id,
                Membership.role == MemberRole.OWNER,
                or_(Organization.factor_required_at.is_(None), _has_factor(user_id)),
            )
        )
        return self.session.scalar(owned.limit(1)) is not None

    def project_role(self, project_id: UUID, user_id: UUID) -> str | None:
        """A person's own role in a project; None: they have none."""
        row = self.session.get(ProjectMembership, (project_id, user_id))
        return None if row is None else row.role

    def end_project_role(self, project_id: UUID, user_id: UUID) -> bool:
        """Take it; whether there was one."""
        row = self.session.get(ProjectMembership, (project_id, user_id))
        if row is not None:
            self.session.delete(row)
        return row is not None

    def offboard(self, membership: Membership, now: datetime.datetime) -> int:
        """Take a person out of an organization with all they have in it, and with what invites them
        there.

        :returns: how many personal tokens of theirs ended.
        """
        projects = select(Project.id).where(Project.organization_id == membership.organization_id)
        user_id = membership.user_id
        end_invitations(self.session, membership.organization_id, now, to_person(user_id))
        self.session.execute(
            delete(ProjectMembership).where(
                ProjectMembership.user_id == user_id, ProjectMembership.project_id.in_(projects)
            )
        )
        ended = self.session.execute(
            update(ApiToken)
            .where(
                ApiToken.owner_id == user_id,
                ApiToken.project_id.in_(projects),
                ApiToken.revoked_at.is_(None),
            )
            .values(revoked_at=now)
            .returning(ApiToken.id)
        ).all()
        self.session.delete(membership)
        return len(ended)

    def belongs_somewhere(self, user_id: UUID, login: LoginSession | None = None) -> bool:
        """Whether a person is in an organization.

        :param login: how they signed in, which may open some organizations only.
        """
        found = select(Membership.user_id).where(Membership.user_id == user_id, *_opened_by(login))
        return self.session.scalar(found.limit(1)) is not None

    def is_let_in(self, organization_id: UUID, user_id: UUID, login: LoginSession) -> bool:
        """Whether a person is in an organization, which their login opens, with a second factor
        where it requires one.
        """
        query = (
            select(Membership.user_id)
            .join(Organization, Organization.id == Membership.organization_id)
            .where(
                Membership.organization_id == organization_id,
                Membership.user_id == user_id,
                or_(Organization.factor_required_at.is_(None), _vouched_for(user_id, login)),
                *_opened_by(login),
            )
        )
        return self.session.scalar(query.limit(1)) is not None

    def names(self, user_ids: Collection[UUID]) -> dict[UUID, str]:
        """Names of people by id."""
        found = _colleagues()
        rows = self.session.execute(
            select(found.c.user_id, found.c.name).where(found.c.user_id.in_(list(user_ids)))
        )
        return {row[0]: row[1] for row in rows}

    def is_colleague(self, project_id: UUID, user_id: UUID) -> bool:
        """Whether a person belongs to a project's organization."""
        found = _colleagues()
        organization = select(Project.organization_id).where(Project.id == project_id)
        belongs = select(found.c.user_id).where(
            found.c.user_id == user_id, found.c.organization_id == organization.scalar_subquery()
        )
        return self.session.scalar(select(belongs.exists())) is True

    def owners_count(self, organization_id: UUID) -> int:
        """How many owners an organization has."""
        return self.session.scalars(
            select(func.count())
            .select_from(Membership)
            .where(Membership.organization_id == organization_id, Membership.role == Role.OWNER)
        ).one()

    def oldest_projects(self, organizations: Collection[UUID]) -> Sequence[UUID | None]:
        """The oldest project of each organization: where its maintainers read what concerns the
        whole of it. None alone where no organization has any.
        """
        rows = self.session.execute(
            select(Project.organization_id, Project.id)
            .where(Project.organization_id.in_(organizations))
            .order_by(Project.created_at.desc(), Project.id.desc())
        )
        return list({row.organization_id: row.id for row in rows}.values()) or [None]

    def token(self, token_id: UUID) -> ApiToken | None:
        """An API token by id."""
        return self.session.get(ApiToken, token_id)

    def add(self, row: object) -> None:
        """Store a new row."""
        self.session.add(row)
        self.session.flush()


def _opened_by(login: LoginSession | None) -> list[ColumnElement[bool]]:
    """Memberships that a login opens: a provider's those of its organization alone; a password all
    but where the provider is the only way, unless one owns the organization.
    """
    if login is None:
        return []
    if login.provider_id is not None:
        theirs = select(IdentityProvider.organization_id).where(
            IdentityProvider.id == login.provider_id
        )
        return [Membership.organization_id == theirs.scalar_subquery()]
    closed = select(IdentityProvider.organization_id).where(IdentityProvider.only_way.is_(True))
    return [
        Membership.organization_id.not_in(closed.scalar_subquery())
        | (Membership.role == MemberRole.OWNER)
    ]


def _vouched_for(user_id: UUID, login: LoginSession | None) -> ColumnElement[bool]:
    """Whether roles hold where a second factor is required: in logins by the provider, whose matter
    it is; else with one of ours; of a token's owner either.
    """
    if login is None:
        theirs = (
            select(Identity.id)
            .join(IdentityProvider, IdentityProvider.id == Identity.provider_id)
            .where(
                Identity.user_id == user_id,
                Identity.issuer == IdentityProvider.issuer,
                IdentityProvider.organization_id == Membership.organization_id,
            )
        )
        return or_(theirs.correlate(Membership).exists(), _has_factor(user_id))
    return true() if login.provider_id is not None else _has_factor(user_id)


def _has_factor(user_id: UUID) -> ColumnElement[bool]:
    return (
        select(SecondFactor.user_id)
        .where(SecondFactor.user_id == user_id, SecondFactor.confirmed_at.is_not(None))
        .exists()
    )


def _colleagues() -> TableValuedAlias:
    """People of the organizations whose projects a transaction sees; see migration 0019."""
    return func.weighhouse_colleagues().table_valued(
        column("organization_id", Uuid()), column("user_id", Uuid()), column("name", Text())
    )
