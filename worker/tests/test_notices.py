"""Notices reach real servers: mail over STARTTLS, webhooks that verify their signatures, chats."""

import datetime
import email
import email.policy
import ssl
import time

import pytest
from sqlalchemy import delete, func, select
from weighhouse_backend.identity.models import Membership
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.mail import SmtpPost
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.notices.announcements import notify
from weighhouse_backend.notices.deliveries import LEASE, WAITS_SECONDS, DeliveryService
from weighhouse_backend.notices.kinds import AttemptOutcome, ChannelKind, NoticeKind
from weighhouse_backend.notices.models import (
    NoticeDelivery,
    NoticeEntry,
    NoticePreference,
)
from weighhouse_backend.notices.results import Result
from weighhouse_worker import tasks
from weighhouse_worker.tools import Tools

from worker.tests.receiving import receiving, verified

NOON = datetime.time(12)


def wants_mail(project, **more):
    facts = {
        "bell_kinds": list(NoticeKind), "mail_kinds": list(NoticeKind), "time_zone": "UTC",
        "digest": "now", "digest_at": NOON,
    }  # fmt: skip
    with unit_of_work(project.tools.sessions) as session:
        session.add(NoticePreference(user_id=project.user_id, **{**facts, **more}))


def letters(server):
    """What the server was handed: its head, and its text."""
    read = [
        email.message_from_bytes(one.content, policy=email.policy.default)
        for _, _, one in server[1]
    ]
    return [(one["To"], one["Subject"], one.get_content()) for one in read]


def states(project):
    return [row.state for row in project.deliveries()]


def test_a_webhook_is_signed_and_tried_until_it_is_taken(project, receiver):
    _, secret = project.channel(ChannelKind.WEBHOOK, f"{receiver.url}/hook?key=hush")
    receiver.answers = [500, 503]
    project.notify(title="p99 of redis\nrose", words="In balanced.", path="/alerts?alert=1")
    for _ in range(3):
        project.go_round()
        project.go_round()  # its time has not come
        project.hurry()
    bodies = [verified(headers, body, secret, time.time()) for _, headers, body in receiver.got]
    assert [path for path, _, _ in receiver.got] == ["/hook?key=hush"] * 3
    assert len({headers["webhook-id"] for _, headers, _ in receiver.got}) == 1
    assert bodies[0] == bodies[2]
    assert bodies[0]["title"] == "p99 of redis rose"
    assert bodies[0]["type"] == "regression"
    address = "https://weighhouse.example/alerts?alert=1"
    assert bodies[0]["url"] == f"{address}&project={project.project_id}"
    assert bodies[0]["project"] == {"id": str(project.project_id), "name": "Main"}
    assert project.attempts() == [
        ("refused", 500, "it did not take it"),
        ("refused", 503, "it did not take it"),
        ("delivered", 204, ""),
    ]
    assert states(project) == ["delivered"]
    project.go_round()
    assert len(receiver.got) == 3


def test_a_channel_that_takes_nothing_is_tried_one_message_at_a_time(project, receiver):
    project.channel(ChannelKind.WEBHOOK, receiver.url)
    receiver.answers = [500]
    project.notify()
    project.go_round()
    for _ in range(7):
        project.notify()
    project.go_round()
    assert len(receiver.got) == 2
    project.hurry()
    for _ in range(10):
        project.go_round()
    assert states(project) == ["delivered"] * 8
    assert len(receiver.got) == 9


def test_what_another_secret_signed_is_not_taken(project, receiver):
    project.channel(ChannelKind.WEBHOOK, receiver.url)
    project.notify()
    project.go_round()
    ((_, headers, body),) = receiver.got
    with pytest.raises(AssertionError):
        verified(headers, body, "whsec_" + "A" * 44, time.time())


