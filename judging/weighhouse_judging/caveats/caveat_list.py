"""Makes the one list of caveats, each thing once, the gravest first. Pure.

Put together are: statements of systems, sponsors and people; what checks found of runs, a check
once however many runs it concerns; what differs between the sides; what the statistics cannot say;
and what was not disclosed.
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from weighhouse_protocol.percent import percent

from weighhouse_judging.caveats.caveat import (
    MOST_EVIDENCE,
    Caveat,
    Evidence,
    Kind,
    Severity,
    shortened,
)
from weighhouse_judging.fairness.sheet import AspectRow, confounders
from weighhouse_judging.findings import checks
from weighhouse_judging.verdicts.sides import MOST_REPEATS_NEEDED

SEVERITIES: Mapping[checks.Severity, Severity] = {
    "error": "bar",
    "caution": "caution",
    "info": "note",
}
"""A check that found figures that cannot be true bars the way to them."""

SMALL_P = 0.001
"""Below it, a p is only said to be."""

_GRAVITY: Mapping[Severity, int] = {"bar": 0, "caution": 1, "note": 2}
_READ_FIRST: Sequence[Kind] = ("confounder", "check", "statistics", "statement", "disclosure")


@dataclass(frozen=True)
class Said:
    """A statement of a system, a sponsor or a person."""

    id: str
    severity: Severity
    title: str
    text: str
    source: str | None = None
    sides: tuple[str, ...] = ()
    """Keys of the sides it concerns; empty: all."""


@dataclass(frozen=True)
class OfRun:
    """What a check found of one run."""

    run: Hashable
    side: str
    check: str
    severity: checks.Severity
    title: str
    message: str
    rule: str
    """The check's formula, and where it comes from."""
    documentation: str
    others: Sequence[Hashable] = ()
    """Further runs of the side of which it says the same, in the same words."""
    unnamed: int = 0
    """Yet more of them, of which nobody needs to know which."""


@dataclass(frozen=True)
class Undecided:
    """A difference of the primary figure that the sides' repeats do not settle."""

    side: str
    where: str
    """Its cell, in words."""
    p_family: float
    """After correction for all differences of the table."""
    repeats_needed: int
    """Further repeats a side that would about settle it."""


@dataclass(frozen=True)
class Beside:
    """All that may have to stand beside numbers."""

    sides: Sequence[str]
    """Keys of the sides shown, in their order."""
    runs: int
    """Runs shown that gave figures."""
    said: Sequence[Said] = ()
    found: Sequence[OfRun] = ()
    of_comparison: Sequence[checks.Finding] = ()
    rows: Sequence[AspectRow] = ()
    """The fairness sheet; its sides are `sides`."""
    undecided: Sequence[Undecided] = ()
    judged: int = 0
    """Differences of the primary figure that were judged."""
    tests: int = 0
    """Differences in the table, which the correction is for."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Of sides, by key."""
    completeness: float = 1.0
    """Share of what people are asked for the disclosure that they answered."""
    not_disclosed: Sequence[str] = ()


def caveats(beside: Beside) -> list[Caveat]:
    """The list, the gravest first."""
    found = [
        *_statements(beside),
        *_checks(beside),
        *_of_comparison(beside),
        *_conditions(beside),
        *_undecided(beside),
        *_disclosure(beside),
    ]
    return sorted(found, key=_order)


def _order(one: Caveat) -> tuple[int, int, int]:
    return _GRAVITY[one.severity], _READ_FIRST.index(one.kind), -one.runs_count


def _concerned(beside: Beside, sides: Iterable[str]) -> tuple[str, ...]:
    """In the order shown; empty for all of several."""
    wanted = set(sides)
    found = tuple(side for side in beside.sides if side in wanted)
    return () if len(found) == len(beside.sides) else found


def _statements(beside: Beside) -> Iterable[Caveat]:
    once: dict[tuple[str, str], list[Said]] = {}
    for one in beside.said:
        once.setdefault((one.id, one.text), []).append(one)
    for same in once.values():
        one = same[0]
        everywhere = any(not each.sides for each in same)
        sides = () if everywhere else _concerned(beside, [s for each in same for s in each.sides])
        yield Caveat(
            id=f"statement:{one.id}",
            kind="statement",
            code=one.id,
            severity=one.severity,
            short=shortened(one.title),
            title=one.title,
            text=one.text,
            sides=sides,
            evidence=(Evidence(f"Source: {one.source}"),) if one.source else (),
        )


