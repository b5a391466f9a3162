"""People join by their address, once a domain's keepers said that it is the organization's."""

import datetime
import re

import pytest
from sqlalchemy import select, update
from weighhouse_backend.identity.account_endpoints import router as account
from weighhouse_backend.identity.domain_endpoints import router as domains
from weighhouse_backend.identity.domain_models import JoiningDomain
from weighhouse_backend.identity.domains import LETTERS_A_DAY, domain_link
from weighhouse_backend.identity.endpoints import router
from weighhouse_backend.identity.invitations import invitation_link
from weighhouse_backend.identity.letters import LetterService
from weighhouse_backend.identity.models import AuditEntry, Invitation, LoginFailure
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work

from backend.tests.identity.test_people import CSRF, STRONG, sign_in

AT = "/api/v1/joining-domains"
LINK = "/api/v1/joining-domain"


class Written:
    """A post that keeps what it is handed."""

    def __init__(self):
        self.letters = []

    def send(self, letter):
        self.letters.append(letter)


@pytest.fixture(scope="module")
def settings(settings):
    told = {"database_url": "x", "redis_url": "x", "secret_key": "sixteen characters"}
    key = type(settings).model_validate(told).secret_key
    return settings.model_copy(update={"secret_key": key, "smtp_host": "127.0.0.1"})


@pytest.fixture(scope="module")
def client(make_client):
    return make_client(router, account, domains)


@pytest.fixture(autouse=True)
def _afresh(client, session_factory):
    client.cookies.clear()
    with unit_of_work(session_factory) as session:
        for model in (LoginFailure, Invitation, JoiningDomain):
            session.query(model).delete()


def slug(answer):
    return answer.json()["type"].rpartition("/")[2]


def of(tenant):
    return {"params": {"project_id": str(tenant.project_id)}, "headers": CSRF}


def added(client, tenant, domain="quokka.test", **wanted):
    sign_in(client, tenant.email)
    answer = client.post(AT, json={"domain": domain, **wanted}, **of(tenant))
    assert answer.status_code == 201, answer.text
    return answer.json()


def letter_of(session_factory, settings, domain_id):
    post = Written()
    with unit_of_work(session_factory) as session:
        LetterService(session, SystemClock(), settings, post).mail_domain(domain_id)
    return post.letters


def link_of(session_factory, settings, domain_id):
    with unit_of_work(session_factory) as session:
        row = session.get(JoiningDomain, domain_id)
        return {"Authorization": f"Bearer {domain_link(settings, row).partition('#')[2]}"}


def verified(client, session_factory, settings, tenant, **wanted):
    made = added(client, tenant, **wanted)
    client.cookies.clear()
    answer = client.post(LINK, headers=link_of(session_factory, settings, made["id"]))
    assert answer.status_code == 200, answer.text
    return made


def asks(client, email):
    client.cookies.clear()
    answer = client.post("/api/v1/joining", json={"email": email})
    assert answer.status_code == 202, answer.text


def invitations(session_factory):
    with unit_of_work(session_factory) as session:
        rows = session.scalars(select(Invitation).order_by(Invitation.id)).all()
        session.expunge_all()
        return rows


def test_keepers_are_asked_by_mail_and_nobody_joins_before(
    client, session_factory, settings, tenants
):
    ours, _ = tenants
    made = added(client, ours, "Quokka.Test", role="member", mailbox="hostmaster")
    assert (made["domain"], made["verified_at"]) == ("quokka.test", None)
    asks(client, "mia@quokka.test")
    assert invitations(session_factory) == []
    (letter,) = letter_of(session_factory, settings, made["id"])
    assert letter.to == "hostmaster@quokka.test"
    (found,) = re.findall(r"http\S+", letter.text)
    assert letter_of(session_factory, settings, made["id"]) == [], "once"
    link = {"Authorization": f"Bearer {found.partition('#')[2]}"}
    opened = client.get(LINK, headers=link)
    assert opened.json() == {
        "domain": "quokka.test", "organization": "Ours", "role": "member", "verified": False,
    }  # fmt: skip
    asks(client, "mia@quokka.test")
    assert invitations(session_factory) == [], "who only opens it has said nothing"
    assert client.post(LINK, headers=link).json()["verified"] is True
    assert client.post(LINK, headers=link).json()["verified"] is True
    asks(client, "Mia@Quokka.test")
    (row,) = invitations(session_factory)
    assert (row.email, row.role, row.invited_by) == ("Mia@Quokka.test", "member", "quokka.test")
    with unit_of_work(session_factory) as session:
        told = select(AuditEntry.action, AuditEntry.actor).where(
            AuditEntry.project_id == ours.project_id, AuditEntry.action.like("%domain%")
        )
        assert session.execute(told.order_by(AuditEntry.id)).all()[-3:] == [
            ("domain.asked", "ours"), ("domain.verified", "hostmaster@quokka.test"),
            ("invitation.by_domain", "quokka.test"),
        ]  # fmt: skip
    token = invitation_link(settings, row).partition("#")[2]
    joined = client.post(
        "/api/v1/invitation", json={"name": "Mia", "password": STRONG},
        headers={"Authorization": f"Bearer {token}"},
    )  # fmt: skip
    assert joined.status_code == 201, joined.text
    asks(client, "mia@quokka.test")
    assert len(invitations(session_factory)) == 1, "who is in is not invited"


