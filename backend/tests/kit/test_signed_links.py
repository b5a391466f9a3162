"""Signed links: what was signed is a link, letter by letter, and nothing beside it."""

import datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighhouse_backend.kit.signed_links import LinkEnded, LinkKind, LinkUnknown

REPLY = LinkKind(prefix="whv_", purpose=b"a reply\0")
INVITATION = LinkKind(prefix="whv_", purpose=b"an invitation\0")
SECRET = b"a secret of an installation"
NOW = datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)
LATER = NOW + datetime.timedelta(days=7)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@given(st.uuids())
def test_a_link_is_read_by_whoever_knows_a_secret_it_was_signed_with(link: UUID) -> None:
    token = REPLY.signed(SECRET, link, LATER)
    assert REPLY.read([b"a newer secret", SECRET], token, NOW) == link
    with pytest.raises(LinkUnknown):
        REPLY.read([b"a newer secret"], token, NOW)
    with pytest.raises(LinkUnknown):
        INVITATION.read([SECRET], token, NOW)
    with pytest.raises(LinkEnded):
        REPLY.read([SECRET], token, LATER)


@given(st.uuids(), st.data())
def test_a_link_with_another_letter_anywhere_is_none(link: UUID, data: st.DataObject) -> None:
    """Also where the letter says nothing: the last one's lowest bits are no part of the bytes."""
    token = REPLY.signed(SECRET, link, LATER)
    at = data.draw(st.sampled_from([*range(len(token)), len(token) - 1]))
    letter = data.draw(st.sampled_from(LETTERS.replace(token[at], "")))
    with pytest.raises(LinkUnknown):
        REPLY.read([SECRET], token[:at] + letter + token[at + 1 :], NOW)


@pytest.mark.parametrize("more", ["=", " ", "\n", "A", "==", "!", "é", "\udcff"])
def test_a_link_with_something_behind_it_is_none(more: str) -> None:
    token = REPLY.signed(SECRET, UUID(int=7), LATER)
    for changed in (token + more, more + token, token[:9] + more + token[9:]):
        with pytest.raises(LinkUnknown):
            REPLY.read([SECRET], changed, NOW)


def test_the_letters_that_say_nothing_are_refused_each() -> None:
    """Three of four last letters decode to the same bytes as the one that was signed."""
    token = REPLY.signed(SECRET, UUID(int=7), LATER)
    read = [letter for letter in LETTERS if _is_read(token[:-1] + letter)]
    assert read == [token[-1]]


def _is_read(token: str) -> bool:
    try:
        return REPLY.read([SECRET], token, NOW) == UUID(int=7)
    except LinkUnknown:
        return False
