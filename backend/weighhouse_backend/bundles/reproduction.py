"""A bundle against another that measured the same again: did it come to the same? Pure.

Each cell that both have is judged by its primary figure, as two campaigns are. What lies between
campaigns on the two installations nobody knows, so it is taken for what machines usually do
(`verdicts.campaigns.PRIOR_DEVIATION`): where the two differ beyond doubt by more than a quarter,
the cell did *not reproduce*; where they differ beyond doubt by less, it *reproduced*; else it
cannot be told. On machines of another kind figures may differ, and nothing follows from it: there
the cells count by what is said of two sides.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from weighhouse_judging.arithmetic.intervals import Between
from weighhouse_judging.identity.digests import FieldChange
from weighhouse_judging.identity.digests import differences as field_differences
from weighhouse_judging.identity.places import kind_differences
from weighhouse_judging.identity.sides import subject
from weighhouse_judging.verdicts.campaigns import PRIOR_DEVIATION, PRIOR_FREEDOM
from weighhouse_judging.verdicts.readings import Word, word_of
from weighhouse_judging.verdicts.sides import Judgement, Opposed, judge_each, with_family
from weighhouse_protocol.figures import CATALOGUE, Figure
from weighhouse_protocol.percent import percent

from weighhouse_backend.comparisons.sides import Choice, Side
from weighhouse_backend.results.repeats import CellKey

Outcome = Literal["reproduced", "did_not_reproduce", "cannot_tell"]
WITHIN = 0.25
"""By how much a reproduction may differ; relative."""
TOLD_APART = frozenset({"more", "less", "as_much"})


@dataclass(frozen=True)
class CellAgain:
    """A cell of a target that was measured again."""

    target: str
    workload: str
    load_level: str
    figure: str
    unit: str
    original: float
    """Median of its repeats."""
    again: float
    relative: float
    """0.05 = 5 % more than before."""
    low: float | None
    high: float | None
    """The 95 % interval; None below four repeats a side."""
    outcome: Outcome
    because: str


@dataclass(frozen=True)
class SidesAgain:
    """What was said of a side against its baseline, before and now."""

    target: str
    baseline: str
    workload: str
    load_level: str
    figure: str
    original: Word
    again: Word
    outcome: Outcome


@dataclass(frozen=True)
class Reproduction:
    """What measuring again came to."""

    outcome: Outcome
    because: str
    same_machines: bool
    """Of one kind; else figures may differ, and what is said of sides counts."""
    machines: Sequence[str]
    """In what they differ."""
    changes: Sequence[str]
    """In what the targets were set up otherwise."""
    cells: Sequence[CellAgain]
    sides: Sequence[SidesAgain]
    left_out: Sequence[str]
    """Cells of the original that were not measured again, or are another measurement now."""


def reproduction(original: Choice, again: Choice) -> Reproduction:
    """What came of measuring again; sides are the same by their targets' names.

    :param original: with its runs.
    :param again: likewise.
    """
    pairs = _pairs(original, again)
    machines, changes, left = _material(pairs)
    left += [
        f"{side.target.name}: not measured again"
        for side in original.sides
        if side.target.name not in {one.target.name for one, _ in pairs}
    ]
    cells = list(_cells(pairs, left, same_machines=not machines))
    sides = list(_sides(original, again, {(one.workload, one.load_level) for one in cells}))
    outcome, because = _whole(cells, sides, same_machines=not machines)
    return Reproduction(outcome, because, not machines, machines, changes, cells, sides, left)


def _pairs(original: Choice, again: Choice) -> list[tuple[Side, Side]]:
    by_name = {side.target.name: side for side in again.sides}
    return [
        (side, by_name[side.target.name]) for side in original.sides if side.target.name in by_name
    ]


def _material(pairs: Sequence[tuple[Side, Side]]) -> tuple[list[str], list[str], list[str]]:
    """What tells the machines apart, and the targets; cells that one of the two has alone."""
    machines: dict[str, None] = {}
    changes: dict[str, None] = {}
    left: list[str] = []
    for one, other in pairs:
        for name, seen in one.seen.items():
            if name not in other.seen:
                left.append(f"{_where(one, name)}: not measured again")
                continue
            for change in kind_differences(seen.place, other.seen[name].place):
                machines[str(change)] = None
            for changed in subject(seen.side, other.seen[name].side):
                changes[f"{one.target.name}: {changed}"] = None
    return list(machines), list(changes), left


def _where(side: Side, name: CellKey) -> str:
    return f"{side.target.name}, {name[0]}, {name[1]}"


def _cells(
    pairs: Sequence[tuple[Side, Side]], left: list[str], *, same_machines: bool
) -> Iterator[CellAgain]:
    asked: list[tuple[Side, CellKey, Figure, Opposed]] = []
    for one, other in pairs:
        for name in one.cells.cells:
            if name not in other.seen:
                continue
            figure = CATALOGUE.primary(one.cells.cells[name][0].load_kind)
            opposed = Opposed(
                figure,
                one.cells.blocks(name, figure.name),
                other.cells.blocks(name, figure.name),
                threshold=WITHIN,
                between=_between(),
            )
            changed = _changed(one, other, name)
            if changed:
                left.append(
                    f"{_where(one, name)}: another measurement: " + ", ".join(map(str, changed))
                )
            elif not opposed.has_ratio:
                left.append(f"{_where(one, name)}: one of the two has no figure")
            else:
                asked.append((one, name, figure, opposed))
    found = [one for one in judge_each([opposed for *_, opposed in asked]) if one is not None]
    for (side, name, figure, _), judged in zip(asked, with_family(found), strict=True):
        outcome, because = _outcome(judged, same_machines=same_machines)
        yield CellAgain(
            side.target.name, name[0], name[1], figure.name, figure.unit,
            judged.baseline_median, judged.median, judged.relative, judged.low, judged.high,
            outcome, because,
        )  # fmt: skip


def _changed(one: Side, other: Side, name: CellKey) -> list[FieldChange]:
    """In what a cell is another measurement now, as far as was asked for."""
    return field_differences(
        one.seen[name].identity(asked_only=True), other.seen[name].identity(asked_only=True)
    )


def _between() -> Between:
    """By how much campaigns of one thing usually differ on machines of which nothing is known."""
    return Between(np.asarray(PRIOR_DEVIATION**2), np.asarray(PRIOR_FREEDOM), np.asarray(0.0))


def _outcome(judged: Judgement, *, same_machines: bool) -> tuple[Outcome, str]:
    if judged.verdict == "changed":
        if not same_machines:
            return "cannot_tell", "it differs, and so do the machines"
        return "did_not_reproduce", f"it differs by more than {percent(WITHIN, 0)} beyond doubt"
    if judged.verdict == "equivalent":
        return "reproduced", f"it differs by less than {percent(WITHIN, 0)} beyond doubt"
    if judged.verdict == "insufficient":
        return "cannot_tell", "fewer than five repeats on one of the two"
    return "cannot_tell", f"whether it differs by {percent(WITHIN, 0)} cannot be told"


def _sides(original: Choice, again: Choice, cells: set[CellKey]) -> Iterator[SidesAgain]:
    """What is said of sides against their baseline, where both say it."""
    now = {(one.baseline, one.target, one.cell): one.word for one in _said(again, cells)}
    for one in _said(original, cells):
        word = now.get((one.baseline, one.target, one.cell))
        if word is None:
            continue
        outcome: Outcome = "cannot_tell"
        if {one.word, word} <= TOLD_APART:
            outcome = "reproduced" if one.word == word else "did_not_reproduce"
        yield SidesAgain(one.target, one.baseline, *one.cell, one.figure, one.word, word, outcome)


@dataclass(frozen=True)
class _Said:
    baseline: str
    target: str
    cell: CellKey
    figure: str
    word: Word


def _said(choice: Choice, cells: set[CellKey]) -> list[_Said]:
    """Every two sides of a campaign, by the primary figure of each cell."""
    asked: list[tuple[_Said, Opposed]] = []
    names = sorted(choice.sides, key=lambda side: side.target.name)
    for place, base in enumerate(names):
        for other in names[place + 1 :]:
            for cell, runs in base.cells.cells.items():
                figure = CATALOGUE.primary(runs[0].load_kind)
                sides = [side.cells.blocks(cell, figure.name) for side in (base, other)]
                opposed = Opposed(figure, sides[0], sides[1])
                if cell in cells and opposed.has_ratio:
                    said = _Said(base.target.name, other.target.name, cell, figure.name, "too_few")
                    asked.append((said, opposed))
    judged = [one for one in judge_each([each for _, each in asked]) if one is not None]
    return [
        replace(said, word=word_of(one.verdict, one.relative))
        for (said, _), one in zip(asked, with_family(judged), strict=True)
    ]


def _whole(
    cells: Sequence[CellAgain], sides: Sequence[SidesAgain], *, same_machines: bool
) -> tuple[Outcome, str]:
    counted: Sequence[Any] = cells if same_machines else sides
    what = "cells" if same_machines else "statements about sides, on another kind of machine,"
    if not counted:
        return "cannot_tell", "nothing was measured again that can be compared"
    outcomes = [one.outcome for one in counted]
    told = {name: outcomes.count(name) for name in ("did_not_reproduce", "reproduced")}
    if failed := told["did_not_reproduce"]:
        return "did_not_reproduce", f"{failed} of {len(outcomes)} {what} did not reproduce"
    if told["reproduced"] == len(outcomes):
        return "reproduced", f"{len(outcomes)} of {len(outcomes)} {what} reproduced"
    undecided = len(outcomes) - told["reproduced"]
    return "cannot_tell", f"of {len(outcomes)} {what} {undecided} cannot be told"
