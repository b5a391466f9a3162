"""Somebody asks to join by their address; who gets an invitation is worked out afterwards, so that
the answer is the same for everybody, and takes as long.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.grants import handed_on
from weighhouse_backend.identity.invitation_repository import end_invitations, to_address
from weighhouse_backend.identity.login_repository import LoginRepository
from weighhouse_backend.identity.models import Invitation
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.mail import NoMail, mail_is_set_up
from weighhouse_backend.kit.rates import TooManyRequests
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.membership.domain_models import DomainAsking, JoiningAsk, JoiningDomain
from weighhouse_backend.membership.invitations import LASTS, waiting

DAY = datetime.timedelta(days=1)
ASKS_OF_NETWORK = 50
"""Askings from one network address in a day, for whatever addresses: an office may all come in at
once, and nobody alone uses up what a domain may get.
"""
LETTERS_A_DAY = 3
"""Invitations that somebody gets into one organization by asking themselves."""
LETTERS_OF_DOMAIN = 200
"""And into it altogether, by one domain: strangers fill no company's postboxes."""


@dataclass(frozen=True)
class JoiningService:
    """Takes askings, and answers them by invitations."""

    session: Session
    clock: Clock
    settings: Settings
    jobs: Jobs

    def ask(self, email: str, network: str) -> None:
        """Note that somebody asks; whether there is anything to join is not looked at yet.

        :param network: whence, as requests are counted.
        :raises NoMail: when the installation sends no mail.
        :raises TooManyRequests: when as many came from there within a day as may.
        """
        if not mail_is_set_up(self.settings):
            raise NoMail("ask an owner of your organization for an invitation")
        LoginRepository(self.session).take_turn(f"joining:{network}")
        now = self.clock.now()
        lately = select(JoiningAsk.at).where(
            JoiningAsk.address == network, JoiningAsk.at > now - DAY
        )
        counted = self.session.scalars(
            lately.order_by(JoiningAsk.at.desc()).limit(ASKS_OF_NETWORK)
        ).all()
        if len(counted) == ASKS_OF_NETWORK:
            words = f"{ASKS_OF_NETWORK} have asked from your network within a day"
            raise too_often(words, counted[-1] + DAY - now)
        row = JoiningAsk(email=email, address=network, at=now)
        self.session.add(row)
        self.session.flush()
        self.jobs.send("identity.answer_joining", ask_id=str(row.id))

    def answer(self, ask_id: UUID) -> None:
        """Have an invitation sent into every organization that lets people of the address' domain
        join. Repeatable.
        """
        ask = self.session.get(JoiningAsk, ask_id, with_for_update=True)
        if ask is None or ask.answered_at is not None:
            return
        ask.answered_at = self.clock.now()
        domain = ask.email.rpartition("@")[2]
        if not domain.isascii():  # other letters have small ones in ASCII: K, the unit of kelvin
            return
        found = select(JoiningDomain.organization_id).where(
            JoiningDomain.domain == domain.lower(), JoiningDomain.verified_at.is_not(None)
        )
        # In one order, so that nobody who locks several waits for another one.
        for each in self.session.scalars(found.order_by(JoiningDomain.organization_id)).all():
            self._into(each, domain.lower(), ask)

    def unanswered(self) -> Sequence[UUID]:
        """Askings that are still to be answered, oldest first; what counts no more is forgotten."""
        old = self.clock.now() - DAY
        self.session.execute(delete(JoiningAsk).where(JoiningAsk.at <= old))
        self.session.execute(delete(DomainAsking).where(DomainAsking.at <= old))
        left = select(JoiningAsk.id).where(JoiningAsk.answered_at.is_(None))
        return self.session.scalars(left.order_by(JoiningAsk.at)).all()

    def _into(self, organization_id: UUID, domain: str, ask: JoiningAsk) -> None:
        repository, now, email = IdentityRepository(self.session), self.clock.now(), ask.email
        repository.lock_organization(organization_id)
        row = self.session.scalar(
            select(JoiningDomain).where(
                JoiningDomain.organization_id == organization_id,
                JoiningDomain.domain == domain,
                JoiningDomain.verified_at.is_not(None),
            )
        )
        if row is None:  # it was removed, or is asked anew, just now
            return
        user = repository.user_by_email(email)
        if user is not None and repository.membership(organization_id, user.id) is not None:
            return
        by_people = [
            one
            for one in waiting(self.session, organization_id, now)
            if one.email.lower() == email.lower() and one.invited_by != domain
        ]
        if by_people:
            self._once_more(by_people[0], now)
            return
        lately = select(func.count()).where(
            Invitation.organization_id == organization_id, Invitation.created_at > now - DAY
        )
        if (self.session.scalar(lately.where(to_address(email))) or 0) >= LETTERS_A_DAY:
            return
        if letters_of(self.session, row, now) >= LETTERS_OF_DOMAIN:
            return
        end_invitations(self.session, organization_id, now, to_address(email))
        invitation = handed_on(role=row.role, organization_id=organization_id).row(
            Invitation, email=email, invited_by=domain, created_at=now, expires_at=now + LASTS
        )
        repository.add(invitation)
        for project_id in repository.oldest_projects([organization_id]):
            audit.record(
                self.session, self.clock, actor=domain, action="invitation.by_domain",
                subject=email, project_id=project_id, role=row.role, asked_from=ask.address,
            )  # fmt: skip
        self.jobs.send("identity.mail_invitation", invitation_id=str(invitation.id))

    def _once_more(self, invitation: Invitation, now: datetime.datetime) -> None:
        """Whoever was invited by somebody keeps that invitation, which a stranger's asking must not
        end; its letter goes again, as often as others go.
        """
        if invitation.mailed_at is not None and now - invitation.mailed_at > DAY / LETTERS_A_DAY:
            invitation.mailed_at = None
            self.jobs.send("identity.mail_invitation", invitation_id=str(invitation.id))


def letters_of(session: Session, row: JoiningDomain, now: datetime.datetime) -> int:
    """Invitations that people of a domain got by asking within the last day."""
    lately = select(func.count()).where(
        Invitation.organization_id == row.organization_id,
        Invitation.created_at > now - DAY,
        Invitation.invited_by == row.domain,
    )
    return session.scalar(lately) or 0


def too_often(words: str, wait: datetime.timedelta) -> TooManyRequests:
    """A limit of a day was reached.

    :param words: of what, and how many.
    """
    seconds = max(1, int(wait.total_seconds()) + 1)
    hours, minutes = divmod(-(-seconds // 60), 60)
    return TooManyRequests(
        f"{words}; ask again in {hours} h {minutes} min", headers={"Retry-After": str(seconds)}
    )