def test_it_is_given_up_after_a_day(project, receiver):
    assert 23 <= sum(WAITS_SECONDS) / 3600 <= 24
    project.channel(ChannelKind.WEBHOOK, receiver.url)
    receiver.answers = [500] * 100
    project.notify()
    for _ in range(len(WAITS_SECONDS) + 3):
        project.go_round()
        if states(project) == ["pending"]:
            project.hurry()
    assert states(project) == ["failed"]
    assert len(receiver.got) == len(WAITS_SECONDS) + 1


def test_what_is_gone_is_not_tried_again(project, receiver):
    project.channel(ChannelKind.WEBHOOK, receiver.url)
    receiver.answers = [410]
    project.notify()
    project.go_round()
    assert states(project) == ["failed"]


def test_nobody_is_followed(project, receiver):
    project.channel(ChannelKind.WEBHOOK, f"{receiver.url}/here")
    receiver.answers = [302]
    project.notify()
    project.go_round()
    assert [path for path, _, _ in receiver.got] == ["/here"]
    ((outcome, status, detail),) = project.attempts()
    assert (outcome, status) == ("refused", 302)
    assert "points elsewhere" in detail


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_this_machine_is_sent_nothing_unless_the_installation_says_so(project, receiver, name):
    project.channel(ChannelKind.WEBHOOK, receiver.url.replace("127.0.0.1", name))
    closed = project.tools.settings.model_copy(update={"notices_to_own_networks": False})
    project.notify()
    told_elsewhere = type(project)(
        Tools(closed), project.organization_id, project.project_id, project.user_id, project.email
    )
    told_elsewhere.go_round()
    assert receiver.got == []
    ((outcome, _, detail),) = project.attempts()
    assert outcome == "forbidden"
    assert "private network" in detail


def test_over_tls_the_name_has_to_fit_the_certificate(project, certificate, monkeypatch):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate[1], certificate[0])
    with receiving(context) as receiver:
        _, secret = project.channel(ChannelKind.WEBHOOK, receiver.url)
        project.notify()
        project.go_round()
        assert receiver.got == []
        assert "certificate" in project.attempts()[0][2]
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
        project.hurry()
        project.go_round()
        ((_, headers, body),) = receiver.got
        verified(headers, body, secret, time.time())
        assert headers["Host"] == receiver.url.removeprefix("https://")
        # The same certificate under another name.
        project.channel(ChannelKind.WEBHOOK, receiver.url.replace("localhost", "127.0.0.1"))
        project.notify()
        project.go_round()
        assert len(receiver.got) == 2, "the first channel's"
        doubted = [detail for _, _, detail in project.attempts() if "certificate" in detail]
        assert len(doubted) == 2


def test_a_killed_worker_loses_nothing(project, receiver):
    _, secret = project.channel(ChannelKind.WEBHOOK, receiver.url)
    project.notify()
    tasks.spread_notices(project.tools)
    (row,) = project.deliveries()
    with project.tools.transaction() as services:
        assert services.get(DeliveryService).begin(row.parcel_id) is not None
    # Here it was killed. The job comes again, and so does another look: nobody sends it twice.
    tasks.deliver_notices(project.tools, str(row.parcel_id))
    project.go_round()
    assert receiver.got == []
    project.hurry()  # its lease is over
    project.go_round()
    ((_, headers, body),) = receiver.got
    verified(headers, body, secret, time.time())
    assert [outcome for outcome, _, _ in project.attempts()] == [None, "delivered"]
    # The first worker was not dead after all: what it says comes too late to change anything.
    with project.tools.transaction() as services:
        services.get(DeliveryService).end(
            row.parcel_id, Result(AttemptOutcome.UNREACHABLE, detail="late")
        )
    assert states(project) == ["delivered"]


def begun_and_killed(project):
    tasks.spread_notices(project.tools)
    for row in project.deliveries(state="pending"):
        with project.tools.transaction() as services:
            assert services.get(DeliveryService).begin(row.parcel_id) is not None
    project.hurry()  # its lease is over


