"""What is written, and that it calls nobody and says what its figures are for."""

import datetime
from uuid import UUID

import pytest
from weighhouse_backend.notices.kinds import NoticeKind
from weighhouse_backend.notices.messages import (
    DISCLOSURE,
    Message,
    as_document,
    chat_text,
    chat_title,
    text_of,
)

ID = UUID(int=7)
URL = "https://weighhouse.example/campaigns/7"


def message(kind, **more):
    facts = {"title": "A title", "words": "Some words.", "url": URL, "project": "Main"}
    at = datetime.datetime(2026, 11, 24, tzinfo=datetime.UTC)
    return Message(id=ID, kind=kind, project_id=ID, at=at, **{**facts, **more})


@pytest.mark.parametrize("kind", list(NoticeKind))
def test_what_may_say_figures_says_what_they_are_for(kind):
    one = message(kind)
    says = kind in {"regression", "campaign_done", "challenge", "reply"}
    assert as_document(one)["disclosure"] == (DISCLOSURE if says else "")
    for text in (chat_text(one), text_of([one], URL, "Why:")):
        assert (DISCLOSURE in text) is says
        assert URL in text


def test_a_strangers_words_call_nobody_in_a_chat():
    calls = "@everyone <!channel> <!here|here> <@U024BE7LH> @here"
    one = message(NoticeKind.REPLY, title=calls, words=calls)
    for text in (chat_title(one), chat_text(one)):
        for call in ("@everyone", "@here", "<!", "<@"):
            assert call not in text
    assert as_document(one)["text"] == calls, "programs get it as it is"
