"""An organization, as its owner, its domain's keepers and those who would like to join meet it."""

from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import select
from weighhouse_backend.identity.models import Invitation
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.membership.domain_models import JoiningDomain
from weighhouse_backend.membership.domains import domain_link
from weighhouse_backend.membership.invitations import invitation_link
from weighhouse_backend.membership.join_requests import JoiningService
from weighhouse_backend.sign_in.mail import LetterService

from backend.tests.identity.test_people import CSRF, STRONG, sign_in

AT = "/api/v1/joining-domains"
LINK = "/api/v1/joining-domain"


@dataclass
class Written:
    """A post that keeps what it is handed."""

    letters: list[Any] = field(default_factory=list)

    def send(self, letter):
        self.letters.append(letter)


@dataclass
class Sent:
    """Jobs that somebody would carry out."""

    jobs: list[Any] = field(default_factory=list)

    def send(self, name, **arguments):
        self.jobs.append((name, arguments))


def slug(answer):
    return answer.json()["type"].rpartition("/")[2]


def bearer(link):
    return {"Authorization": f"Bearer {link.partition('#')[2]}"}


@dataclass(frozen=True)
class House:
    client: Any
    sessions: Any
    settings: Any
    tenant: Any

    def of(self, tenant):
        """Another tenant of the same installation."""
        return replace(self, tenant=tenant)

    def post(self, path, body):
        """What its owner asks for."""
        sign_in(self.client, self.tenant.email)
        params = {"project_id": str(self.tenant.project_id)}
        return self.client.post(path, json=body, params=params, headers=CSRF)

    def added(self, domain="quokka.test", **wanted):
        answer = self.post(AT, {"domain": domain, **wanted})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def listed(self):
        sign_in(self.client, self.tenant.email)
        params = {"project_id": str(self.tenant.project_id)}
        return self.client.get(AT, params=params).json()["items"]

    def removed(self, domain_id):
        sign_in(self.client, self.tenant.email)
        return self.client.delete(f"{AT}/{domain_id}", headers=CSRF)

    def letter(self, domain_id):
        """What the worker writes to a domain's keepers."""
        post = Written()
        with unit_of_work(self.sessions) as session:
            LetterService(session, SystemClock(), self.settings, post).mail_domain(domain_id)
        return post.letters

    def link(self, domain_id):
        """What the letter's link is sent as."""
        with unit_of_work(self.sessions) as session:
            return bearer(domain_link(self.settings, session.get(JoiningDomain, domain_id)))

    def verified(self, **wanted):
        made = self.added(**wanted)
        self.client.cookies.clear()
        answer = self.client.post(LINK, headers=self.link(made["id"]))
        assert answer.status_code == 200, answer.text
        return made

    def asks(self, email):
        """Somebody asks to join, and the worker answers."""
        self.client.cookies.clear()
        answer = self.client.post("/api/v1/joining", json={"email": email})
        assert answer.status_code == 202, answer.text
        self.answered()

    def answered(self):
        """What the worker does of all that was asked; the jobs that it sends."""
        sent = Sent()
        with unit_of_work(self.sessions) as session:
            service = JoiningService(session, SystemClock(), self.settings, sent)
            for one in service.unanswered():
                service.answer(one)
        return sent.jobs

    def invitations(self):
        """All there are, oldest first."""
        with unit_of_work(self.sessions) as session:
            rows = session.scalars(select(Invitation).order_by(Invitation.id)).all()
            session.expunge_all()
            return rows

    def holding(self):
        """Who could come in by those that still hold, by whom they were invited."""
        return [
            (one.email, one.invited_by)
            for one in self.invitations()
            if one.revoked_at is None and one.accepted_at is None
        ]

    def joins(self, invitation, name="Mia"):
        """Somebody follows an invitation's link."""
        self.client.cookies.clear()
        return self.client.post(
            "/api/v1/invitation", json={"name": name, "password": STRONG},
            headers=bearer(invitation_link(self.settings, invitation)),
        )  # fmt: skip
