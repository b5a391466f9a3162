"""A letter reaches the mailbox it is written to, and no other one, however the address looks."""

import email
import email.policy

import pytest
from weighhouse_backend.kit.mail import Letter, NotMailable, SmtpPost, is_mailbox
from weighhouse_backend.notices.kinds import ChannelKind

HOSTILE = [
    "=?utf-8?q?attacker=40evil.test=2C?=foo@victim.test",
    "root,mia@victim.test",
    "attacker@evil.test,mia@victim.test",
    "a;b@victim.test",
    "a<attacker@evil.test>c@victim.test",
    "a<b>c@victim.test",
    "group:mia@victim.test",
    '"mia bo"@victim.test',
    "(attacker@evil.test)mia@victim.test",
    "attacker%evil.test@victim.test",
    "evil.test!attacker@victim.test",
    "mia@[192.0.2.7]",
    "mia@victim.test\r\nBcc: attacker@evil.test",
    "mia\x00@victim.test",
    "mia\\@evil.test@victim.test",
    "mia@victim.test\n",
    ".mia@victim.test",
    "mia..bo@victim.test",
    "mia@.victim.test",
    "mia",
    "",
]
PLAIN = ["mia@victim.test", "o'brien+tests=x@sub.victim.test", "root@localhost", "a.b-c_d@v.test"]


def sent(server):
    return [(one.rcpt_tos, email.message_from_bytes(one.content, policy=email.policy.default))
            for _, _, one in server[1]]  # fmt: skip


@pytest.mark.parametrize("address", HOSTILE)
def test_an_address_that_could_mean_others_gets_nothing(tools, server, address):
    post = SmtpPost(tools.settings)
    with pytest.raises(NotMailable):
        post.send(Letter(address, "Hello", "For one alone.\n"))
    assert sent(server) == []


@pytest.mark.parametrize("address", PLAIN)
def test_a_plain_address_is_the_only_one_of_its_letter(tools, server, address):
    SmtpPost(tools.settings).send(Letter(address, "Hello", "For one alone.\n"))
    ((recipients, head),) = sent(server)
    assert recipients == [address]
    assert [one.addr_spec for one in head["To"].addresses] == [address]


def test_letters_beyond_ascii_are_addressed_too():
    assert is_mailbox("müller@bücher.example")


def test_a_subject_is_one_line_whatever_it_names(tools, server):
    subject = "Invitation to Storage\r\nBcc: attacker@evil.test"
    SmtpPost(tools.settings).send(Letter("mia@victim.test", subject, "Hello\n"))
    ((recipients, head),) = sent(server)
    assert recipients == ["mia@victim.test"]
    assert (head["Subject"], head["Bcc"]) == (
        "Invitation to Storage Bcc: attacker@evil.test", None,
    )  # fmt: skip


def test_a_channel_whose_address_could_mean_others_is_told_nothing(project, server):
    project.channel(ChannelKind.MAIL, "root,mia@victim.test")
    assert project.notify()
    project.go_round()
    assert [outcome for outcome, _, _ in project.attempts()] == ["forbidden"]
    assert sent(server) == []
