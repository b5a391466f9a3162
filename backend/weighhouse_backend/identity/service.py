"""Logins, tokens, members."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.errors import (
    AlreadyMember,
    LastOwner,
    ProjectExists,
)
from weighhouse_backend.identity.models import (
    ApiToken,
    AuditEntry,
    Membership,
    Organization,
    Project,
    User,
)
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.schemas import (
    ApiTokenCreate,
    MemberCreate,
    ProjectCreate,
    ProjectRead,
)
from weighhouse_backend.identity.secrets import (
    hash_password,
    new_token,
    token_hash,
    token_prefix,
)
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.problems import FieldProblem, Forbidden, Invalid, NotFound
from weighhouse_backend.kit.tenancy import confine


@dataclass(frozen=True)
class IdentityService:
    """People and their access."""

    session: Session
    clock: Clock

    @property
    def _repository(self) -> IdentityRepository:
        return IdentityRepository(self.session)

    def log_out(self, cookie: str) -> None:
        """End a login. Repeatable."""
        self._repository.end_session(token_hash(cookie))

    def user(self, user_id: UUID) -> User:
        """:raises NotFound: when there is no such person."""
        found = self._repository.user(user_id)
        if found is None:
            raise NotFound
        return found

    def projects(self, caller: Caller) -> list[ProjectRead]:
        """The caller's projects."""
        return [
            ProjectRead(
                id=project.id,
                slug=project.slug,
                name=project.name,
                organization_id=organization.id,
                organization_name=organization.name,
                role=caller.roles[project.id],
            )
            for project, organization in self._repository.projects(list(caller.project_ids))
        ]

    def organizations(self, caller: Caller) -> list[Organization]:
        """The caller's organizations."""
        pairs = self._repository.projects(list(caller.project_ids))
        return list({organization.id: organization for _, organization in pairs}.values())

    def make_token(self, caller: Caller, wanted: ApiTokenCreate) -> tuple[ApiToken, str]:
        """Make an API token; takes a maintainer, and gives no more than the caller has.

        :returns: the row, and the token to show once.
        """
        project_id = caller.project_or_only(wanted.project_id)
        caller.require(project_id, Role.MAINTAINER)
        if not caller.roles[project_id].covers(wanted.role):
            raise Forbidden("a token cannot have a higher role than yours")
        token = new_token("p")
        now = self.clock.now()
        days = wanted.expires_in_days
        row = ApiToken(
            project_id=project_id,
            name=wanted.name,
            role=wanted.role,
            prefix=token_prefix(token),
            token_hash=token_hash(token),
            created_by=caller.name,
            created_at=now,
            expires_at=now + datetime.timedelta(days=days) if days else None,
        )
        self._repository.add(row)
        self._audit(caller, "api_token.created", row.name, project_id, role=str(wanted.role))
        return row, token

    def tokens(self, caller: Caller, project_id: UUID | None, query: PageQuery) -> Page[Any]:
        """The API tokens of a project, newest first; takes a maintainer."""
        project = caller.project_or_only(project_id)
        caller.require(project, Role.MAINTAINER)
        statement = select(ApiToken).where(ApiToken.project_id == project)
        return page_of(self.session, statement, ApiToken.id, query, lambda row: row)

    def revoke_token(self, caller: Caller, token_id: UUID) -> None:
        """Make a token worthless at once. Repeatable."""
        row = self._repository.token(token_id)
        if row is None:
            raise NotFound
        caller.require(row.project_id, Role.MAINTAINER)
        if row.revoked_at is None:
            row.revoked_at = self.clock.now()
            self._audit(caller, "api_token.revoked", row.name, row.project_id)

    def members(self, caller: Caller, project_id: UUID | None) -> Sequence[tuple[User, str]]:
        """People who see a project."""
        return self._repository.members(self._organization(caller, project_id))

    def names(self, user_ids: Collection[UUID]) -> dict[UUID, str]:
        """Names of people, for features above."""
        return self._repository.names(user_ids)

    def add_member(self, caller: Caller, project_id: UUID | None, wanted: MemberCreate) -> User:
        """Give a person access; takes an owner.

        :raises AlreadyMember: when they are in already.
        """
        project = caller.project_or_only(project_id)
        caller.require(project, Role.OWNER)
        organization_id = self._organization(caller, project)
        user = self._repository.user_by_email(wanted.email)
        now = self.clock.now()
        if user is None:
            password = hash_password(wanted.password) if wanted.password else None
            user = User(
                email=wanted.email, name=wanted.name, password_hash=password, created_at=now
            )
            self._repository.add(user)
        elif self._repository.membership(organization_id, user.id) is not None:
            raise AlreadyMember
        self._repository.add(
            Membership(
                organization_id=organization_id, user_id=user.id, role=wanted.role, created_at=now
            )
        )
        self._audit(caller, "member.added", user.email, project, role=str(wanted.role))
        return user

    def change_member(
        self, caller: Caller, project_id: UUID | None, user_id: UUID, role: Role
    ) -> User:
        """Give a person another role; takes an owner.

        :raises LastOwner: when nobody would be left to give access.
        """
        project, membership = self._membership(caller, project_id, user_id)
        if role != Role.OWNER:
            self._keep_an_owner(membership)
        membership.role = role
        user = self.user(user_id)
        self._audit(caller, "member.changed", user.email, project, role=str(role))
        return user

    def remove_member(self, caller: Caller, project_id: UUID | None, user_id: UUID) -> None:
        """Take a person's access; takes an owner.

        :raises LastOwner: when nobody would be left to give access.
        """
        project, membership = self._membership(caller, project_id, user_id)
        self._keep_an_owner(membership)
        self.session.delete(membership)
        self._audit(caller, "member.removed", self.user(user_id).email, project)

    def make_project(self, caller: Caller, wanted: ProjectCreate) -> ProjectRead:
        """Make a project; takes a person who owns the organization.

        :raises ProjectExists: when the organization has one with this slug.
        """
        if caller.kind != "user":
            raise Forbidden("an API token belongs to one project; a person makes another")
        organization = self._own_organization(caller, wanted.organization_id)
        if self._repository.project_by_slug(organization.id, wanted.slug) is not None:
            raise ProjectExists
        project = Project(
            id=new_id(),
            organization_id=organization.id,
            slug=wanted.slug,
            name=wanted.name,
            created_at=self.clock.now(),
        )
        confine(self.session, {*caller.project_ids, project.id})
        self._repository.add(project)
        self._audit(caller, "project.created", project.slug, project.id)
        return ProjectRead(
            id=project.id,
            slug=project.slug,
            name=project.name,
            organization_id=organization.id,
            organization_name=organization.name,
            role=Role.OWNER,
        )

    def audit_entries(self, caller: Caller, project_id: UUID | None, query: PageQuery) -> Page[Any]:
        """What was done in a project, newest first; takes a maintainer."""
        project = caller.project_or_only(project_id)
        caller.require(project, Role.MAINTAINER)
        statement = select(AuditEntry).where(AuditEntry.project_id == project)
        return page_of(self.session, statement, AuditEntry.id, query, lambda row: row)

    def _own_organization(self, caller: Caller, organization_id: UUID | None) -> Organization:
        own = {one.id: one for one in self.organizations(caller)}
        chosen = organization_id or (next(iter(own)) if len(own) == 1 else None)
        if chosen is None:
            raise Invalid(
                "which organization? give organization_id",
                errors=[FieldProblem(path="organization_id", message="is missing", expected="id")],
            )
        membership = self._repository.membership(chosen, caller.id)
        if membership is None or chosen not in own:
            raise NotFound
        if membership.role != Role.OWNER:
            raise Forbidden(f"you are {membership.role} in this organization; this takes owner")
        return own[chosen]

    def _membership(
        self, caller: Caller, project_id: UUID | None, user_id: UUID
    ) -> tuple[UUID, Membership]:
        project = caller.project_or_only(project_id)
        caller.require(project, Role.OWNER)
        organization_id = self._organization(caller, project)
        self._repository.lock_organization(organization_id)
        membership = self._repository.membership(organization_id, user_id)
        if membership is None:
            raise NotFound
        return project, membership

    def _keep_an_owner(self, membership: Membership) -> None:
        owners = self._repository.owners_count(membership.organization_id)
        if membership.role == Role.OWNER and owners == 1:
            raise LastOwner

    def _audit(
        self, caller: Caller, action: str, subject: str, project_id: UUID, **details: Any
    ) -> None:
        audit.record(
            self.session,
            self.clock,
            actor=caller.name,
            action=action,
            subject=subject,
            project_id=project_id,
            **details,
        )

    def _organization(self, caller: Caller, project_id: UUID | None) -> UUID:
        project = self.session.get(Project, caller.project_or_only(project_id))
        if project is None:
            raise NotFound
        return project.organization_id
