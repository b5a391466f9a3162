"""Names, notes and links that people read: what is taken, what is refused, what was kept before."""

from typing import Annotated

import pytest
from pydantic import BaseModel, ValidationError
from weighhouse_protocol.git import GitContext
from weighhouse_protocol.links import Link, Source, page_address
from weighhouse_protocol.text import AS_KEPT, Named, Prose, seen


class Card(BaseModel):
    name: Annotated[str, Named(20)] = "n"
    note: Annotated[str, Prose(40, 0)] = ""
    page: Annotated[str, Link(60)] = "https://example.com"


UNSEEN = (
    *map(chr, range(0x20)), "\x7f", *map(chr, range(0x80, 0xA0)), "\u00ad", "\u034f", "\u061c",
    "\u115f", "\u180e", "\u200b", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a",
    "\u202e", "\u2060", "\u2066", "\u2069", "\u3164", "\ufdd0", "\ufeff", "\uffa0", "\ufff9",
    "\uffff", "\ud800", "\udfff", "\U0001d173", "\U000e0001", "\U000e0041",
)  # fmt: skip


@pytest.mark.parametrize("sign", UNSEEN, ids=lambda sign: f"U+{ord(sign):04X}")
def test_what_is_not_seen_stands_in_no_name_and_no_link(sign: str) -> None:
    for field, value in (("name", f"a{sign}b"), ("page", f"https://example.com/a{sign}b")):
        with pytest.raises(ValidationError) as refused:
            Card.model_validate({field: value})
        assert refused.value.errors()[0]["loc"] == (field,)


@pytest.mark.parametrize("name", ["", " ", "\t\n", "\u3000", "\u2800", "\ufe0f", "a" * 21])
def test_a_name_shows_something_and_has_an_end(name: str) -> None:
    with pytest.raises(ValidationError):
        Card(name=name)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("  rack 7 ", "rack 7"), ("a\n", "a"), ("Größe", "Größe"), ("Gro\u0308ße", "Größe"),
        ("负载", "负载"), ("שלום", "שלום"), ("🚀 fast", "🚀 fast"), ("☁️", "☁️"), ("=1+1", "=1+1"),
    ],
)  # fmt: skip
def test_a_name_is_trimmed_and_spelled_in_one_way(name: str, kept: str) -> None:
    assert Card(name=name).name == kept
    assert Card(name=kept).name == kept


@pytest.mark.parametrize(
    ("note", "kept"),
    [("a\tb\nc", "a\tb\nc"), ("a\r\nb", "a\nb"), (" a ", "a"), ("a\u200db", "a\u200db")],
)
def test_a_note_has_tabs_and_ends_of_lines(note: str, kept: str) -> None:
    assert Card(note=note).note == kept


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\r", "\x7f", "\x9b", "\u202e", "\u2066", "\udead"])
def test_a_note_has_no_other_control(sign: str) -> None:
    with pytest.raises(ValidationError, match="note"):
        Card(note=f"a{sign}b")


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)",
        "java\nscript:alert(1)",
        "java\tscript:alert(1)", "data:text/html,<script>", "vbscript:x", "file:///etc/passwd",
        "//example.com/x", "/x", "x", "", "http:", "http://", "https:/example.com",
        "https:example.com",
        "https:///x", "https://user@example.com", "https://u:p@example.com", "https://@example.com",
        "https:\\\\example.com", "https://good.example\\@evil.example", "https://a b.example/",
        "https://example.com/a b", "https://example.com:0/", "https://example.com:99999/",
        "https://example.com:x/", "https://[::1", "https://[fe80::1%25eth0]/", "https://[::g]/",
        "https://exa\u202emple.com/", "https://example.com/\u2066x", "https://a..example/",
        f"https://{'a' * 64}.example/", "https://" + "a." * 130 + "example/", "https://<b>/",
        "https://%65xample.com/", "blob:https://example.com/1", "view-source:https://example.com",
        "https://" + "a" * 80,
    ],
)  # fmt: skip
def test_what_is_no_page_is_no_link(address: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Card(page=address)
    assert refused.value.errors()[0]["loc"] == ("page",)


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://redis.io", "https://redis.io"), (" HTTPS://Redis.IO/Docs ", "https://redis.io/Docs"),
        ("http://127.0.0.1:8080/a?b=c&d=%20#e", "http://127.0.0.1:8080/a?b=c&d=%20#e"),
        ("http://[::1]:3000/x", "http://[::1]:3000/x"), ("https://a_b.example/", "https://a_b.example/"),
        ("https://bücher.example/Größe", "https://xn--bcher-kva.example/Gr%C3%B6%C3%9Fe"),
        ('https://example.com/"><b>', "https://example.com/%22%3E%3Cb%3E"),
        ("https://example.com/@team", "https://example.com/@team"),
    ],
)  # fmt: skip
def test_a_page_is_kept_in_one_spelling(address: str, kept: str) -> None:
    assert Card(page=address).page == kept
    assert page_address(kept) == kept