def test_what_kills_each_worker_is_given_up_too(project):
    project.channel(ChannelKind.WEBHOOK, "https://hooks.example/x")
    project.notify()
    for _ in range(len(WAITS_SECONDS) + 2):
        begun_and_killed(project)
    assert states(project) == ["failed"]
    assert len(project.attempts()) == len(WAITS_SECONDS) + 1


def test_whatever_goes_wrong_ends_the_attempt_and_tells_no_address(project, caplog, monkeypatch):
    def breaks(_, letter):
        raise ValueError(f"nobody thought of {letter.to}")

    monkeypatch.setattr(SmtpPost, "send", breaks)
    caplog.set_level("DEBUG")
    project.channel(ChannelKind.MAIL, "hush@example.test", sealed_secret=None)
    project.channel(ChannelKind.WEBHOOK, f"https://{'hush' * 16}.example/x")
    project.notify()
    project.go_round()
    assert sorted(project.attempts()) == [
        ("forbidden", None, "it is no address: names no host: a part of it is empty or too long"),
        ("unreachable", None, "it could not be sent (ValueError)"),
    ]
    assert states(project) == ["pending"] * 2
    assert "hush" not in caplog.text


def test_a_letter_that_comes_twice_is_known_by_its_id(project, server):
    wants_mail(project)
    project.notify()
    project.go_round()
    with unit_of_work(project.tools.sessions) as session:
        (row,) = session.scalars(select(NoticeDelivery).filter_by(user_id=project.user_id))
        row.state = "pending"
    project.hurry()
    project.go_round()
    project.notify()
    project.go_round()
    ids = [email.message_from_bytes(one.content)["Message-ID"] for _, _, one in server[1]]
    assert ids[0] == ids[1] != ids[2]
    assert ids[0].endswith("@weighhouse.example>")


def test_one_cause_is_one_notice(project, receiver):
    project.channel(ChannelKind.WEBHOOK, receiver.url)
    assert project.notify(cause="alert:1")
    assert not project.notify(cause="alert:1", title="the same once more")
    for _ in range(3):
        project.go_round()
    assert len(receiver.got) == 1
    with unit_of_work(project.tools.sessions) as session:
        rung = select(func.count()).select_from(NoticeEntry)
        assert session.scalar(rung.filter_by(project_id=project.project_id)) == 1


def test_a_notice_of_a_transaction_that_failed_never_was(project):
    with project.tools.sessions() as session:
        assert notify(
            session, SystemClock(), project_id=project.project_id, kind=NoticeKind.REPLY,
            cause="x", title="x", path="/",
        )  # fmt: skip
        session.rollback()
    project.go_round()
    assert project.deliveries() == []


def test_mail_goes_out_over_a_secret_connection_and_all_that_is_due_in_one_letter(project, server):
    wants_mail(project)
    project.notify(title="p99 of redis rose by 12 %", path="/alerts?alert=7")
    project.go_round()
    project.notify(NoticeKind.MISSED_RUN, title="Nightly was not started on a date")
    project.notify(NoticeKind.REPLY, title="Val replied for redis", words="It was otherwise.")
    project.go_round()
    assert all(secret and signed_in for secret, signed_in, _ in server[1])
    (to, subject, text), (_, both, texts) = letters(server)
    assert to == project.email
    assert subject == "Regression: p99 of redis rose by 12 %"
    assert "https://weighhouse.example/alerts?alert=7" in text
    assert both == "2 notices of Main"
    assert "Missed run: Nightly was not started on a date" in texts
    assert "It was otherwise." in texts
    assert states(project) == ["delivered"] * 3


