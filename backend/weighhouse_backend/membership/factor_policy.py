"""What an organization's owners decide about the second factors of its people."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import DateTime, Uuid, column, func, literal, select
from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.errors import FactorElsewhere, FactorMissing, FactorOwn
from weighhouse_backend.identity.models import Organization, Project
from weighhouse_backend.identity.owners import owns, project_of_owned
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.problems import Forbidden, NotFound
from weighhouse_backend.membership.factor_policy_schemas import FactorPolicyRead


@dataclass(frozen=True)
class FactorPolicyService:
    """For owners of organizations, signed in; keys and logins stay unseen."""

    session: Session
    clock: Clock

    def holders(self, caller: Caller, project_id: UUID | None) -> Collection[UUID] | None:
        """Who has a second factor; None: the caller is no owner, and is not told."""
        project = self.session.get(Project, caller.project_or_only(project_id))
        if project is None or not owns(self.session, caller, project.organization_id):
            return None
        return self._holders()

    def reset(self, caller: Caller, project_id: UUID | None, user_id: UUID) -> None:
        """Have a member's logins take the password alone; all their logins end.

        :raises NotFound: when they are no member, or have no second factor.
        :raises FactorOwn: when it is the caller's own.
        :raises FactorElsewhere: when they are in other organizations too.
        """
        project = self._owned(caller, project_id)
        repository = IdentityRepository(self.session)
        repository.lock_organization(project.organization_id)
        user = repository.user(user_id)
        if user is None or repository.membership(project.organization_id, user_id) is None:
            raise NotFound
        if user_id == caller.person_id:
            raise FactorOwn("turn it off under Your account, by a code of it")
        reset = func.weighhouse_reset_factor(
            literal(user_id, Uuid()), literal(new_id(), Uuid()),
            literal(self.clock.now(), DateTime(timezone=True)),
        )  # fmt: skip
        came_to = self.session.scalar(select(reset))
        if came_to == "elsewhere":
            raise FactorElsewhere(
                "who keeps the installation resets it: weighhouse people reset-factor"
            )
        if came_to == "none":
            raise NotFound("they have no second factor")
        audit.record(
            self.session, self.clock, actor=caller.name, action="second_factor.reset",
            subject=user.email, project_id=project.id,
        )  # fmt: skip

    def read(self, caller: Caller, project_id: UUID | None) -> FactorPolicyRead:
        """Whether a project's organization requires a second factor."""
        return _told(self._organization(self._owned(caller, project_id)))

    def require(
        self, caller: Caller, project_id: UUID | None, *, required: bool
    ) -> FactorPolicyRead:
        """Have roles in a project's organization rest while a person has no second factor, or hold
        again. Repeatable. Who has none is told by mail.

        :raises FactorMissing: when the caller is in by a password and has none.
        """
        project = self._owned(caller, project_id)
        repository = IdentityRepository(self.session)
        repository.lock_organization(project.organization_id)
        row = self._organization(project)
        if required == (row.factor_required_at is not None):
            return _told(row)
        now = self.clock.now()
        if required and caller.provider_id is None and caller.person_id not in self._holders():
            raise FactorMissing("set it up first, under Settings, Your account")
        row.factor_required_at = now if required else None
        self.session.flush()
        details = {}
        if required:
            tell = func.weighhouse_tell_of_factor(
                literal(row.id, Uuid()), literal(now, DateTime(timezone=True))
            )
            details["people_without"] = self.session.scalar(select(tell))
        audit.record(
            self.session, self.clock, actor=caller.name,
            action="second_factor.required" if required else "second_factor.optional",
            subject=row.slug, project_id=project.id, **details,
        )  # fmt: skip
        return _told(row)

    def _organization(self, project: Project) -> Organization:
        return self.session.get_one(Organization, project.organization_id, populate_existing=True)

    def _holders(self) -> Collection[UUID]:
        found = func.weighhouse_factors().table_valued(column("user_id", Uuid()))
        return set(self.session.scalars(select(found.c.user_id)))

    def _owned(self, caller: Caller, project_id: UUID | None) -> Project:
        if caller.kind != "user":
            raise Forbidden("an API token decides nothing of second factors; sign in")
        return project_of_owned(self.session, caller, project_id)


def _told(row: Organization) -> FactorPolicyRead:
    return FactorPolicyRead(
        required=row.factor_required_at is not None, since=row.factor_required_at
    )
