"""What is written to people, and that it was sent; for the worker."""

import datetime
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from weighhouse_backend.identity.factor_models import FactorLetter
from weighhouse_backend.identity.models import (
    Invitation,
    Organization,
    PasswordReset,
    Project,
    User,
)
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.mail import Letter, Post, mail_is_set_up
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.membership.domain_models import JoiningDomain
from weighhouse_backend.membership.domains import domain_link
from weighhouse_backend.membership.invitations import invitation_link
from weighhouse_backend.sign_in.passwords import reset_link

TOLD_WITHIN = datetime.timedelta(days=1)
REQUIRED = "required"
"""Told to those who have none; all else is told of what became of one."""
NOT_YOU = (
    "If it was not you, and you did not ask for it, change your password and tell an owner of "
    "your organization."
)
TAKE_OFF = (
    "If it was not you, changing your password does not help by itself: remove it under Settings, "
    "Your account, and then change your password. If you do not get in any more, have an owner of "
    "your organization, or whoever keeps the installation, reset your second factor; that ends all "
    "logins of your account."
)
ADVICE = {"set_up": TAKE_OFF, "passkey_added": TAKE_OFF, REQUIRED: ""}
FACTOR_NEWS = {
    "set_up": "An authenticator was set up for your account: logins take a code of it from now on.",
    "authenticator_removed": "The authenticator of your account was taken off.",
    "passkey_added": (
        "A passkey was added to your account: it signs you in by itself, and your password alone "
        "does not any more."
    ),
    "passkey_removed": "A passkey of your account was removed.",
    "removed": "The second factor of your account was turned off: your password alone signs in.",
    "recovery_codes_made": "New recovery codes were made for your account; the former ones ended.",
    "recovery_code_used": "A recovery code of your account was used instead of its second factor.",
    "reset": (
        "The second factor of your account was reset by an owner of your organization, or by "
        "whoever keeps the installation: your password alone signs in, and you were signed out "
        "everywhere. Set it up anew under Settings, Your account."
    ),
    REQUIRED: (
        "An organization that you belong to requires a second factor from now on. You have none: "
        "sign in and set it up under Settings, Your account. Until then your role in the "
        "organization rests, and so do your personal tokens there."
    ),
}