def test_mail_waits_for_the_end_of_quiet_hours_and_for_the_digest(project, server):
    now = datetime.datetime.now(datetime.UTC)
    an_hour = datetime.timedelta(hours=1)
    before, after = (now - an_hour).time(), (now + an_hour).time()
    wants_mail(project, digest="daily", digest_at=before, quiet_from=before, quiet_until=after)
    project.notify()
    project.notify()
    project.go_round()
    assert server[1] == []
    first, second = (row.next_at for row in project.deliveries())
    assert first == second
    # Tomorrow's digest falls into tomorrow's quiet hours.
    assert first - now == pytest.approx(25 * an_hour, abs=datetime.timedelta(seconds=60))
    project.hurry()  # as if the worker had stood still: it comes due in quiet hours
    project.go_round()
    assert server[1] == []
    assert all(now < row.next_at <= now + an_hour for row in project.deliveries())
    with unit_of_work(project.tools.sessions) as session:
        preference = session.get_one(NoticePreference, project.user_id)
        preference.quiet_from = preference.quiet_until = None
    project.hurry()
    project.go_round()
    assert [subject for _, subject, _ in letters(server)] == ["2 notices of Main"]


def test_who_has_left_is_told_nothing(project, server):
    wants_mail(project, digest="daily")
    project.notify()
    tasks.spread_notices(project.tools)
    with unit_of_work(project.tools.sessions) as session:
        session.execute(delete(Membership).where(Membership.user_id == project.user_id))
    project.hurry()
    project.go_round()
    assert server[1] == []
    assert states(project) == ["dropped"]


def test_of_who_has_left_nothing_is_kept(project):
    wants_mail(project, digest="daily")
    project.notify()
    tasks.spread_notices(project.tools)
    tasks.tidy_notices(project.tools)
    assert states(project) == ["pending"]
    with unit_of_work(project.tools.sessions) as session:
        session.execute(delete(Membership).where(Membership.user_id == project.user_id))
    tasks.tidy_notices(project.tools)
    with unit_of_work(project.tools.sessions) as session:
        assert session.scalars(select(NoticeEntry).filter_by(user_id=project.user_id)).all() == []
    assert states(project) == ["dropped"]


def test_kinds_that_nobody_chose_go_nowhere(project, receiver, server):
    wants_mail(project, mail_kinds=["reply"], bell_kinds=["reply"])
    project.channel(ChannelKind.WEBHOOK, receiver.url, kinds=["reply"])
    project.channel(ChannelKind.WEBHOOK, receiver.url, active=False)
    project.notify(NoticeKind.CAMPAIGN_DONE)
    project.go_round()
    assert project.deliveries() == []
    project.notify(NoticeKind.REPLY)
    project.go_round()
    assert (len(receiver.got), len(server[1])) == (1, 1)


def test_a_mailbox_can_be_a_channel(project, server):
    project.channel(ChannelKind.MAIL, "team@example.test", sealed_secret=None)
    project.notify()
    project.go_round()
    ((to, _, text),) = letters(server)
    assert to == "team@example.test"
    assert "This mailbox is a channel of the project" in text


def test_a_test_is_tried_once_and_says_so(project, receiver):
    channel, secret = project.channel(ChannelKind.WEBHOOK, receiver.url, active=False)
    receiver.answers = [500]
    now = SystemClock().now()
    row = NoticeDelivery(
        id=new_id(), project_id=project.project_id, channel_id=channel, state="pending",
        attempts_count=0, next_at=now + LEASE, parcel_id=new_id(), created_at=now,
    )  # fmt: skip
    with unit_of_work(project.tools.sessions) as session:
        session.add(row)
    tasks.deliver_notices(project.tools, str(row.parcel_id))
    ((_, headers, body),) = receiver.got
    assert verified(headers, body, secret, time.time())["type"] == "test"
    assert states(project) == ["failed"]


def test_a_test_whose_worker_was_killed_is_not_sent_again(project):
    channel, _ = project.channel(ChannelKind.WEBHOOK, "https://hooks.example/x")
    now = SystemClock().now()
    row = NoticeDelivery(
        id=new_id(), project_id=project.project_id, channel_id=channel, state="pending",
        attempts_count=0, next_at=now, created_at=now,
    )  # fmt: skip
    with unit_of_work(project.tools.sessions) as session:
        session.add(row)
    begun_and_killed(project)
    tasks.spread_notices(project.tools)
    assert states(project) == ["failed"]
