"""Claims in a report's text, each held against the figures of one of its sources. Pure.

`{{claim comparison: [redis / balanced / 8 clients] > [memcached / balanced / 8 clients]}}`: the
language is that of studies. Each is judged by itself, by the rules that studies' claims are.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from weighhouse_judging.claims.expressions import NotAnExpression, read_expression
from weighhouse_judging.studies.claims import VERDICT_WORDS, ClaimResult, cells_of, judge_claims
from weighhouse_judging.studies.language import Cell, Claim
from weighhouse_judging.studies.terms import Key, cell_words
from weighhouse_judging.verdicts.figures import Repeats

from weighhouse_backend.reports.items import Claimed, Item, Withdrawn

Judge = Callable[[Claim], ClaimResult]
MOST_NAMED = 12
_CELL = re.compile(r"\[([^\[\]]*)\]")
_MEASURED_HERE = "a claim is of what was measured here, or of a study"


@dataclass(frozen=True)
class ClaimSides:
    """Sides beside each other, as claims speak of them."""

    repeats: Mapping[Key, Repeats]
    """By side (`claim_name`), workload, load and figure."""
    labels: Mapping[str, str]
    """Of the sides, as people know them."""
    refused: Mapping[str, str]
    """Sides that may not be shown, and why."""
    untrue: Mapping[tuple[str, str, str], str]
    """Cells (side, workload, load) whose figures cannot be true, and what a check found."""

    def claimed(self, line: str, notes: Mapping[str, tuple[str, ...]]) -> Item:
        """What a claim comes to; withdrawn with the reason where it cannot be held.

        :param notes: ids of what must stand beside each side.
        """
        line = claim_name(line)
        claim = _read(line)
        if isinstance(claim, Withdrawn):
            return claim
        cells = cells_of(claim)
        sides = list(dict.fromkeys(cell.side or "" for cell in cells))
        for side in sides:
            if side not in self.labels:
                known = ", ".join(list(self.labels)[:MOST_NAMED])
                return Withdrawn(reason=f"{side or 'a cell without a side'} is none of {known}; "
                                        f"{_MEASURED_HERE}")  # fmt: skip
            if side in self.refused:
                return Withdrawn(reason=self.refused[side])
        found = judge_claims([claim], {}, self.repeats, "published", self.labels)[0]
        if found.verdict == "not_measured":
            return _missing(found)
        every = tuple(dict.fromkeys(note for side in sides for note in notes.get(side, ())))
        said = in_words(line, self.labels)
        wrong = [why for cell in cells if (why := self._untrue(cell)) is not None]
        if wrong:
            return Claimed(says=said, verdict="cannot_tell", words=VERDICT_WORDS["cannot_tell"],
                           why=_sentence(wrong), notes=every)  # fmt: skip
        return _told(found, said, every)

    def _untrue(self, cell: Cell) -> str | None:
        """Why a cell's figures cannot be true; of one without a load, at any."""
        for (side, workload, load), title in self.untrue.items():
            if (side, workload) == (cell.side, cell.workload) and cell.load in {None, load}:
                where = cell_words(cell, self.labels)
                return f"the figures of {where} cannot be true: {title}"
        return None


def of_a_study(line: str, judge: Judge, names: Mapping[str, str], notes: Sequence[str]) -> Item:
    """What a claim comes to over a study: over what it prints, and what was measured of it here.

    :param names: of its sides, as people know them.
    """
    claim = _read(line)
    if isinstance(claim, Withdrawn):
        return claim
    found = judge(claim)
    if found.verdict == "not_measured" and not found.printed:
        return _missing(found)
    return _told(found, in_words(line, names), tuple(notes))


def claim_name(name: str) -> str:
    """A side as claims call it: `redis@12` of campaign 12 is `redis..12`; either may be written."""
    return name.replace("@", "..")


def _read(line: str) -> Claim | Withdrawn:
    try:
        test = read_expression(line)
    except NotAnExpression as error:
        return Withdrawn(reason=f"this is no claim that can be held: {error}")
    return Claim(id="claim", says=line, place="the report", tests=(test,))


def _missing(found: ClaimResult) -> Withdrawn:
    why = found.sentence.removesuffix(".")
    return Withdrawn(reason=f"{why}: it was not measured, or is gone")


def _sentence(said: Sequence[str]) -> str:
    text = "; ".join(dict.fromkeys(said))
    return f"{text[:1].upper()}{text[1:]}."


def _told(found: ClaimResult, said: str, notes: tuple[str, ...]) -> Claimed:
    words, why = VERDICT_WORDS[found.verdict], found.sentence
    if found.verdict == "not_measured":
        words = "not measured here; holds as printed"
        why = "; ".join(one.words for one in found.printed) + "."
    elif found.verdict == "cannot_be_true_as_printed" and found.measured:
        why = f"{found.sentence} Here: {found.measured}"
    return Claimed(says=said, verdict=found.verdict, words=words, why=why, notes=notes)


def in_words(line: str, labels: Mapping[str, str]) -> str:
    """A line with its cells as people read them."""

    def cell(found: re.Match[str]) -> str:
        side, *rest = (one.strip() for one in found[1].split(" / "))
        return f"“{', '.join([labels.get(side, side), *rest])}”"

    return _CELL.sub(cell, line)
