"""The cells of a campaign against its base and its anchor: what a gate decides by. Pure.

**What is watched.** The figure that the load model leaves free: throughput in a closed loop (where
latency follows from it by Little's law), p99 of the response time in an open loop (where throughput
is given).

**What it is compared with.** The base's repeats, by campaign. From four campaigns on (or with a
noise floor that knows it) the variance between campaigns is part of the error (two-level model);
below, it is unknown and the verdict says so. Repeats that share blocks with the base (A and B in
one campaign) are paired. Beside the base stands the *anchor*, the last release: small steps that
each pass add up to one that does not.

**When a cell regressed.** It lies beyond the threshold on the worse side, and its one-sided p,
after Holm's adjustment over the gate's cells, is at most 0.5 %; base and anchor together so raise a
false alarm in at most 1 % of campaigns. Or its system can no longer be measured at all, or fails
significantly more often. One timed-out repeat of ten is none of these.

**When it is measured again.** A cell that is worse by figures of other campaigns is measured once
more, and judged by that second measurement alone, corrected over all cells of the gate. It stays
worse where it is worse again; else it is unclear. Whole campaigns are slow now and then by more
than any variance tells; hardly ever twice, unless one was lately: where one of the latest was as
bad by itself, worse twice is unclear, too. Pairs share their block, and failures are no figures:
neither is measured again. What could not be measured again stays as it was.

**When a cell passes.** Not by absence of proof: the worse end of its one-sided 95 % bound must lie
inside the threshold (non-inferiority). A gate on a noisy machine says *inconclusive*, or, where the
noise floor is known, what the machine cannot tell.

**Not comparable.** A cell whose identity or place differs from its base's is judged by nobody; the
verdict names the fields.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from weighhouse_judging.arithmetic.families import holm
from weighhouse_judging.arithmetic.intervals import Between
from weighhouse_judging.verdicts.failures import (
    FAILURE_LEVEL,
    cannot_be_measured,
    p_of_failures,
)
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.gate_measures import (
    FAMILY_ERROR,
    PASSING_ERROR,
    Against,
    against_all,
    as_bad_lately,
    betweens,
)

CellOutcome = Literal[
    "better", "equivalent", "not_worse", "worse", "unclear", "failed", "missing", "not_comparable"
]

GATE_THRESHOLD = 0.05
"""Default practical threshold of the gate for throughput, relative."""

ANCHOR_THRESHOLD = 0.05
"""Default threshold of the cumulative difference to the anchor."""


@dataclass(frozen=True)
class CellVerdict:
    """What the gate holds of one cell."""

    evidence: CellEvidence
    outcome: CellOutcome
    base: Against | None
    anchor: Against | None
    stopped_by: Literal["base", "anchor", "failures"] | None
    """What made it *worse* or *failed*."""
    p_failures: float | None
    """One-sided p of more failures, adjusted over the gate's cells."""
    first: Against | None = None
    """Where a cell that seemed worse was measured again: what made it so."""
    again: Against | None = None
    """The second measurement, against the same campaigns."""
    as_slow: int = 0
    """It was worse again, and so many campaigns were as bad by themselves lately."""

    @property
    def taken_back(self) -> bool:
        """Did it seem worse, and not when it was measured again?"""
        return self.again is not None and self.outcome != "worse" and not self.as_slow

    @property
    def certain(self) -> bool:
        """Is it worse by more than figures of one campaign against others?"""
        if self.outcome != "worse":
            return False
        return self.again is not None or not self.may_be_chance

    @property
    def may_be_chance(self) -> bool:
        """Is it worse by figures of one campaign against others, and to be measured again?"""
        against = self.anchor if self.stopped_by == "anchor" else self.base
        return (
            self.outcome == "worse"
            and self.again is None
            and against is not None
            and against.method == "two_level"
        )

    @property
    def decided(self) -> bool:
        """Would more repeats change nothing?"""
        return self.outcome not in {"unclear", "missing"}


