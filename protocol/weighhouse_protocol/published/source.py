"""Where published results come from, and what of them may be shown."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from weighhouse_protocol.base import Bytes, Document, Label, Sentence, Words
from weighhouse_protocol.links import page_address
from weighhouse_protocol.text import Named


def _page(text: object) -> object:
    if not isinstance(text, str) or not text:
        return text
    address = page_address(text)
    if not address.startswith("https://"):
        message = "is no https address of a page; leave it empty where there is none"
        raise ValueError(message)
    return address


class PublishedSource(Document):
    """Who published results, where, and under what terms. Empty: not known."""

    title: Annotated[str, Named(300)]
    authors: Sentence = ""
    date: Label = ""
    """As it is printed."""
    address: Annotated[str, BeforeValidator(_page), Field(max_length=2000)] = ""
    """Of the page, https."""
    licence: Label = ""
    sponsor: Sentence = ""
    """Who paid, and what they decided."""
    quoted: Sentence = ""
    """What may be taken over, and by what right."""
    tool: Label = ""
    """That made the load, with its version."""
    machines: Sentence = ""
    raw_data: Sentence = ""
    """Where the raw data lies; `not published` is an answer."""
    disclaimer: Words = ""
    """What has to be said beside the figures."""


class PublishedFile(Document):
    """A file that results were read from."""

    name: Sentence
    """As it was given; inside an archive, the archive's name and its path with `!` between."""
    bytes: Bytes
    sha256: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$", max_length=64)] = ""
    format: Label = ""
    """The importer that read it."""
