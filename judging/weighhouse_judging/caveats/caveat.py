"""What a caveat is. Pure."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from weighhouse_judging.findings.checks import MOST_WORDS

Kind = Literal["statement", "check", "confounder", "disclosure", "statistics"]
Severity = Literal["bar", "caution", "note"]
"""`bar` is never shown folded; the words are those of a manifest's statements."""

MOST_EVIDENCE = 40
"""Pieces of evidence a caveat carries; its runs are all counted however many they are."""


@dataclass(frozen=True)
class Evidence:
    """What a caveat rests on: of one run, of one side, or of all."""

    text: str
    side: str | None = None
    run: Hashable | None = None


@dataclass(frozen=True)
class Caveat:
    """One thing to know before numbers are believed."""

    id: str
    kind: Kind
    code: str
    """Of the check, the statement or the aspect."""
    severity: Severity
    short: str
    """At most eight words, without the count of runs."""
    title: str
    text: str
    sides: tuple[str, ...] = ()
    """Keys of the sides that it concerns; empty: all."""
    runs: tuple[Hashable, ...] = ()
    """That it concerns; empty where it does not come out of runs, the latest of very many."""
    runs_count: int = 0
    """How many they are, with those that are not named."""
    runs_of: int = 0
    """Runs that were asked; 0 where it does not come out of runs."""
    evidence: tuple[Evidence, ...] = ()
    help: str | None = None
    """Path of the page of documentation."""


def shortened(text: str) -> str:
    """The first eight words; an ellipsis for what is left out."""
    words = text.split()
    if len(words) <= MOST_WORDS:
        return text
    return " ".join(words[:MOST_WORDS]).rstrip(",;:.") + "…"