def test_only_addresses_of_the_very_domain_are_invited(client, session_factory, settings, tenants):
    ours, theirs = tenants
    verified(client, session_factory, settings, ours)
    verified(client, session_factory, settings, theirs)
    for email in ("a@sub.quokka.test", "a@quokka.test.evil.test", "quokka.test@evil.test"):
        asks(client, email)
    assert invitations(session_factory) == []
    asks(client, "a@quokka.test")
    into = {row.organization_id for row in invitations(session_factory)}
    assert into == {ours.organization_id, theirs.organization_id}


def test_nobodys_postbox_is_filled(client, session_factory, settings, tenants, monkeypatch):
    ours, _ = tenants
    verified(client, session_factory, settings, ours)
    for _ in range(LETTERS_A_DAY + 2):
        asks(client, "bo@quokka.test")
    assert len(invitations(session_factory)) == LETTERS_A_DAY
    monkeypatch.setattr("weighhouse_backend.identity.domains.LETTERS_OF_DOMAIN", LETTERS_A_DAY + 1)
    for name in ("cleo", "dan"):
        asks(client, f"{name}@quokka.test")
    assert len(invitations(session_factory)) == LETTERS_A_DAY + 1, "nor all of a company's"


def test_a_domain_that_is_asked_anew_or_removed_lets_nobody_in(
    client, session_factory, settings, tenants
):
    ours, theirs = tenants
    made = verified(client, session_factory, settings, ours)
    again = added(client, ours, mailbox="admin")
    assert (again["id"], again["verified_at"]) == (made["id"], None)
    asks(client, "mia@quokka.test")
    assert invitations(session_factory) == []
    link = link_of(session_factory, settings, made["id"])
    sign_in(client, theirs.email)
    assert client.delete(f"{AT}/{made['id']}", headers=CSRF).status_code == 404
    sign_in(client, ours.email)
    listed = client.get(AT, params={"project_id": str(ours.project_id)}).json()["items"]
    assert [one["domain"] for one in listed] == ["quokka.test"]
    assert client.delete(f"{AT}/{made['id']}", headers=CSRF).status_code == 204
    assert slug(client.get(LINK, headers=link)) == "link-invalid"


def test_a_link_ends_and_none_is_made_up(client, session_factory, settings, tenants):
    ours, _ = tenants
    made = added(client, ours)
    with unit_of_work(session_factory) as session:
        past = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=5)
        session.execute(update(JoiningDomain).values(expires_at=past))
    ended = link_of(session_factory, settings, made["id"])
    for headers in (ended, {"Authorization": "Bearer whd_AAAA"}, {}):
        assert slug(client.post(LINK, headers=headers)) == "link-invalid"
    assert letter_of(session_factory, settings, made["id"]) == [], "it has ended"


@pytest.mark.parametrize(
    "wrong", ["quokka", "quokka..test", "-a.test", "a b.test", "mia@quokka.test", "192.0.2.7", ""]
)
def test_what_is_no_domain_is_refused(client, tenants, wrong):
    ours, _ = tenants
    sign_in(client, ours.email)
    assert client.post(AT, json={"domain": wrong}, **of(ours)).status_code == 422
    owner = {"domain": "quokka.test", "role": "owner"}
    assert client.post(AT, json=owner, **of(ours)).status_code == 422


def test_without_mail_it_says_so(client, settings, tenants):
    ours, _ = tenants
    client.app.state.settings = settings.model_copy(update={"smtp_host": None})
    try:
        sign_in(client, ours.email)
        refused = client.post(AT, json={"domain": "quokka.test"}, **of(ours))
        assert slug(refused) == "no-mail"
        assert slug(client.post("/api/v1/joining", json={"email": "a@b.test"})) == "no-mail"
    finally:
        client.app.state.settings = settings
