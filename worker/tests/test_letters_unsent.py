"""What a server did not take, or was lost on the way, goes out later, each letter by itself."""

import datetime
import email
import email.policy

import pytest
import structlog
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy import delete, select
from weighhouse_backend.identity.factor_models import FactorLetter
from weighhouse_backend.identity.links import DOMAIN
from weighhouse_backend.identity.models import Invitation, Organization, PasswordReset, User
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.mail import SmtpPost
from weighhouse_backend.kit.signed_links import secrets_of
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.membership.domain_models import DomainAsking, JoiningAsk, JoiningDomain
from weighhouse_worker import tasks

DAY = datetime.timedelta(days=1)
HOSTILE = "=?utf-8?q?attacker=40evil.test=2C?=foo@victim.test"


def now():
    return datetime.datetime.now(datetime.UTC)


@pytest.fixture(autouse=True)
def _afresh(tools):
    with unit_of_work(tools.sessions) as session:
        for model in (Invitation, PasswordReset, FactorLetter, JoiningDomain, JoiningAsk):
            session.execute(delete(model))


@pytest.fixture
def house(tools):
    with unit_of_work(tools.sessions) as session:
        made = Organization(slug=str(new_id()), name="Storage Inc.", created_at=now())
        session.add(made)
    return made.id


def invited(tools, house, address):
    with unit_of_work(tools.sessions) as session:
        row = Invitation(
            organization_id=house, email=address, role="member", invited_by="Olga",
            created_at=now(), expires_at=now() + 7 * DAY,
        )  # fmt: skip
        session.add(row)
    return row.id


def domain(tools, house, **more):
    facts = {
        "role": "member", "mailbox": "hostmaster", "domain": "quokka.test",
        "expires_at": now() + 7 * DAY,
    }  # fmt: skip
    with unit_of_work(tools.sessions) as session:
        row = JoiningDomain(organization_id=house, created_at=now(), **facts | more)
        session.add(row)
    return row


def sent(server):
    return [one.rcpt_tos for _, _, one in server[1]]


def text_of(server):
    (*_, (_, _, letter)) = server[1]
    return email.message_from_bytes(letter.content, policy=email.policy.default).get_content()


def test_one_letter_that_cannot_be_made_keeps_no_other_back(tools, server, house):
    poison = invited(tools, house, HOSTILE)
    invited(tools, house, "mia@quokka.test")
    with unit_of_work(tools.sessions) as session:
        user = User(email=f"{new_id()}@quokka.test", name="Una", created_at=now())
        session.add(user)
        session.flush()
        session.add(PasswordReset(user_id=user.id, created_at=now(), expires_at=now() + DAY))
        session.add(FactorLetter(user_id=user.id, kind="unheard of", at=now() - DAY / 2))
        session.add(FactorLetter(user_id=user.id, kind="set_up", at=now()))
    domain(tools, house)
    with structlog.testing.capture_logs() as said:
        tasks.mail_unsent(tools)
    assert sent(server) == [
        ["mia@quokka.test"], [user.email], [user.email], ["hostmaster@quokka.test"],
    ]  # fmt: skip
    refused = [(one["letter"], one["reason"]) for one in said if one["event"] == "mail_refused"]
    assert [letter for letter, _ in refused][:1] == [str(poison)]
    assert [why.partition(" ")[0] for _, why in refused] == ["NotMailable", "KeyError"]


def test_what_a_letter_failed_by_is_told_without_its_link(tools, server, house, monkeypatch):
    invited(tools, house, "mia@quokka.test")
    for kind in (ValueError, OSError):

        def fails(_post, letter, kind=kind):
            raise kind(letter.text)

        monkeypatch.setattr(SmtpPost, "send", fails)
        with structlog.testing.capture_logs() as said:
            tasks.mail_unsent(tools)
        (line,) = said
        assert kind.__name__ in line["reason"]
        assert "whi_" not in line["reason"].replace("whi_…", "")


def test_a_task_that_takes_too_long_ends(tools, server, house, monkeypatch):
    for name in ("mia", "bo"):
        invited(tools, house, f"{name}@quokka.test")
    tried = []

    def late(_post, letter):
        tried.append(letter.to)
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(SmtpPost, "send", late)
    with pytest.raises(SoftTimeLimitExceeded):
        tasks.mail_unsent(tools)
    assert tried == ["mia@quokka.test"]


def test_keepers_of_a_domain_are_asked_once_with_a_link_that_holds(tools, server, house):
    row = domain(tools, house)
    tasks.mail_domain(tools, str(row.id))
    tasks.mail_domain(tools, str(row.id))
    assert sent(server) == [["hostmaster@quokka.test"]]
    assert "everybody with an address at quokka.test join Storage Inc. as member" in (
        text_of(server).replace("\n", " ")
    )
    (link,) = [line for line in text_of(server).splitlines() if line.startswith("https://")]
    token = link.removeprefix("https://weighhouse.example/domain#")
    assert DOMAIN.read(secrets_of(tools.settings), token, now()) == row.asking_id


def test_domains_whose_keepers_are_still_to_be_asked_are_those_that_wait(tools, server, house):
    wanted = domain(tools, house)
    for at, more in enumerate(
        ({"mailed_at": now()}, {"verified_at": now()}, {"expires_at": now() - DAY})
    ):
        domain(tools, house, domain=f"other{at}.test", **more)
    with tools.letters() as letters:
        assert letters.unsent_domains() == [wanted.id]
    tasks.mail_unsent(tools)
    tasks.mail_unsent(tools)
    assert sent(server) == [["hostmaster@quokka.test"]]
    with tools.letters() as letters:
        assert letters.unsent_domains() == []


def test_who_asked_to_join_is_answered_though_the_job_was_lost(tools, server, house):
    domain(tools, house, verified_at=now())
    with unit_of_work(tools.sessions) as session:
        row = JoiningAsk(email="mia@quokka.test", address="192.0.2.7", at=now())
        session.add(row)
        session.add(DomainAsking(organization_id=house, domain="old.test", at=now() - 2 * DAY))
    tasks.mail_unsent(tools)
    tasks.answer_joining(tools, str(row.id))
    with unit_of_work(tools.sessions) as session:
        (made,) = session.scalars(select(Invitation)).all()
        assert session.get_one(JoiningAsk, row.id).answered_at is not None
        assert session.scalars(select(DomainAsking)).all() == [], "it counts no more"
    tasks.mail_invitation(tools, str(made.id))
    assert sent(server) == [["mia@quokka.test"]]
    assert "quokka.test invites you to Storage Inc., as member." in text_of(server)


@pytest.mark.parametrize("kind", ["set_up", "passkey_added"])
def test_who_did_not_do_it_is_told_what_helps(tools, server, house, kind):
    with unit_of_work(tools.sessions) as session:
        user = User(email=f"{new_id()}@quokka.test", name="Una", created_at=now())
        session.add(user)
        session.flush()
        session.add(FactorLetter(user_id=user.id, kind=kind, at=now()))
    tasks.mail_unsent(tools)
    text = text_of(server).replace("\n", " ")
    assert "remove it under Settings, Your account" in text
    assert "reset your second factor" in text
    assert "changing your password does not help by itself" in text
