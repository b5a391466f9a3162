"""Signing in with an organization's provider: sent there, back with an answer, let in or not."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session
from weighhouse_protocol.text import seen

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.errors import (
    AccountElsewhere,
    AddressNotVerified,
    NotInvited,
    SignInEnded,
)
from weighhouse_backend.identity.grants import give_in_project, handed_on
from weighhouse_backend.identity.models import (
    Identity,
    IdentityProvider,
    Invitation,
    LoginSession,
    Membership,
    Organization,
    Project,
    SignIn,
    User,
)
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import MemberRole
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.mail import is_mailbox
from weighhouse_backend.kit.problems import Problem
from weighhouse_backend.kit.whence import whence
from weighhouse_backend.membership.invitations import let_in, waiting
from weighhouse_backend.sign_in.group_roles import Given, given_by, groups_in, projects_of

LASTS = datetime.timedelta(minutes=10)
"""How long somebody may be away at the provider."""
LONGEST_NAME, LONGEST_ADDRESS = 120, 320


@dataclass(frozen=True)
class Person:
    """Whom a provider says somebody is."""

    subject: str
    email: str | None
    email_verified: bool
    name: str
    groups: tuple[str, ...]


def person_in(claims: dict[str, Any], groups_claim: str) -> Person:
    """Whom claims name."""
    email = _kept(claims.get("email"))
    fits = email is not None and "@" in email and len(email) <= LONGEST_ADDRESS
    kept = email if fits and email == claims["email"] else None
    names = (_shown(claims.get("name")), _shown(claims.get("preferred_username")), kept)
    return Person(
        subject=claims["sub"],
        email=kept,
        email_verified=claims.get("email_verified") is True,
        name=next((one for one in names if one), claims["sub"])[:LONGEST_NAME],
        groups=tuple(groups_in(claims, groups_claim)),
    )


def _shown(text: object) -> str:
    return seen(text) if isinstance(text, str) else ""


def _kept(text: object) -> str | None:
    """What the database can keep of a text; None: nothing."""
    if not isinstance(text, str):
        return None
    return text.encode("utf-8", "ignore").decode().replace("\0", "").strip() or None


@dataclass(frozen=True)
class SignInService:
    """Sends people to their provider, and decides what its word is worth."""

    session: Session
    clock: Clock

    @property
    def _repository(self) -> IdentityRepository:
        return IdentityRepository(self.session)

    def offered(self, organization: str | None) -> Sequence[tuple[Organization, IdentityProvider]]:
        """Providers that everybody sees, or the one of an organization that somebody can name."""
        found = select(Organization, IdentityProvider).join(
            IdentityProvider, IdentityProvider.organization_id == Organization.id
        )
        if organization is not None:
            found = found.where(Organization.slug == organization)
        else:
            found = found.where(IdentityProvider.listed.is_(True))
        rows = self.session.execute(found.order_by(IdentityProvider.name).limit(50))
        return [(one, provider) for one, provider in rows]

    def provider(self, provider_id: UUID) -> IdentityProvider:
        """:raises SignInEnded: when it was removed meanwhile."""
        found = self.session.get(IdentityProvider, provider_id)
        if found is None:
            raise SignInEnded("the organization has no provider any more")
        return found

    def send(
        self,
        provider_id: UUID,
        *,
        state: str,
        browser: str,
        nonce: str,
        verifier_sealed: str,
        next_path: str,
    ) -> None:
        """Note that a browser goes to a provider; what was not finished in time is forgotten."""
        now = self.clock.now()
        self.session.execute(delete(SignIn).where(SignIn.created_at < now - LASTS))
        self.session.add(
            SignIn(
                state_hash=token_hash(state), browser_hash=token_hash(browser),
                provider_id=provider_id, nonce=nonce, verifier_sealed=verifier_sealed,
                next=next_path, created_at=now,
            )
        )  # fmt: skip

    def take(self, state: str, browser: str) -> SignIn:
        """What a browser was sent with; once, whatever comes of it.

        :raises SignInEnded: when it was taken already, is too old, or another browser's.
        """
        row = self.session.scalar(
            select(SignIn)
            .where(
                SignIn.state_hash == token_hash(state), SignIn.browser_hash == token_hash(browser)
            )
            .with_for_update()
        )
        if row is None:
            raise SignInEnded("it was finished already, or begun in another browser")
        self.session.delete(row)
        self.session.flush()
        if self.clock.now() - row.created_at > LASTS:
            raise SignInEnded("it took longer than ten minutes")
        return row

    def let_in(self, provider: IdentityProvider, person: Person) -> User | Problem:
        """Whom a provider's word lets in, with the roles that their groups have now.

        :returns: the person; or why not, where what was changed has to be kept.
        """
        self._repository.lock_organization(provider.organization_id)
        given = given_by(provider.mappings, person.groups)
        link = self._link(provider, person)
        user = self._first_time(provider, person, given) if link is None else self._again(link)
        if isinstance(user, Problem):
            return user
        whence().person_id = user.id
        now = self.clock.now()
        if link is None:
            link = Identity(
                provider_id=provider.id, issuer=provider.issuer, subject=person.subject,
                user_id=user.id, by_groups=False, created_at=now, last_login_at=now,
            )  # fmt: skip
            self.session.add(link)
            self._note(provider, user.name, "identity.linked", user.email)
        link.last_login_at = now
        if not given and link.by_groups:
            return self._end(provider, user)
        return self._joined(provider, person, user, link, given)

    def _joined(
        self, provider: IdentityProvider, person: Person, user: User, link: Identity, given: Given
    ) -> User | Problem:
        place = self._repository.membership(provider.organization_id, user.id)
        if place is None:
            asked = self._invitation(provider, person)
            if asked is not None:
                now = self.clock.now()
                let_in(self.session, asked, user, now)
                self._note(provider, user.name, "invitation.accepted", asked.email, role=asked.role)
            elif not given:
                return NotInvited(
                    "ask its owner to invite you, or to give one of your groups a role"
                )
        if given:
            link.by_groups = True
            self._follow(provider, user, given)
        return user

    def refused(self, provider: IdentityProvider, who: str, why: Problem) -> None:
        """Note that somebody was not let in."""
        self._note(
            provider, who, "login.refused", who, kind=why.slug, because=why.detail or why.title
        )

    def entered(self, provider: IdentityProvider, user: User, address: str) -> None:
        """Note that somebody was let in."""
        self._note(provider, user.name, "login.by_provider", user.email, address=address)

    def _link(self, provider: IdentityProvider, person: Person) -> Identity | None:
        return self.session.scalar(
            select(Identity).where(
                Identity.provider_id == provider.id,
                Identity.issuer == provider.issuer,
                Identity.subject == person.subject,
            )
        )

    def _again(self, link: Identity) -> User:
        return self.session.get_one(User, link.user_id)

    def _first_time(
        self, provider: IdentityProvider, person: Person, given: Given
    ) -> User | Problem:
        """Who has that address, or somebody new where they may come in."""
        if person.email is None or not person.email_verified:
            return AddressNotVerified(
                "the first time the provider has to say which address is yours "
                "(`email`, `email_verified`)"
            )
        user = self._repository.user_by_email(person.email)
        if user is not None:
            return self._account(provider, user)
        if self._invitation(provider, person) is None and not given:
            return NotInvited(
                f"{person.email} is not invited, and none of your groups has a role there"
            )
        if not is_mailbox(person.email):
            return AddressNotVerified("it could mean other addresses, too; no letter goes there")
        user = User(email=person.email, name=person.name, created_at=self.clock.now())
        self._repository.add(user)
        return user

    def _account(self, provider: IdentityProvider, user: User) -> User | Problem:
        """The account of an address, if the provider may speak for it."""
        elsewhere = select(func.count()).where(
            Membership.user_id == user.id,
            Membership.organization_id != provider.organization_id,
        )
        if self.session.scalar(elsewhere):
            return AccountElsewhere("sign in with your password")
        other = select(Identity.id).where(
            Identity.provider_id == provider.id,
            Identity.issuer == provider.issuer,
            Identity.user_id == user.id,
        )
        if self.session.scalar(other.limit(1)) is not None:
            return NotInvited("somebody else of the provider has signed in with this address")
        return user

    def _invitation(self, provider: IdentityProvider, person: Person) -> Invitation | None:
        if person.email is None or not person.email_verified:
            return None
        found = waiting(self.session, provider.organization_id, self.clock.now())
        address = person.email.lower()
        return next((one for one in found if one.email.lower() == address), None)

    def _follow(self, provider: IdentityProvider, user: User, given: Given) -> None:
        """Give the roles that groups have, and take those that they gave before."""
        repository, now = self._repository, self.clock.now()
        role = given.role or MemberRole.GUEST
        place = repository.membership(provider.organization_id, user.id)
        grant = handed_on(role=role, organization_id=provider.organization_id)
        if place is None:
            repository.add(grant.row(Membership, user_id=user.id, created_at=now))
            self._note(provider, provider.name, "member.joined", user.email, role=str(role))
        elif place.role != role and not self._last_owner(place):
            before = place.role
            grant.to(place)
            self._note(
                provider, provider.name, "member.changed", user.email, role=str(role),
                before=before,
            )  # fmt: skip
        theirs = set(
            self.session.scalars(
                select(Project.id).where(Project.organization_id == provider.organization_id)
            )
        )
        for project_id in projects_of(provider.mappings) & theirs:
            wanted = given.projects.get(project_id)
            if wanted is None:
                if repository.end_project_role(project_id, user.id):
                    self._note(provider, provider.name, "member.project_role_ended", user.email)
            elif repository.project_role(project_id, user.id) != wanted:
                given_there = handed_on(role=wanted, project_id=project_id)
                give_in_project(self.session, given_there, user.id, now)
                self._note(
                    provider, provider.name, "member.project_role", user.email, role=str(wanted)
                )

    def _end(self, provider: IdentityProvider, user: User) -> Problem:
        """Take the access of somebody whose groups are all gone."""
        place = self._repository.membership(provider.organization_id, user.id)
        if place is not None and not self._last_owner(place):
            ended = self._repository.offboard(place, self.clock.now())
            self._note(provider, provider.name, "member.removed", user.email, personal_tokens=ended)
        self.session.execute(
            delete(LoginSession).where(
                LoginSession.user_id == user.id, LoginSession.provider_id == provider.id
            )
        )
        return NotInvited("none of your groups has a role there any more")

    def _last_owner(self, place: Membership) -> bool:
        """An organization keeps an owner, whatever groups say."""
        owners = self._repository.owners_count(place.organization_id)
        return place.role == MemberRole.OWNER and owners == 1

    def _note(
        self, provider: IdentityProvider, actor: str, action: str, subject: str, **details: Any
    ) -> None:
        """In the organization's first project, where its maintainers see it."""
        first = select(Project.id).where(Project.organization_id == provider.organization_id)
        audit.record(
            self.session, self.clock, actor=actor, action=action, subject=subject,
            project_id=self.session.scalar(first.order_by(Project.id).limit(1)),
            provider=provider.issuer, **details,
        )  # fmt: skip
