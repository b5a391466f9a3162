"""Logins, tokens, members."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.errors import LastOwner, OrganizationExists
from weighhouse_backend.identity.grants import (
    founding,
    give_in_project,
    may_give,
    may_give_everywhere,
)
from weighhouse_backend.identity.models import (
    Membership,
    Organization,
    Project,
    User,
)
from weighhouse_backend.identity.owners import project_of_owned
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import MemberRole, Role
from weighhouse_backend.identity.schemas import OrganizationCreate, ProjectRead
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.problems import Forbidden, NotFound
from weighhouse_backend.kit.tenancy import confine_to_people
from weighhouse_backend.membership import rosters
from weighhouse_backend.membership.projects import project_read

FIRST_PROJECT = "main"


@dataclass(frozen=True)
class MembershipService:
    """People and their access."""

    session: Session
    clock: Clock

    @property
    def _repository(self) -> IdentityRepository:
        return IdentityRepository(self.session)

    def user(self, user_id: UUID) -> User:
        """:raises NotFound: when there is no such person."""
        found = self._repository.user(user_id)
        if found is None:
            raise NotFound
        return found

    def signed_in(self, caller: Caller) -> User:
        """Who calls, who may be a member of nothing; the transaction is confined from here on."""
        found = self.user(caller.id)
        confine_to_people(self.session, caller.roles)
        return found

    def organizations(self, caller: Caller) -> list[Organization]:
        """The caller's organizations."""
        pairs = self._repository.projects(list(caller.project_ids))
        return list({organization.id: organization for _, organization in pairs}.values())

    def members(
        self, caller: Caller, project_id: UUID | None
    ) -> Sequence[tuple[User, str, str | None]]:
        """People of a project's organization, with their role there and their own one in the
        project; guests only of this project.
        """
        project = caller.project_or_only(project_id)
        return self._repository.members(self._organization(caller, project), project)

    def watchers(self, project_id: UUID) -> list[User]:
        """Everybody who sees a project, for features above."""
        project = self.session.get_one(Project, project_id)
        found = self._repository.members(project.organization_id, project_id)
        return [user for user, _, _ in found]

    def sees(self, user_id: UUID) -> Collection[UUID]:
        """The projects that a person sees, for features above."""
        return self._repository.roles_of(user_id)

    def is_colleague(self, project_id: UUID, user_id: UUID) -> bool:
        """Whether a person sees a project, for features above."""
        return self._repository.is_colleague(project_id, user_id)

    def names(self, user_ids: Collection[UUID]) -> dict[UUID, str]:
        """Names of people, for features above."""
        return self._repository.names(user_ids)

    def change_member(
        self, caller: Caller, project_id: UUID | None, user_id: UUID, role: MemberRole
    ) -> tuple[User, str | None]:
        """Give a person another role in the organization; takes an owner of it.

        :returns: the person, and their own role in the project.

        :raises LastOwner: when nobody would be left to give access.
        """
        project, membership = self._membership(caller, project_id, user_id)
        before = membership.role
        grant = may_give_everywhere(
            self.session, caller, role, organization_id=membership.organization_id,
            before=before,
        )  # fmt: skip
        if role != MemberRole.OWNER:
            self._keep_an_owner(membership)
        grant.to(membership)
        user = self.user(user_id)
        self._audit(caller, "member.changed", user.email, project, role=str(role), before=before)
        return user, self._repository.project_role(project, user_id)

    def remove_member(self, caller: Caller, project_id: UUID | None, user_id: UUID) -> None:
        """Take a person's access to the organization and all its projects; takes an owner of it.
        Their personal tokens end with it, and their logins when they are in no other organization.

        :raises LastOwner: when nobody would be left to give access.
        """
        project, membership = self._membership(caller, project_id, user_id)
        self._offboard(membership, caller.name, project)

    def dismiss(self, organization_id: UUID, user_id: UUID, *, by: str) -> None:
        """Take a person's access to an organization, as `remove_member` does, for features above;
        the transaction sees the organization's projects.

        :param by: who does so, for the audit log.
        :raises NotFound: when they are not in it.
        :raises LastOwner: when nobody would be left to give access.
        """
        self._repository.lock_organization(organization_id)
        membership = self._repository.membership(organization_id, user_id)
        if membership is None:
            raise NotFound
        self._offboard(membership, by, self.projects_of(organization_id)[0])

    def people_of(
        self, organization_id: UUID, *, user_id: UUID | None = None, email: str | None = None
    ) -> Sequence[tuple[User, datetime.datetime]]:
        """People of an organization and since when they are in it, guests too, by id; for features
        above.

        :param user_id: this one alone.
        :param email: whoever has this address alone, capitals or not.
        """
        return rosters.people_of(self.session, organization_id, user_id, email)

    def projects_of(self, organization_id: UUID) -> Sequence[UUID]:
        """Projects of an organization, the oldest first; for features above."""
        return rosters.projects_of(self.session, organization_id)

    def _offboard(self, membership: Membership, by: str, project_id: UUID) -> None:
        self._keep_an_owner(membership)
        user = self.user(membership.user_id)  # who is no member is not seen any more
        ended = self._repository.offboard(membership, self.clock.now())
        audit.record(
            self.session, self.clock, actor=by, action="member.removed", subject=user.email,
            project_id=project_id, personal_tokens=ended,
        )  # fmt: skip

    def set_project_role(self, caller: Caller, project_id: UUID, user_id: UUID, role: Role) -> None:
        """Give a member a role of their own in one project; takes an owner of the project."""
        self._member_of(caller, project_id, user_id)
        before = self._repository.project_role(project_id, user_id) or MemberRole.GUEST
        grant = may_give(caller, role, project_id=project_id, before=before)
        give_in_project(self.session, grant, user_id, self.clock.now())
        email = self.user(user_id).email
        self._audit(caller, "member.project_role", email, project_id, role=str(role))

    def end_project_role(self, caller: Caller, project_id: UUID, user_id: UUID) -> None:
        """Take a member's own role in a project; what the organization gives them stays."""
        self._member_of(caller, project_id, user_id)
        if self._repository.end_project_role(project_id, user_id):
            email = self.user(user_id).email
            self._audit(caller, "member.project_role_ended", email, project_id)

    def make_organization(self, caller: Caller, wanted: OrganizationCreate) -> ProjectRead:
        """Make an organization with its first project, owned by the caller; takes a person who owns
        one on this installation.

        :raises OrganizationExists: when there is one with this slug.
        """
        if caller.kind != "user":
            raise Forbidden("an API token belongs to one project; a person makes an organization")
        if caller.provider_id is not None:
            raise Forbidden("this login is for one organization; sign in with your password")
        if not self._repository.owns_any(caller.id):
            raise Forbidden("this takes somebody who owns an organization here")
        if self._repository.organization_by_slug(wanted.slug) is not None:
            raise OrganizationExists
        now = self.clock.now()
        organization = Organization(slug=wanted.slug, name=wanted.name, created_at=now)
        self._repository.add(organization)
        project = Project(
            id=new_id(), organization_id=organization.id, slug=FIRST_PROJECT,
            name=FIRST_PROJECT.capitalize(), created_at=now,
        )  # fmt: skip
        self._repository.add(project)
        grant = founding(organization_id=organization.id)
        self._repository.add(grant.row(Membership, user_id=caller.id, created_at=now))
        self._audit(caller, "organization.created", organization.slug, project.id)
        return project_read(project, organization, Role.OWNER)

    def _member_of(self, caller: Caller, project_id: UUID, user_id: UUID) -> None:
        caller.require(project_id, Role.OWNER)
        organization_id = self._organization(caller, project_id)
        if self._repository.membership(organization_id, user_id) is None:
            raise NotFound("this person is not in the organization; invite them")

    def _membership(
        self, caller: Caller, project_id: UUID | None, user_id: UUID
    ) -> tuple[UUID, Membership]:
        project = project_of_owned(self.session, caller, project_id)
        self._repository.lock_organization(project.organization_id)
        membership = self._repository.membership(project.organization_id, user_id)
        if membership is None:
            raise NotFound
        return project.id, membership

    def _keep_an_owner(self, membership: Membership) -> None:
        owners = self._repository.owners_count(membership.organization_id)
        if membership.role == MemberRole.OWNER and owners == 1:
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
