"""Letters reach a real SMTP server, over STARTTLS, with a name and a password."""

import datetime
import email
import email.policy

import pytest
from sqlalchemy import select
from weighhouse_backend.identity.factor_models import FactorLetter
from weighhouse_backend.identity.links import INVITATION
from weighhouse_backend.identity.models import Invitation, Organization, PasswordReset, User
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import secrets_of
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_worker import tasks
from weighhouse_worker.tools import Tools

from worker.tests.conftest import SMTP_PASSWORD

SECRET = "sixteen characters"


@pytest.fixture
def tools(database_url, redis_server, server, certificate):
    controller, _ = server
    return Tools(
        Settings(
            database_url=database_url,
            redis_url=redis_server,
            secret_key=SECRET,
            public_url="https://weighhouse.example",
            smtp_host="localhost",
            smtp_port=controller.port,
            smtp_ca_file=str(certificate[1]),
            smtp_user="weighhouse",
            smtp_password=SMTP_PASSWORD,
            mail_from="weighhouse@weighhouse.example",
        )
    )


def invitation(tools, **changed):
    now = datetime.datetime.now(datetime.UTC)
    row = Invitation(
        id=new_id(), email="mia@example.test", role="member", invited_by="Olga", created_at=now,
        expires_at=now + datetime.timedelta(days=7),
    )  # fmt: skip
    for name, value in changed.items():
        setattr(row, name, value)
    with unit_of_work(tools.sessions) as session:
        house = Organization(slug=str(new_id()), name="Storage Inc.", created_at=now)
        session.add(house)
        session.flush()
        row.organization_id = house.id
        session.add(row)
    return row.id


def opened(letter):
    """A letter as its addressee reads it: its head, and its text."""
    read = email.message_from_bytes(letter.content, policy=email.policy.default)
    return read, read.get_content()


def test_an_invitation_is_sent_once_with_a_link_that_holds(tools, server):
    sent = invitation(tools)
    tasks.mail_invitation(tools, str(sent))
    tasks.mail_invitation(tools, str(sent))
    ((secret, signed_in, letter),) = server[1]
    assert (secret, signed_in) == (True, True)
    assert letter.rcpt_tos == ["mia@example.test"]
    read, text = opened(letter)
    assert read["Subject"] == "Invitation to Storage Inc. on Weighhouse"
    assert "Olga invites you to Storage Inc., as member." in text
    (link,) = [line for line in text.splitlines() if line.startswith("https://")]
    token = link.removeprefix("https://weighhouse.example/join#")
    now = datetime.datetime.now(datetime.UTC)
    assert INVITATION.read(secrets_of(tools.settings), token, now) == sent


def test_what_was_taken_back_or_has_ended_is_not_sent(tools, server):
    now = datetime.datetime.now(datetime.UTC)
    for changed in ({"revoked_at": now}, {"accepted_at": now}, {"expires_at": now}):
        tasks.mail_invitation(tools, str(invitation(tools, **changed)))
    tasks.mail_unsent(tools)
    assert server[1] == []


def test_what_a_server_refused_is_sent_when_it_takes_it(tools, server, monkeypatch):
    sent = invitation(tools)
    wrong = tools.settings.model_copy(update={"smtp_port": 1})
    away = Tools(wrong)
    with pytest.raises(ConnectionRefusedError):
        tasks.mail_invitation(away, str(sent))
    tasks.mail_unsent(away)
    with unit_of_work(tools.sessions) as session:
        assert session.get_one(Invitation, sent).mailed_at is None
    tasks.mail_unsent(tools)
    assert [one.rcpt_tos for _, _, one in server[1]] == [["mia@example.test"]]
    with unit_of_work(tools.sessions) as session:
        assert session.get_one(Invitation, sent).mailed_at is not None


def test_a_server_whose_certificate_is_unknown_gets_nothing(tools, server):
    doubtful = Tools(tools.settings.model_copy(update={"smtp_ca_file": None}))
    with pytest.raises(OSError, match=r"(?i)certificate"):
        tasks.mail_invitation(doubtful, str(invitation(tools)))
    assert server[1] == []


def test_a_link_to_set_a_password_goes_to_its_owner(tools, server):
    now = datetime.datetime.now(datetime.UTC)
    with unit_of_work(tools.sessions) as session:
        user = User(email=f"{new_id()}@example.test", name="Una", created_at=now)
        session.add(user)
        session.flush()
        row = PasswordReset(
            user_id=user.id, created_at=now, expires_at=now + datetime.timedelta(hours=1)
        )
        session.add(row)
    tasks.mail_reset(tools, str(row.id))
    ((_, _, letter),) = server[1]
    assert letter.rcpt_tos == [user.email]
    assert "https://weighhouse.example/password#whn_" in opened(letter)[1]
    with unit_of_work(tools.sessions) as session:
        kept = session.scalars(select(PasswordReset).where(PasswordReset.id == row.id)).one()
        assert kept.mailed_at is not None


def test_people_are_told_of_their_second_factor_once_and_within_a_day(tools, server):
    now = datetime.datetime.now(datetime.UTC)
    with unit_of_work(tools.sessions) as session:
        user = User(email=f"{new_id()}@example.test", name="Una", created_at=now)
        session.add(user)
        session.flush()
        for kind, at in (("reset", now), ("set_up", now - datetime.timedelta(days=2))):
            session.add(FactorLetter(user_id=user.id, kind=kind, at=at))
    tasks.mail_unsent(tools)
    tasks.mail_unsent(tools)
    ((_, _, letter),) = [one for one in server[1] if one[2].rcpt_tos == [user.email]]
    assert "was reset by an owner" in opened(letter)[1]


def test_who_has_to_set_one_up_is_told_how(tools, server):
    now = datetime.datetime.now(datetime.UTC)
    with unit_of_work(tools.sessions) as session:
        user = User(email=f"{new_id()}@example.test", name="Una", created_at=now)
        session.add(user)
        session.flush()
        session.add(FactorLetter(user_id=user.id, kind="required", at=now))
    tasks.mail_unsent(tools)
    ((_, _, letter),) = [one for one in server[1] if one[2].rcpt_tos == [user.email]]
    text = opened(letter)[1]
    assert "set it up under Settings, Your account" in text.replace("\n", " ")
    assert "If it was not you" not in text, "it was somebody else, and there is nothing amiss"
