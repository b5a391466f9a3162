"""People join by their address: an organization shows that a domain is its own, and who has an
address there gets an invitation without anybody's asking.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.domain_models import JoiningDomain
from weighhouse_backend.identity.domain_schemas import DomainCreate
from weighhouse_backend.identity.errors import LinkInvalid
from weighhouse_backend.identity.invitations import LASTS
from weighhouse_backend.identity.links import DOMAIN, row_of
from weighhouse_backend.identity.models import Invitation, Organization, Project
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.service import insist_on_owner, owns
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.mail import NoMail, mail_is_set_up
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signing import secret_of

LETTERS_A_DAY = 3
"""Invitations that somebody gets into one organization by asking themselves."""
LETTERS_OF_DOMAIN = 200
"""And into it altogether, by one domain: strangers fill no company's postboxes."""
DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class DomainService:
    """Domains of organizations, and who joins by them."""

    session: Session
    clock: Clock
    settings: Settings
    jobs: Jobs

    def read(self, caller: Caller, project_id: UUID | None) -> Sequence[JoiningDomain]:
        """Domains of a project's organization, by name; takes an owner."""
        project = self._owned(caller, project_id)
        found = select(JoiningDomain).where(
            JoiningDomain.organization_id == project.organization_id
        )
        return self.session.scalars(found.order_by(JoiningDomain.domain)).all()

    def add(self, caller: Caller, project_id: UUID | None, wanted: DomainCreate) -> JoiningDomain:
        """Ask a domain's keepers whether it is the organization's; until they say so, nobody joins
        by it. One that is there is asked anew. Takes an owner.

        :raises NoMail: when the installation sends no mail.
        :raises NoSecretKey: when links cannot be signed.
        """
        project = self._owned(caller, project_id)
        if not mail_is_set_up(self.settings):
            raise NoMail("invite people one by one; there is no WEIGHHOUSE_SMTP_HOST")
        secret_of(self.settings)
        IdentityRepository(self.session).lock_organization(project.organization_id)
        now = self.clock.now()
        row = self.session.scalar(
            select(JoiningDomain).where(
                JoiningDomain.organization_id == project.organization_id,
                JoiningDomain.domain == wanted.domain,
            )
        )
        if row is None:
            row = JoiningDomain(
                organization_id=project.organization_id, domain=wanted.domain, created_at=now
            )
            self.session.add(row)
        row.role, row.mailbox = wanted.role, wanted.mailbox
        row.expires_at, row.mailed_at, row.verified_at = now + LASTS, None, None
        self.session.flush()
        self._audit(caller.name, "domain.asked", row, project.id)
        self.jobs.send("identity.mail_domain", domain_id=str(row.id))
        return row

    def remove(self, caller: Caller, domain_id: UUID) -> None:
        """Have nobody join by a domain any more; who has joined stays. Takes an owner."""
        row = self.session.get(JoiningDomain, domain_id)
        repository = IdentityRepository(self.session)
        own = [] if row is None else self._projects(caller, row.organization_id)
        if row is None or not own or not owns(repository, caller, row.organization_id):
            raise NotFound
        self.session.delete(row)
        self._audit(caller.name, "domain.removed", row, own[0])

    def open(self, token: str) -> tuple[JoiningDomain, Organization]:
        """What a link asks.

        :raises LinkInvalid: when it was not signed here, has ended, or the domain was removed.
        """
        found = row_of(DOMAIN, self.settings, token, self.clock.now())
        row = self.session.get(JoiningDomain, found, with_for_update=True)
        if row is None:
            raise LinkInvalid("the organization asks no more")
        return row, self.session.get_one(Organization, row.organization_id)

    def confirm(self, token: str) -> tuple[JoiningDomain, Organization]:
        """Have people of a domain join, as its keepers say. Repeatable. Raises as `open` does."""
        row, organization = self.open(token)
        if row.verified_at is None:
            row.verified_at = self.clock.now()
            first = IdentityRepository(self.session).oldest_projects([row.organization_id])
            for project_id in first:
                self._audit(f"{row.mailbox}@{row.domain}", "domain.verified", row, project_id)
        return row, organization

    def ask(self, email: str) -> None:
        """Send somebody an invitation into every organization whose domain their address is of;
        says nothing of whether there is one.

        :raises NoMail: when the installation sends no mail.
        """
        if not mail_is_set_up(self.settings):
            raise NoMail("ask an owner of your organization for an invitation")
        domain = email.rpartition("@")[2].lower()
        found = select(JoiningDomain).where(
            JoiningDomain.domain == domain, JoiningDomain.verified_at.is_not(None)
        )
        for row in self.session.scalars(found.order_by(JoiningDomain.id)).all():
            self._invite(row, email)

    def _invite(self, row: JoiningDomain, email: str) -> None:
        repository, now = IdentityRepository(self.session), self.clock.now()
        repository.lock_organization(row.organization_id)
        user = repository.user_by_email(email)
        if user is not None and repository.membership(row.organization_id, user.id) is not None:
            return
        theirs = func.lower(Invitation.email) == email.lower()
        lately = select(func.count()).where(
            Invitation.organization_id == row.organization_id, Invitation.created_at > now - DAY
        )
        if (self.session.scalar(lately.where(theirs)) or 0) >= LETTERS_A_DAY:
            return
        of_domain = lately.where(Invitation.invited_by == row.domain)
        if (self.session.scalar(of_domain) or 0) >= LETTERS_OF_DOMAIN:
            return
        invitation = Invitation(
            organization_id=row.organization_id, email=email, role=row.role,
            invited_by=row.domain, created_at=now, expires_at=now + LASTS,
        )  # fmt: skip
        repository.add(invitation)
        for project_id in repository.oldest_projects([row.organization_id]):
            audit.record(
                self.session, self.clock, actor=row.domain, action="invitation.by_domain",
                subject=email, project_id=project_id, role=row.role,
            )  # fmt: skip
        self.jobs.send("identity.mail_invitation", invitation_id=str(invitation.id))

    def _owned(self, caller: Caller, project_id: UUID | None) -> Project:
        chosen = caller.project_or_only(project_id)
        caller.require(chosen, Role.OWNER)
        project = self.session.get(Project, chosen)
        if project is None:
            raise NotFound
        insist_on_owner(IdentityRepository(self.session), caller, project.organization_id)
        return project

    def _projects(self, caller: Caller, organization_id: UUID) -> Sequence[UUID]:
        """Projects of an organization that the caller sees, the oldest first."""
        rows = select(Project.id).where(
            Project.organization_id == organization_id, Project.id.in_(list(caller.roles))
        )
        return self.session.scalars(rows.order_by(Project.id)).all()

    def _audit(self, actor: str, action: str, row: JoiningDomain, project_id: UUID | None) -> None:
        audit.record(
            self.session, self.clock, actor=actor, action=action, subject=row.domain,
            project_id=project_id, role=row.role,
        )  # fmt: skip


def domain_link(settings: Settings, row: JoiningDomain) -> str:
    """The page at which a domain's keepers confirm it."""
    token = DOMAIN.signed(secret_of(settings), row.id, row.expires_at)
    return f"{settings.public_url.rstrip('/')}/domain#{token}"