def test_what_was_stored_before_is_read_as_it_is() -> None:
    stored = {"name": "a\x1b[2Jb", "note": "\u202e", "page": "javascript:alert(1)"}
    assert Card.model_validate(stored, context=AS_KEPT).model_dump() == stored
    with pytest.raises(ValidationError):
        Card.model_validate({"name": 7}, context=AS_KEPT)


def test_the_schemas_say_it() -> None:
    fields = Card.model_json_schema()["properties"]
    assert (fields["name"]["minLength"], fields["name"]["maxLength"]) == (1, 20)
    assert fields["note"]["maxLength"] == 40
    assert all("pattern" in fields[name] for name in ("name", "note", "page"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("repository", "https://git.example/a b"), ("repository", "https://git.example\\@evil/x"),
        ("repository", "https://git.example/\u202egpj"), ("repository", "git@git.example:a\u202eb"),
        ("repository", "ssh://<b>/x"), ("repository", "https://host:0/x"),
        ("pull_request_url", "//git.example/pull/7"), ("pull_request_url", "https://h/\x1b[2J"),
        ("branch", "a\u202eb"), ("branch", "a\x1b[2J"),
        ("subject", "a\u2066b"), ("subject", "\u200b"),
    ],
)  # fmt: skip
def test_a_commits_words_and_links_are_held_to_the_same(field: str, value: str) -> None:
    with pytest.raises(ValidationError) as refused:
        GitContext.model_validate({"commit": "abcdef1"} | {field: value})
    assert refused.value.errors()[0]["loc"] == (field,)


def test_joined_signs_of_a_commits_subject_stand_apart() -> None:
    assert GitContext(commit="abcdef1", subject="👩\u200d💻 fix").subject == "👩💻 fix"


def test_what_comes_from_elsewhere_is_shown_as_far_as_it_is_seen() -> None:
    assert seen("a\x1b[31mb\r\nc\u202ed\u200be") == "a [31mb c de"
    assert seen("\u200b\x00") == ""


class Said(BaseModel):
    source: Annotated[str, Source()]
    homepage: Annotated[str, Link(least=0)] = ""


@pytest.mark.parametrize(
    "text", ["licence", "Redis 7.0.15 of Debian 12: within 3 %", "https://redis.io/licence"]
)
def test_a_source_is_a_page_or_a_line(text: str) -> None:
    assert Said(source=text).source == text


@pytest.mark.parametrize(
    "text", ["javascript:alert(1)", "data:text/html,x", "//evil.example", "https://u:p@h/", "a\nb"]
)
def test_a_source_that_begins_as_an_address_is_one(text: str) -> None:
    with pytest.raises(ValidationError, match="source"):
        Said(source=text)
    if "\n" not in text:
        with pytest.raises(ValidationError, match="homepage"):
            Said(source="x", homepage=text)
    assert Said.model_validate({"source": text}, context=AS_KEPT).source == text
