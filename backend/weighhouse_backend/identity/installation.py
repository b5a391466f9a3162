"""What a new installation begins with: its first user, organization, project and token."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from weighhouse_backend.identity import person_audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.grants import founding
from weighhouse_backend.identity.models import ApiToken, Membership, Organization, Project, User
from weighhouse_backend.identity.owners import owns
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.secrets import (
    hash_password,
    new_token,
    password_fits,
    token_hash,
    token_prefix,
)
from weighhouse_backend.kit.clock import Clock

FIRST_ORGANIZATION = "weighhouse"
"""What the installation began with; its owners operate the installation."""


def operates(session: Session, caller: Caller) -> bool:
    """Whether the caller operates the installation: a person who owns its first organization,
    signed in, or by a personal token of an owner in a project there.
    """
    first = IdentityRepository(session).organization_by_slug(FIRST_ORGANIZATION)
    return first is not None and owns(session, caller, first.id)


@dataclass(frozen=True)
class FirstUserService:
    """What a new installation begins with; every step repeatable."""

    session: Session
    clock: Clock

    def ensure(
        self, email: str, password: str, name: str = "Administrator"
    ) -> tuple[User, Project]:
        """The first user, organization and project; existing ones stay, the password is set."""
        repository = IdentityRepository(self.session)
        now = self.clock.now()
        organization = repository.organization_by_slug(FIRST_ORGANIZATION)
        if organization is None:
            organization = Organization(slug=FIRST_ORGANIZATION, name="Weighhouse", created_at=now)
            repository.add(organization)
        project = repository.project_by_slug(organization.id, "main")
        if project is None:
            project = Project(
                organization_id=organization.id, slug="main", name="Main", created_at=now
            )
            repository.add(project)
        known = repository.user_by_email(email)
        user = known or User(email=email, name=name, created_at=now)
        repository.add(user)
        if not password_fits(user.password_hash, password):
            user.password_hash = hash_password(password)
            if known is not None:
                actor = person_audit.INSTALLATION
                person_audit.record(self.session, self.clock, user, "password.changed", actor)
        if repository.membership(organization.id, user.id) is None:
            repository.add(
                founding(organization_id=organization.id).row(
                    Membership, user_id=user.id, created_at=now
                )
            )
        return user, project

    def ensure_token(self, project: Project, name: str, known: str | None) -> str:
        """An owner's API token: the known one while it is valid, else a new one."""
        now = self.clock.now()
        if known and IdentityRepository(self.session).use_token(token_hash(known), now):
            return known
        token = new_token("p")
        self.session.add(
            founding(project_id=project.id).row(
                ApiToken, name=name, prefix=token_prefix(token), token_hash=token_hash(token),
                created_by="installation", created_at=now,
            )
        )  # fmt: skip
        return token
