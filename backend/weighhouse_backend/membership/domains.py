"""Domains of organizations: one shows that a domain is its own, so that who has an address there
may join (`join_requests`).
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.errors import LinkInvalid
from weighhouse_backend.identity.grants import may_give_everywhere
from weighhouse_backend.identity.invitation_repository import end_invitations
from weighhouse_backend.identity.links import DOMAIN, row_of
from weighhouse_backend.identity.models import Invitation, Organization, Project
from weighhouse_backend.identity.owners import owns, project_of_owned
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import MemberRole
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.mail import NoMail, mail_is_set_up
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import secret_of
from weighhouse_backend.membership.domain_models import DomainAsking, JoiningDomain
from weighhouse_backend.membership.domain_schemas import DomainCreate, DomainRead, Mailbox
from weighhouse_backend.membership.invitations import LASTS
from weighhouse_backend.membership.join_requests import (
    DAY,
    LETTERS_OF_DOMAIN,
    letters_of,
    too_often,
)

ASKINGS_A_DAY = 3
"""Mails to a domain's keepers by one organization, removed and named anew or not."""


@dataclass(frozen=True)
class Standing:
    """A domain, and what came of it within the last day."""

    row: JoiningDomain
    letters: int
    """Invitations that people of it got by asking."""


def shown(found: Standing) -> DomainRead:
    """A domain as the API shows it."""
    row = found.row
    return read_of(
        DomainRead,
        row,
        role=MemberRole(row.role),
        mailbox=Mailbox(row.mailbox),
        letters_today=found.letters,
        letters_at_most=LETTERS_OF_DOMAIN,
    )


