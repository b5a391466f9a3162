"""What is written: to channels, to mailboxes, and to webhooks' programs. Pure."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

from weighhouse_protocol import pages
from weighhouse_protocol.pages import PagePath

from weighhouse_backend.notices.kinds import NoticeKind

KINDS_IN_WORDS = {
    NoticeKind.REGRESSION: "Regression",
    NoticeKind.CAMPAIGN_DONE: "Campaign done",
    NoticeKind.CAMPAIGN_FAILED: "Campaign failed",
    NoticeKind.MISSED_RUN: "Missed run",
    NoticeKind.AGENT_SILENT: "Agent silent",
    NoticeKind.AGENT_RESTING: "Agent takes no work",
    NoticeKind.QUOTA: "Quota",
    NoticeKind.CHALLENGE: "Challenge",
    NoticeKind.REPLY: "Vendor's reply",
}
TEST = "test"
WITH_FIGURES = frozenset(
    {
        NoticeKind.REGRESSION, NoticeKind.CAMPAIGN_DONE, NoticeKind.CHALLENGE, NoticeKind.REPLY,
    }
)  # fmt: skip
"""What says figures, or whose author may."""
FOR_MEMBERS = "members of the project, once they are signed in"
DISCLOSURE = "For the organization alone, not for publication. Its caveats stand on the page."


@dataclass(frozen=True)
class Message:
    """A notice as it goes out."""

    id: UUID
    """The same at each attempt: receivers know by it what they have already."""
    kind: str
    """A `NoticeKind`, or `test`."""
    title: str
    words: str
    url: str
    project_id: UUID
    project: str
    at: datetime.datetime
    path: PagePath = pages.OVERVIEW
    """Of the page that shows it, to members."""
    opens_for: str = FOR_MEMBERS
    """Who can open `url`, in words."""


def disclosure_of(message: Message) -> str:
    """What stands beside figures that leave the page; empty, where there are none."""
    return DISCLOSURE if message.kind in WITH_FIGURES else ""


def id_of(messages: Sequence[Message]) -> str:
    """Of a letter: the same whenever it tells of the same."""
    return str(uuid5(messages[0].id, ",".join(str(message.id) for message in messages)))


def message_of_test(
    delivery_id: UUID, project_id: UUID, project: str, url: str, at: datetime.datetime
) -> Message:
    """What a channel's test says."""
    return Message(
        id=delivery_id, kind=TEST, title="A test of this channel",
        words="Somebody pressed the button to see whether messages arrive.", url=url,
        project_id=project_id, project=project, at=at,
    )  # fmt: skip


def as_document(message: Message) -> dict[str, Any]:
    """A webhook's body; docs/notices.md says what may be relied on."""
    return {
        "id": str(message.id),
        "type": message.kind,
        "title": message.title,
        "text": message.words,
        "disclosure": disclosure_of(message),
        "url": message.url,
        "opens_for": message.opens_for,
        "project": {"id": str(message.project_id), "name": message.project},
        "timestamp": message.at.astimezone(datetime.UTC).isoformat().replace("+00:00", "Z"),
    }


def subject_of(messages: Sequence[Message]) -> str:
    """Of a letter."""
    if len(messages) == 1:
        return f"{_kind(messages[0])}: {messages[0].title}"
    projects = sorted({message.project for message in messages})
    return f"{len(messages)} notices of {', '.join(projects)}"


def text_of(messages: Sequence[Message], settings_url: str, why: str) -> str:
    """Of a letter, in plain text.

    :param why: whom it is sent to, and so where that is changed.
    """
    said = [
        "\n".join(
            line
            for line in (
                message.title if len(messages) == 1 else f"{_kind(message)}: {message.title}",
                message.words,
                f"{message.project}, {message.at.astimezone(datetime.UTC):%Y-%m-%d %H:%M} UTC",
                message.url,
                f"It opens for {message.opens_for}.",
                disclosure_of(message),
            )
            if line
        )
        for message in messages
    ]
    return "\n\n".join([*said, f"-- \n{why} {settings_url}"]) + "\n"


def chat_title(message: Message) -> str:
    """The head of a message in a chat."""
    return _calling_nobody(f"{_kind(message)}: {message.title}")


def chat_text(message: Message) -> str:
    """What stands below it."""
    said = _calling_nobody("\n".join(one for one in (message.words, message.project) if one))
    opens = f"{message.url}\nIt opens for {message.opens_for}."
    return "\n".join(one for one in (said, disclosure_of(message), opens) if one)


def _calling_nobody(text: str) -> str:
    """A text in which no `@everyone`, `<!channel>` or `<@…>` calls people: strangers may write it,
    as a vendor does who replies.
    """
    return text.replace("@", "@\u200b").replace("<", "<\u200b")


def _kind(message: Message) -> str:
    return "Test" if message.kind == TEST else KINDS_IN_WORDS[NoticeKind(message.kind)]