def _checks(beside: Beside) -> Iterable[Caveat]:
    by_outcome: dict[tuple[str, str], list[OfRun]] = {}
    for one in beside.found:
        by_outcome.setdefault((one.check, one.title), []).append(one)
    for found in by_outcome.values():
        found.sort(key=lambda one: _GRAVITY[SEVERITIES[one.severity]])
    gravest_first = sorted(
        by_outcome, key=lambda key: _GRAVITY[SEVERITIES[by_outcome[key][0].severity]]
    )
    first: set[str] = set()
    for check, title in gravest_first:
        found = by_outcome[check, title]
        gravest, texts = found[0], {one.message for one in found}
        runs = tuple(dict.fromkeys(run for one in found for run in (one.run, *one.others)))
        further = f":{_slug(title)}" if check in first else ""
        first.add(check)
        yield Caveat(
            id=f"check:{check}{further}",
            kind="check",
            code=check,
            severity=SEVERITIES[gravest.severity],
            short=shortened(title),
            title=title,
            text=gravest.message if len(texts) == 1 else f"For example: {gravest.message}",
            sides=_concerned(beside, (one.side for one in found)),
            runs=runs,
            runs_count=len(runs) + sum(one.unnamed for one in found),
            runs_of=beside.runs,
            evidence=(*_evidence(found), Evidence(f"Rule: {gravest.rule}")),
            help=gravest.documentation,
        )


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _evidence(found: Sequence[OfRun]) -> tuple[Evidence, ...]:
    """One a text and side: the same words over many runs are said of the first of them."""
    first: dict[tuple[str, str], Evidence] = {}
    for one in found:
        first.setdefault((one.side, one.message), Evidence(one.message, one.side, one.run))
    return tuple(first.values())[:MOST_EVIDENCE]


def _of_comparison(beside: Beside) -> Iterable[Caveat]:
    for finding in beside.of_comparison:
        if finding.id == checks.COMPARABILITY.id:
            continue  # said by what differs, row by row
        yield Caveat(
            id=f"check:{finding.id}",
            kind="statistics" if finding.id == checks.REPEATS.id else "check",
            code=finding.id,
            severity=SEVERITIES[finding.severity],
            short=_short(finding),
            title=finding.title,
            text=finding.message,
            evidence=(Evidence(f"Rule: {finding.formula}. Source: {finding.source}"),),
            help=finding.documentation,
        )


def _short(finding: checks.Finding) -> str:
    short = shortened(finding.title)
    if finding.id != checks.REPEATS.id:
        return short
    return f"{short} in {finding.numbers['cells_short']} of {finding.numbers['cells']} cells"


def _undecided(beside: Beside) -> Iterable[Caveat]:
    if not beside.undecided:
        return
    nearest = min(beside.undecided, key=lambda one: one.repeats_needed)
    many = len(beside.undecided)
    needed = _repeats(nearest.repeats_needed)
    yield Caveat(
        id="statistics:undecided",
        kind="statistics",
        code="undecided",
        severity="note",
        short=f"{many} of {beside.judged} differences cannot be told",
        title=f"{many} of {beside.judged} differences of the main figure cannot be told",
        text=(
            f"The nearest to being told, {nearest.where}: p {_p(nearest.p_family)} after "
            f"correction for {beside.tests} tests; {needed} a side could decide."
        ),
        sides=_concerned(beside, (one.side for one in beside.undecided)),
        evidence=tuple(
            Evidence(
                f"{one.where}: p {_p(one.p_family)} after correction, "
                f"{_repeats(one.repeats_needed)} a side could decide.",
                one.side,
            )
            for one in beside.undecided
        )[:MOST_EVIDENCE],
        help="/docs/verdicts",
    )


def _p(value: float) -> str:
    return f"{value:.2g}" if value >= SMALL_P else f"below {SMALL_P:g}"


def _repeats(number: int) -> str:
    if number >= MOST_REPEATS_NEEDED:
        return "more repeats than anybody will make"
    return "1 more repeat" if number == 1 else f"{number} more repeats"


def _conditions(beside: Beside) -> Iterable[Caveat]:
    found = confounders(beside.rows)
    if not found:
        return
    many = len(found)
    yield Caveat(
        id="confounder:conditions",
        kind="confounder",
        code=checks.COMPARABILITY.id,
        severity="caution",
        short=f"{many} of {len(beside.rows)} conditions differ",
        title=f"{many} of {len(beside.rows)} conditions differ",
        text=(
            f"{'This' if many == 1 else 'These'} could explain a difference besides what is "
            f"compared: {_labels(row.label for row in found)}."
        ),
        evidence=tuple(_row_evidence(beside, row) for row in found)[:MOST_EVIDENCE],
        help=checks.COMPARABILITY.documentation,
    )


def _labels(labels: Iterable[str]) -> str:
    """In one sentence: only the first begins like one, unless the word is written large."""
    first, *others = labels
    return ", ".join([first, *(_small(one) for one in others)])


def _small(label: str) -> str:
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def _row_evidence(beside: Beside, row: AspectRow) -> Evidence:
    labels = [beside.labels.get(key, key) for key in beside.sides]
    values = "; ".join(f"{label}: {value}" for label, value in zip(labels, row.values, strict=True))
    likely = ", ".join(labels[place] for place in row.favours)
    favours = f" Likely favours {likely}." if likely else ""
    return Evidence(f"{row.label}: {values}.{favours} {row.explanation}")


def _disclosure(beside: Beside) -> Iterable[Caveat]:
    if beside.completeness >= 1.0:
        return
    share = percent(beside.completeness, 0)
    yield Caveat(
        id="disclosure:completeness",
        kind="disclosure",
        code="completeness",
        severity="note",
        short=f"People disclosed {share}",
        title=f"People disclosed {share} of what they are asked",
        text="Who paid, who chose the method, and who set up each system, was not all said.",
        evidence=tuple(Evidence(f"Not disclosed: {one}") for one in beside.not_disclosed),
    )