def judge_cells(
    cells: Sequence[CellEvidence],
    *,
    threshold: float = GATE_THRESHOLD,
    anchor_threshold: float = ANCHOR_THRESHOLD,
    looked_at: bool = False,
) -> tuple[CellVerdict, ...]:
    """The verdict on each cell, corrected over all of them; in the order given.

    `threshold` is that for throughput, relative; latency has LATENCY_FACTOR times it. `looked_at`
    when the campaign was judged while it grew, or its repeats were added later.
    """
    comparable = [cell for cell in cells if not cell.mismatches]
    known = betweens(comparable)
    bases = against_all(
        comparable, [cell.base for cell in comparable], known, threshold, looked_at=looked_at
    )
    anchors = against_all(
        comparable,
        [cell.anchor for cell in comparable],
        known,
        anchor_threshold,
        looked_at=looked_at,
    )
    p_failures = holm([p_of_failures(*cell.attempts) for cell in comparable])
    first = [
        _cell_verdict(cell, base, anchor, p)
        for cell, base, anchor, p in zip(comparable, bases, anchors, p_failures, strict=True)
    ]
    judged = iter(_confirmed(first, known, threshold, anchor_threshold))
    return tuple(
        CellVerdict(cell, "not_comparable", None, None, None, None)
        if cell.mismatches
        else next(judged)
        for cell in cells
    )


def _confirmed(
    first: Sequence[CellVerdict],
    known: Sequence[Between | None],
    threshold: float,
    anchor_threshold: float,
) -> list[CellVerdict]:
    """Cells that seemed worse by what was measured of them again. Nobody looked at that while it
    grew, whatever happened to the first.
    """
    places = [n for n, one in enumerate(first) if one.may_be_chance and one.evidence.again]
    second = [replace(first[n].evidence, candidate=first[n].evidence.again) for n in places]
    mine = [known[n] for n in places]
    bases, anchors = (
        against_all(second, sides, mine, asked, looked_at=False, family=len(first))
        for sides, asked in (
            ([cell.base for cell in second], threshold),
            ([cell.anchor for cell in second], anchor_threshold),
        )
    )
    found = list(first)
    for n, base, anchor in zip(places, bases, anchors, strict=True):
        found[n] = _measured_again(first[n], base, anchor)
    return found


def _measured_again(
    seemed: CellVerdict, base: Against | None, anchor: Against | None
) -> CellVerdict:
    by_anchor = seemed.stopped_by == "anchor"
    again = anchor if by_anchor else base
    if again is None:
        return seemed
    higher = seemed.evidence.metric.higher_is_better
    twice = any(one is not None and _is_worse(one, higher) for one in (base, anchor))
    first = seemed.anchor if by_anchor else seemed.base
    as_slow = as_bad_lately(seemed.evidence, first, again) if twice else 0
    stands = twice and not as_slow
    return replace(
        seemed,
        outcome="worse" if stands else "unclear",
        as_slow=as_slow,
        stopped_by=seemed.stopped_by if stands else None,
        first=first,
        again=again,
    )


def _cell_verdict(
    cell: CellEvidence, base: Against | None, anchor: Against | None, p_failures: float
) -> CellVerdict:
    outcome, stopped_by = _outcome(cell, base, anchor, p_failures)
    return CellVerdict(cell, outcome, base, anchor, stopped_by, p_failures)


def _outcome(
    cell: CellEvidence, base: Against | None, anchor: Against | None, p_failures: float
) -> tuple[CellOutcome, Literal["base", "anchor", "failures"] | None]:
    if cannot_be_measured(*cell.attempts) or p_failures <= FAILURE_LEVEL:
        return "failed", "failures"
    higher = cell.metric.higher_is_better
    for name, against in (("base", base), ("anchor", anchor)):
        if against is not None and _is_worse(against, higher):
            return "worse", "base" if name == "base" else "anchor"
    if base is None:
        _, attempts = cell.attempts
        lost = not cell.candidate or len(attempts.failures) > attempts.repeats.failed
        return ("missing" if lost and cell.base else "unclear"), None
    return _not_worse(base), None


def _not_worse(base: Against) -> CellOutcome:
    """What is said of a cell that is not shown to be worse."""
    if not base.between_known:
        return "unclear"
    if base.p_better <= FAMILY_ERROR and abs(base.relative) > base.threshold:
        return "better"
    if -base.threshold <= base.low and base.high <= base.threshold:
        return "equivalent"
    return "not_worse" if base.p_beyond <= PASSING_ERROR else "unclear"


def _is_worse(against: Against, higher_is_better: bool) -> bool:
    loss = -against.relative if higher_is_better else against.relative
    return loss > against.threshold and against.p_worse <= FAMILY_ERROR
