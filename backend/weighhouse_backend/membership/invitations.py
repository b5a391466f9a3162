"""People join by invitation: a link by mail, or one that is handed over where there is no mail."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.errors import AlreadyMember, LinkInvalid, WrongPassword
from weighhouse_backend.identity.grants import (
    give_in_project,
    handed_on,
    may_give,
    may_give_everywhere,
)
from weighhouse_backend.identity.invitation_repository import end_invitations, to_address
from weighhouse_backend.identity.links import INVITATION, row_of
from weighhouse_backend.identity.models import (
    Invitation,
    Membership,
    Organization,
    Project,
    User,
)
from weighhouse_backend.identity.owners import owned_project, owns
from weighhouse_backend.identity.password_strength import insist_on_strength
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import MemberRole, Role
from weighhouse_backend.identity.schemas import InvitationAccept, InvitationCreate
from weighhouse_backend.identity.secrets import hash_password, password_fits
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.mail import mail_is_set_up
from weighhouse_backend.kit.problems import FieldProblem, Invalid, NotFound
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import secret_of

LASTS = datetime.timedelta(days=7)


@dataclass(frozen=True)
class Opened:
    """An invitation whose link somebody holds."""

    row: Invitation
    organization: Organization
    project: Project | None
    known: bool
    """Whether its address has an account, whose password is asked for."""


@dataclass(frozen=True)
class InvitationService:
    """Asks people in, and lets them in."""

    session: Session
    clock: Clock
    settings: Settings
    jobs: Jobs

    @property
    def _repository(self) -> IdentityRepository:
        return IdentityRepository(self.session)

    def invite(
        self, caller: Caller, project_id: UUID | None, wanted: InvitationCreate
    ) -> tuple[Invitation, str | None]:
        """Ask a person in; takes an owner. An earlier invitation of theirs ends.

        :param project_id: names the organization; and the project, when the role is for it alone.
        :returns: the row, and the link where it has to be handed over, since no mail is sent.
        :raises AlreadyMember: when they are in already.
        :raises NoSecretKey: when links cannot be signed.
        """
        project = owned_project(self.session, caller, project_id)
        organization_id = project.organization_id
        within: dict[str, UUID] = {}
        if wanted.only_this_project:
            grant = may_give(caller, wanted.role, project_id=project.id)
            within = {"organization_id": organization_id}
        else:
            grant = may_give_everywhere(
                self.session, caller, wanted.role, organization_id=organization_id
            )
        secret_of(self.settings)
        if wanted.only_this_project and wanted.role is MemberRole.GUEST:
            raise Invalid(
                "a guest has no role in a project",
                errors=[FieldProblem(path="role", message="is guest", expected="a project's role")],
            )
        self._repository.lock_organization(organization_id)
        self._keep_out_members(project, wanted)
        now = self.clock.now()
        end_invitations(self.session, organization_id, now, to_address(wanted.email))
        row = grant.row(
            Invitation, **within, email=wanted.email, invited_by=caller.name, created_at=now,
            expires_at=now + LASTS,
        )  # fmt: skip
        self._repository.add(row)
        self._audit(caller.name, "invitation.sent", row, project.id)
        if mail_is_set_up(self.settings):
            self.jobs.send("identity.mail_invitation", invitation_id=str(row.id))
            return row, None
        return row, invitation_link(self.settings, row)

    def pending(self, caller: Caller, project_id: UUID | None) -> Sequence[Invitation]:
        """Invitations that wait, newest first: to an owner of the organization all of it, to an
        owner of a project those into it alone.
        """
        project = owned_project(self.session, caller, project_id)
        found = self._pending(project.organization_id)
        if owns(self.session, caller, project.organization_id):
            return found
        return [one for one in found if one.project_id == project.id]

    def revoke(self, caller: Caller, invitation_id: UUID) -> None:
        """End an invitation; takes an owner of what it is into. Repeatable."""
        row = self.session.get(Invitation, invitation_id)
        if row is None:
            raise NotFound
        if not owns(self.session, caller, row.organization_id):
            if row.project_id is None:
                raise NotFound
            caller.require(row.project_id, Role.OWNER)
        if row.revoked_at is None and row.accepted_at is None:
            row.revoked_at = self.clock.now()
            project_id = row.project_id or self._own_project(caller, row.organization_id)
            self._audit(caller.name, "invitation.revoked", row, project_id)

    def open(self, token: str) -> Opened:
        """What a link invites to.

        :raises LinkInvalid: when it was not signed here, has ended, was used or revoked.
        """
        found = row_of(INVITATION, self.settings, token, self.clock.now())
        row = self.session.get(Invitation, found, populate_existing=True)
        if row is None:
            raise LinkInvalid("what it invited to is gone")
        if row.accepted_at is not None:
            raise LinkInvalid("it was used already; sign in")
        if row.revoked_at is not None:
            raise LinkInvalid("it was taken back; ask whoever sent it")
        organization = self.session.get_one(Organization, row.organization_id)
        project = None if row.project_id is None else self.session.get(Project, row.project_id)
        known = self._repository.user_by_email(row.email) is not None
        return Opened(row, organization, project, known)

    def accept(self, token: str, said: InvitationAccept) -> User:
        """Let somebody in who holds a link: a new account, or the one of that address by its
        password. What else invites them into the organization ends.

        :raises LinkInvalid: as `open`.
        :raises WrongPassword: when the account's password does not fit.
        :raises WeakPassword: when a new account's is soon guessed.
        """
        self._repository.lock_organization(self.open(token).row.organization_id)
        row = self.open(token).row  # whoever waited for another one is told what became of it
        user = self._repository.user_by_email(row.email)
        now = self.clock.now()
        if user is not None:
            if not password_fits(user.password_hash, said.password):
                raise WrongPassword("the account of this address has another password")
        else:
            if said.name is None:
                raise Invalid(
                    "a new account needs a name",
                    errors=[FieldProblem(path="name", message="is missing", expected="a name")],
                )
            insist_on_strength(said.password, said.name, row.email)
            user = User(
                email=row.email, name=said.name, password_hash=hash_password(said.password),
                created_at=now,
            )  # fmt: skip
            self._repository.add(user)
        let_in(self.session, row, user, now)
        self._audit(user.name, "invitation.accepted", row, row.project_id)
        return user

    def _keep_out_members(self, project: Project, wanted: InvitationCreate) -> None:
        user = self._repository.user_by_email(wanted.email)
        if user is None:
            return
        place = self._repository.membership(project.organization_id, user.id)
        if place is not None:
            raise AlreadyMember("change their role instead")

    def _pending(self, organization_id: UUID) -> Sequence[Invitation]:
        return waiting(self.session, organization_id, self.clock.now())

    def _own_project(self, caller: Caller, organization_id: UUID) -> UUID | None:
        """A project of an organization that the caller sees, to note what was done in."""
        rows = select(Project.id).where(
            Project.organization_id == organization_id, Project.id.in_(list(caller.roles))
        )
        return self.session.scalar(rows.order_by(Project.id).limit(1))

    def _audit(self, actor: str, action: str, row: Invitation, project_id: UUID | None) -> None:
        audit.record(
            self.session, self.clock, actor=actor, action=action, subject=row.email,
            project_id=project_id, role=row.role,
        )  # fmt: skip


def waiting(
    session: Session, organization_id: UUID, now: datetime.datetime
) -> Sequence[Invitation]:
    """Invitations into an organization that may still be accepted, newest first."""
    return session.scalars(
        select(Invitation)
        .where(
            Invitation.organization_id == organization_id,
            Invitation.accepted_at.is_(None),
            Invitation.revoked_at.is_(None),
            Invitation.expires_at > now,
        )
        .order_by(Invitation.id.desc())
    ).all()


def let_in(session: Session, row: Invitation, user: User, now: datetime.datetime) -> None:
    """Give a person what an invitation promises, never less than they have; others into the same
    organization end, so that none brings them back once they are out of it.
    """
    repository = IdentityRepository(session)
    row.accepted_at = now
    session.flush()
    end_invitations(session, row.organization_id, now, to_address(row.email))
    _join(repository, row, user, now)


def _join(
    repository: IdentityRepository, row: Invitation, user: User, now: datetime.datetime
) -> None:
    if repository.membership(row.organization_id, user.id) is None:
        role = MemberRole.GUEST if row.project_id is not None else MemberRole(row.role)
        grant = handed_on(role=role, organization_id=row.organization_id)
        repository.add(grant.row(Membership, user_id=user.id, created_at=now))
    if row.project_id is None:
        return
    own = repository.project_role(row.project_id, user.id)
    if own is None or not Role(own).covers(Role(row.role)):
        grant = handed_on(role=row.role, project_id=row.project_id)
        give_in_project(repository.session, grant, user.id, now)


def invitation_link(settings: Settings, row: Invitation) -> str:
    """The page at which an invitation is accepted; what signs it never reaches a server's log."""
    token = INVITATION.signed(secret_of(settings), row.id, row.expires_at)
    return INVITATION.address(settings, token)