@dataclass(frozen=True)
class LetterService:
    """Writes and sends letters. A letter may go out twice, never not at all while its link holds:
    what has no `mailed_at` is tried again.
    """

    session: Session
    clock: Clock
    settings: Settings
    post: Post

    def mail_invitation(self, invitation_id: UUID) -> None:
        """Send an invitation that was not sent yet. Raises OSError when the server refuses it."""
        row = self.session.get(Invitation, invitation_id, with_for_update=True)
        if row is None or row.mailed_at or row.revoked_at or row.accepted_at or self._over(row):
            return
        organization = self.session.get_one(Organization, row.organization_id)
        project = None if row.project_id is None else self.session.get(Project, row.project_id)
        where = organization.name if project is None else f"{project.name}, {organization.name}"
        self.post.send(
            Letter(
                to=row.email,
                subject=f"Invitation to {organization.name} on Weighhouse",
                text=(
                    f"{row.invited_by} invites you to {where}, as {row.role}.\n\n"
                    f"{invitation_link(self.settings, row)}\n\n"
                    f"The link holds until {row.expires_at:%Y-%m-%d %H:%M} UTC, for this address "
                    "alone. If you do not know what this is about, there is nothing to do.\n"
                ),
            )
        )
        row.mailed_at = self.clock.now()

    def mail_domain(self, domain_id: UUID) -> None:
        """Ask a domain's keepers whether it is an organization's. Raises OSError when the server
        refuses it.
        """
        row = self.session.get(JoiningDomain, domain_id, with_for_update=True)
        if row is None or row.mailed_at or row.verified_at or self._over(row):
            return
        name = self.session.get_one(Organization, row.organization_id).name
        self.post.send(
            Letter(
                to=f"{row.mailbox}@{row.domain}",
                subject=f"Is {row.domain} a domain of {name}?",
                text=(
                    f"An owner of {name} on Weighhouse says so, and would have everybody with an "
                    f"address at {row.domain} join {name} as {row.role}. If that is right, say so "
                    "here:\n\n"
                    f"{domain_link(self.settings, row)}\n\n"
                    f"The link holds until {row.expires_at:%Y-%m-%d %H:%M} UTC. If it is not, or "
                    "you do not know, there is nothing to do: nobody joins.\n"
                ),
            )
        )
        row.mailed_at = self.clock.now()

    def unsent_domains(self) -> list[UUID]:
        """Domains whose keepers are still to be asked."""
        if not mail_is_set_up(self.settings):
            return []
        waiting = select(JoiningDomain.id).where(
            JoiningDomain.mailed_at.is_(None), JoiningDomain.verified_at.is_(None),
            JoiningDomain.expires_at > self.clock.now(),
        )  # fmt: skip
        return list(self.session.scalars(waiting.order_by(JoiningDomain.id)))

    def mail_reset(self, reset_id: UUID) -> None:
        """Send a link to set a password anew. Raises OSError when the server refuses it."""
        row = self.session.get(PasswordReset, reset_id, with_for_update=True)
        if row is None or row.mailed_at or row.used_at or self._over(row):
            return
        user = self.session.get_one(User, row.user_id)
        self.post.send(
            Letter(
                to=user.email,
                subject="Set your Weighhouse password anew",
                text=(
                    "Somebody, most likely you, asked to set the password of this address anew."
                    f"\n\n{reset_link(self.settings, row.id, row.expires_at)}\n\n"
                    f"The link holds until {row.expires_at:%H:%M} UTC, once. If it was not you, "
                    "there is nothing to do: your password stays.\n"
                ),
            )
        )
        row.mailed_at = self.clock.now()

    def mail_factor(self, letter_id: UUID) -> None:
        """Tell somebody what became of their second factor. Raises OSError when the server refuses
        it.
        """
        row = self.session.get(FactorLetter, letter_id, with_for_update=True)
        if row is None:
            return
        user = self.session.get_one(User, row.user_id)
        advice = ADVICE.get(row.kind, NOT_YOU)
        self.post.send(
            Letter(
                to=user.email,
                subject="Your second factor on Weighhouse",
                text=(
                    f"{FACTOR_NEWS[row.kind]}\n\nThat was at {row.at:%Y-%m-%d %H:%M} UTC, on "
                    f"{self.settings.public_url}\n" + (f"\n{advice}\n" if advice else "")
                ),
            )
        )
        self.session.delete(row)

    def unsent_factor_letters(self) -> list[UUID]:
        """What people are to be told of their second factors; what is older than a day, or where no
        mail is sent, is forgotten.
        """
        old = delete(FactorLetter)
        if mail_is_set_up(self.settings):
            old = old.where(FactorLetter.at < self.clock.now() - TOLD_WITHIN)
        self.session.execute(old)
        return list(self.session.scalars(select(FactorLetter.id).order_by(FactorLetter.at)))

    def unsent(self) -> tuple[list[UUID], list[UUID]]:
        """Invitations and resets whose letters are still to be sent."""
        if not mail_is_set_up(self.settings):
            return [], []
        now = self.clock.now()
        invitations = select(Invitation.id).where(
            Invitation.mailed_at.is_(None), Invitation.accepted_at.is_(None),
            Invitation.revoked_at.is_(None), Invitation.expires_at > now,
        )  # fmt: skip
        resets = select(PasswordReset.id).where(
            PasswordReset.mailed_at.is_(None), PasswordReset.used_at.is_(None),
            PasswordReset.expires_at > now,
        )  # fmt: skip
        return (
            list(self.session.scalars(invitations.order_by(Invitation.id))),
            list(self.session.scalars(resets.order_by(PasswordReset.id))),
        )

    def _over(self, row: Invitation | PasswordReset | JoiningDomain) -> bool:
        return row.expires_at <= self.clock.now()