@dataclass(frozen=True)
class DomainService:
    """Domains of organizations, as owners and the domains' keepers say."""

    session: Session
    clock: Clock
    settings: Settings
    jobs: Jobs

    def read(self, caller: Caller, project_id: UUID | None) -> list[Standing]:
        """Domains of a project's organization, by name; takes an owner."""
        project = self._owned(caller, project_id)
        found = select(JoiningDomain).where(
            JoiningDomain.organization_id == project.organization_id
        )
        rows = self.session.scalars(found.order_by(JoiningDomain.domain)).all()
        now = self.clock.now()
        return [Standing(row, letters_of(self.session, row, now)) for row in rows]

    def add(self, caller: Caller, project_id: UUID | None, wanted: DomainCreate) -> Standing:
        """Ask a domain's keepers whether it is the organization's; until they say so, nobody joins
        by it. One that is there is asked anew: earlier links, and invitations by it that wait, do
        not hold any more. Takes an owner.

        :raises NoMail: when the installation sends no mail.
        :raises NoSecretKey: when links cannot be signed.
        :raises TooManyRequests: when they were asked as often within a day as may be.
        """
        project = self._owned(caller, project_id)
        grant = may_give_everywhere(
            self.session, caller, wanted.role,
            organization_id=project.organization_id,
        )  # fmt: skip
        if not mail_is_set_up(self.settings):
            raise NoMail("invite people one by one; there is no WEIGHHOUSE_SMTP_HOST")
        secret_of(self.settings)
        organization_id, now = project.organization_id, self.clock.now()
        IdentityRepository(self.session).lock_organization(organization_id)
        asking = self._asking(organization_id, wanted.domain, now)
        # Locked, too: its keepers may be confirming it.
        row = self.session.scalar(
            select(JoiningDomain)
            .where(
                JoiningDomain.organization_id == organization_id,
                JoiningDomain.domain == wanted.domain,
            )
            .with_for_update()
        )
        if row is None:
            row = grant.row(JoiningDomain, domain=wanted.domain, created_at=now)
            self.session.add(row)
        grant.to(row)
        row.mailbox, row.asking_id = wanted.mailbox, asking.id
        row.expires_at, row.mailed_at, row.verified_at = now + LASTS, None, None
        self.session.flush()
        ended = self._end_invitations(row, now)
        self._audit(caller.name, "domain.asked", row, project.id, invitations_ended=ended)
        self.jobs.send("identity.mail_domain", domain_id=str(row.id))
        return Standing(row, letters_of(self.session, row, now))

    def remove(self, caller: Caller, domain_id: UUID) -> None:
        """Have nobody join by a domain any more; who has joined stays, invitations that wait end.
        Takes an owner.
        """
        of = select(JoiningDomain.organization_id).where(JoiningDomain.id == domain_id)
        organization_id = self.session.scalar(of)
        repository = IdentityRepository(self.session)
        own = [] if organization_id is None else self._projects(caller, organization_id)
        if organization_id is None or not own or not owns(self.session, caller, organization_id):
            raise NotFound
        repository.lock_organization(organization_id)
        row = self.session.get(JoiningDomain, domain_id, with_for_update=True)
        if row is None:
            raise NotFound
        ended = self._end_invitations(row, self.clock.now())
        self.session.delete(row)
        self._audit(caller.name, "domain.removed", row, own[0], invitations_ended=ended)

    def open(self, token: str) -> tuple[JoiningDomain, Organization]:
        """What a link asks.

        :raises LinkInvalid: when it was not signed here, has ended, the domain was removed, or its
            keepers were asked anew.
        """
        return self._opened(self._asked(token))

    def confirm(self, token: str) -> tuple[JoiningDomain, Organization]:
        """Have people of a domain join, as its keepers say. Repeatable. Raises as `open` does."""
        row, organization = self._opened(self._asked(token).with_for_update())
        if row.verified_at is None:
            row.verified_at = self.clock.now()
            first = IdentityRepository(self.session).oldest_projects([row.organization_id])
            for project_id in first:
                self._audit(f"{row.mailbox}@{row.domain}", "domain.verified", row, project_id)
        return row, organization

    def _asked(self, token: str) -> Select[JoiningDomain]:
        asking_id = row_of(DOMAIN, self.settings, token, self.clock.now())
        return select(JoiningDomain).where(JoiningDomain.asking_id == asking_id)

    def _opened(self, found: Select[JoiningDomain]) -> tuple[JoiningDomain, Organization]:
        row = self.session.scalar(found)
        if row is None:
            raise LinkInvalid("the organization asks no more, or has asked anew; see a later mail")
        return row, self.session.get_one(Organization, row.organization_id)

    def _asking(self, organization_id: UUID, domain: str, now: datetime.datetime) -> DomainAsking:
        lately = self.session.scalars(
            select(DomainAsking.at)
            .where(
                DomainAsking.organization_id == organization_id,
                DomainAsking.domain == domain,
                DomainAsking.at > now - DAY,
            )
            .order_by(DomainAsking.at.desc())
            .limit(ASKINGS_A_DAY)
        ).all()
        if len(lately) == ASKINGS_A_DAY:
            words = f"the keepers of {domain} were asked {ASKINGS_A_DAY} times within a day"
            raise too_often(words, lately[-1] + DAY - now)
        asking = DomainAsking(organization_id=organization_id, domain=domain, at=now)
        self.session.add(asking)
        self.session.flush()
        return asking

    def _end_invitations(self, row: JoiningDomain, now: datetime.datetime) -> int:
        by_it = Invitation.invited_by == row.domain
        return end_invitations(self.session, row.organization_id, now, by_it)

    def _owned(self, caller: Caller, project_id: UUID | None) -> Project:
        return project_of_owned(self.session, caller, project_id)

    def _projects(self, caller: Caller, organization_id: UUID) -> Sequence[UUID]:
        """Projects of an organization that the caller sees, the oldest first."""
        rows = select(Project.id).where(
            Project.organization_id == organization_id, Project.id.in_(list(caller.roles))
        )
        return self.session.scalars(rows.order_by(Project.id)).all()

    def _audit(
        self, actor: str, action: str, row: JoiningDomain, project_id: UUID | None, **more: int
    ) -> None:
        audit.record(
            self.session, self.clock, actor=actor, action=action, subject=row.domain,
            project_id=project_id, role=row.role, **more,
        )  # fmt: skip


def domain_link(settings: Settings, row: JoiningDomain) -> str:
    """The page at which a domain's keepers confirm it."""
    token = DOMAIN.signed(secret_of(settings), row.asking_id, row.expires_at)
    return DOMAIN.address(settings, token)
