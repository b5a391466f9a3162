"""Pure: which answers of a disclosure say something, and how complete it is.

People's answers count when they say something: a letter, a refusal, one character again and again,
or one text pasted into every field is no answer. What a reader has to know and nobody can tell yet
counts as missing, whoever should have said it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

SectionId = Literal["who", "what", "configuration", "where", "how", "limits"]
SECTIONS: dict[SectionId, str] = {
    "who": "Who",
    "what": "What",
    "configuration": "Configuration",
    "where": "Where",
    "how": "How",
    "limits": "Limits",
}
"""In the order of a full disclosure; what each holds stands in docs/publishing.md."""

Kind = Literal["name", "statement"]
"""A name may be short and may stand in several fields; a statement says something of its own."""

NONE = frozenset(
    {"none", "nobody", "no one", "no-one", "no", "nothing", "no sponsor", "not sponsored"}
)
"""Answers to a question that may be answered with no."""
THROWN_AWAY = frozenset(
    {
        "?", "n/a", "na", "n.a", "not applicable", "not available", "not disclosed", "undisclosed",
        "unknown", "unclear", "not known", "don't know", "dont know", "do not know", "dunno",
        "idk", "none of your business", "no comment", "secret", "confidential", "classified",
        "private", "whatever", "who cares", "tbd", "tba", "todo", "to do", "to be done",
        "to be defined", "fixme", "later", "soon", "pending", "test", "testing", "foo", "bar",
        "foobar", "baz", "abc", "asdf", "asdfasdf", "asdfgh", "qwert", "qwerty", "qwertz", "lorem",
        "lorem ipsum", "blah", "bla", "text", "string", "value", "placeholder", "example", "null",
        "nil", "undefined", "someone", "somebody", "anyone", "anybody", "something", "anything",
        "stuff", "various", "misc", "yes", "ok", "okay", "fine", "see above", "see below",
        "as above", "same", "same as above", "ditto",
    }
)  # fmt: skip
LEAST_LETTERS: dict[Kind, int] = {"name": 2, "statement": 10}
LEAST_WORDS: dict[Kind, int] = {"name": 1, "statement": 2}


@dataclass(frozen=True)
class Answer:
    """What somebody wrote in a field."""

    question: str
    """Which question it answers, whatever system it is asked of."""
    text: str
    kind: Kind = "name"
    may_be_none: bool = False
    """Whether `none` says something."""


def bare(text: str) -> str:
    """A text without what does not make it another: case, spaces, marks at its ends."""
    folded = re.sub(r"\s+", " ", text.casefold()).strip()
    return folded.strip(" .,;:!-–—_*/\\()[]{}<>\"'`~#") or folded


def fault_of(answer: Answer) -> str | None:
    """Why an answer says nothing; None when it does."""
    words = bare(answer.text)
    if not words:
        return "not answered"
    if answer.may_be_none and words in NONE:
        return None
    signs = [sign for sign in words if sign.isalnum()]
    letters = [sign for sign in signs if sign.isalpha()]
    several = words.split()
    if words in THROWN_AWAY or words in NONE:
        return f"“{answer.text.strip()[:40]}” says nothing"
    if len(set(signs)) <= 1 or (len(several) > 1 and len(set(several)) == 1):
        return f"“{answer.text.strip()[:40]}” says nothing"
    too_few = len(letters) < LEAST_LETTERS[answer.kind]
    if too_few or len(several) < LEAST_WORDS[answer.kind]:
        return f"“{answer.text.strip()[:40]}” is too short to say anything"
    return None


def faults_of(answers: Sequence[Answer]) -> list[str | None]:
    """Why each answer says nothing; None for those that do.

    One team may pay, choose the method and set systems up, so that names may agree. A statement
    that is also the answer to another question was pasted, and none of the fields counts.
    """
    asked: dict[str, set[tuple[str, Kind]]] = {}
    for one in answers:
        asked.setdefault(bare(one.text), set()).add((one.question, one.kind))
    found: list[str | None] = []
    for one in answers:
        fault = fault_of(one)
        places = asked[bare(one.text)]
        pasted = len(places) > 1 and any(kind == "statement" for _, kind in places)
        if fault is None and pasted and not (one.may_be_none and bare(one.text) in NONE):
            others = sorted(question for question, _ in places if question != one.question)
            fault = f"the same text stands under {', '.join(others)}"
        found.append(fault)
    return found


def share(answered: Iterable[bool]) -> float:
    """Share of questions that were answered, 0 to 1; nothing asked is complete."""
    counted = list(answered)
    return sum(counted) / len(counted) if counted else 1.0
