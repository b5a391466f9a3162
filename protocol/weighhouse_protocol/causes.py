"""What a system's own words for an error mean, as its plugin's manifest says. Pure."""

from collections.abc import Iterable

from weighhouse_protocol.base import Document, Label, Sentence


class Cause(Document):
    """A word by which a system says why it does not take what it is asked."""

    word: Label
    """As the system writes it, one word or several; it stands for itself, not within another."""
    hint: Sentence
    """How to mend it."""


def hint_among(causes: Iterable[Cause], words: str) -> str | None:
    """What mends what a system said: of the first cause whose word stands in it.

    :returns: None where none does.
    """
    said = _plain(words)
    return next((each.hint for each in causes if _plain(each.word) in said), None)


def _plain(text: str) -> str:
    """Words alone, each between two spaces."""
    letters = "".join(one if one.isalnum() else " " for one in text)
    return f" {' '.join(letters.split())} "
