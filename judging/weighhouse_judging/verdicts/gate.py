"""A campaign against its base: may the build pass? Pure.

**What is watched.** The figure that the load model leaves free: throughput in a closed loop (where
latency follows from it by Little's law, and no response-time claim is made), p99 response time in
an open loop (where throughput is given).

**When a cell regressed.** Its difference is *changed for the worse* by the rule of `comparison`
(interval excludes 0, difference beyond the gate's threshold, |δ| ≥ 0.33), **and** Student's t on
logarithms, adjusted by Holm over all cells of the gate, stays below 0.05.

Why the second condition, and why not the rank test: a gate looks at many cells, and each look may
be wrong. Holm's adjustment bounds the chance of *any* false alarm in the whole campaign to 5 %, but
a rank test on five against five repeats cannot give a p below 0.0079, which over more than six
cells Holm can never let pass: the gate would be blind. The t-test has no such floor; outliers make
it more cautious, not less. A difference that meets the first condition alone is *inconclusive*.

**When a cell passes.** Not by absence of proof: the worse end of its 90 % interval, a one-sided
95 % bound, must lie inside the threshold (non-inferiority). So a gate on a noisy machine says
*inconclusive* and how many more repeats it needs, and never *passed* for want of data.

**Failed runs.** A database that failed under load is a result: a cell that the base completed and
the campaign did not, for a reason of kind `database` or `timeout`, regressed. Anything else that
kept a cell from being measured is *infrastructure*.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.verdicts.comparison import (
    METRIC,
    REPEATS_FOR_A_CLAIM,
    Judgement,
    Metric,
    judge,
    with_holm,
)

GateVerdict = Literal[
    "passed",
    "equivalent",
    "regression",
    "inconclusive",
    "infrastructure",
    "no_baseline",
    "not_comparable",
]
CellOutcome = Literal["better", "equivalent", "not_worse", "worse", "unclear", "failed", "missing"]

EXIT_CODES: dict[GateVerdict, int] = {
    "passed": 0,
    "equivalent": 0,
    "regression": 1,
    "inconclusive": 2,
    "no_baseline": 2,
    "infrastructure": 3,
    "not_comparable": 4,
}
"""Exit code of a build. `no_baseline` compared nothing, so it does not pass for something."""

GATE_THRESHOLD = 0.05
"""Default practical threshold of the gate for throughput, relative."""

LATENCY_FACTOR = 2.0
"""The gate's threshold for p99 is this many times that for throughput (defaults 5 % and 10 %)."""

FAMILY_ERROR = 0.05
"""Chance of any false alarm over all cells of a gate."""

BOUND_CONFIDENCE = 0.90
"""Confidence of the two-sided interval whose worse end is the one-sided 95 % bound."""

RESULT_FAILURES = frozenset({"database", "timeout"})
"""Kinds of failure that say something of the system under test."""


@dataclass(frozen=True)
class CellEvidence:
    """One cell in both campaigns: the watched figure of each repeat, and why runs failed."""

    target: str
    workload: str
    load_label: str
    load_model: Literal["closed", "open"]
    baseline: tuple[float, ...]
    candidate: tuple[float, ...]
    candidate_failures: tuple[str, ...] = ()
    """Failure kinds of the campaign's failed or cancelled runs."""

    @property
    def metric(self) -> Metric:
        """The figure the gate watches under this load model."""
        return METRIC["throughput" if self.load_model == "closed" else "p99_us"]

    @property
    def label(self) -> str:
        """The cell in words."""
        return f"{self.target}, {self.workload}, {self.load_label}"


@dataclass(frozen=True)
class CellVerdict:
    """What the gate holds of one cell."""

    evidence: CellEvidence
    outcome: CellOutcome
    judgement: Judgement | None
    p_worse: float | None
    """One-sided p of the t-test, adjusted by Holm over the gate's cells."""


@dataclass(frozen=True)
class GateResult:
    """The gate's verdict, its exit code, one sentence why, and its cells in the order given."""

    verdict: GateVerdict
    exit_code: int
    message: str
    cells: tuple[CellVerdict, ...]


def no_baseline(reason: str | None = None) -> GateResult:
    """The verdict of a campaign that nothing can be compared with."""
    why = reason or "no earlier campaign of this experiment has passed or been accepted"
    return _result("no_baseline", f"Nothing to compare with: {why}.", ())


def not_comparable(labels: Sequence[str], fields: Sequence[str]) -> GateResult:
    """The verdict where cells of one name are not the same measurement, or not on alike machines.

    :param labels: the cells, in words.
    :param fields: what differs: `workload.record_count 1000 → 2000`.
    """
    cells = "1 cell" if len(labels) == 1 else f"{len(labels)} cells"
    what = "; ".join(dict.fromkeys(fields))
    return _result("not_comparable", f"{cells} cannot be compared with the base: {what}.", ())


def decide(cells: Sequence[CellEvidence], *, threshold: float = GATE_THRESHOLD) -> GateResult:
    """The verdict over all cells that both campaigns planned.

    `threshold` is the practical threshold for throughput (0.05 = 5 %); that for latency is
    LATENCY_FACTOR times it. Order of precedence: regression, infrastructure, inconclusive, then
    equivalent (every cell inside ± the threshold) or passed (no cell worse, some better).
    """
    if not cells:
        return no_baseline()
    verdicts = _judge_cells(cells, threshold)
    by_outcome = {
        outcome: [verdict for verdict in verdicts if verdict.outcome == outcome]
        for outcome in ("worse", "failed", "missing", "unclear")
    }
    regressed = by_outcome["worse"] + by_outcome["failed"]
    if regressed:
        return _result("regression", _regression_message(regressed), verdicts)
    if by_outcome["missing"]:
        return _result("infrastructure", _missing_message(by_outcome["missing"]), verdicts)
    if by_outcome["unclear"]:
        return _result("inconclusive", _unclear_message(by_outcome["unclear"]), verdicts)
    if all(verdict.outcome == "equivalent" for verdict in verdicts):
        message = f"All {len(verdicts)} cells are equivalent within ±{threshold:.0%}."
        return _result("equivalent", message, verdicts)
    better = sum(verdict.outcome == "better" for verdict in verdicts)
    message = f"No cell of {len(verdicts)} is worse; {better} improved."
    return _result("passed", message, verdicts)


def _judge_cells(cells: Sequence[CellEvidence], threshold: float) -> tuple[CellVerdict, ...]:
    limits = [
        threshold if cell.metric.higher_is_better else threshold * LATENCY_FACTOR for cell in cells
    ]
    judgements = [
        judge(cell.metric, cell.baseline, cell.candidate, threshold=limit)
        for cell, limit in zip(cells, limits, strict=True)
    ]
    compared = [index for index, judgement in enumerate(judgements) if judgement is not None]
    adjusted = dict(
        zip(
            compared,
            statistics.holm([_p_worse(cells[index]) for index in compared]),
            strict=True,
        )
    )
    shown = dict(zip(compared, with_holm([j for j in judgements if j is not None]), strict=True))
    return tuple(
        CellVerdict(
            evidence=cell,
            outcome=_outcome(cell, shown.get(index), adjusted.get(index, 1.0)),
            judgement=shown.get(index),
            p_worse=adjusted.get(index),
        )
        for index, cell in enumerate(cells)
    )


def _p_worse(cell: CellEvidence) -> float:
    return statistics.worse_by_t(
        cell.baseline, cell.candidate, higher_is_worse=not cell.metric.higher_is_better
    )


def _outcome(cell: CellEvidence, judgement: Judgement | None, p_worse: float) -> CellOutcome:
    if any(kind in RESULT_FAILURES for kind in cell.candidate_failures):
        return "failed"
    if judgement is None or judgement.verdict == "insufficient":
        return "missing" if cell.candidate_failures or not cell.candidate else "unclear"
    if judgement.verdict == "changed":
        worse: CellOutcome = "worse" if p_worse <= FAMILY_ERROR else "unclear"
        return "better" if judgement.better else worse
    if judgement.verdict == "equivalent":
        return "equivalent"
    return "not_worse" if _is_not_worse(cell, judgement.threshold) else "unclear"


def _is_not_worse(cell: CellEvidence, threshold: float) -> bool:
    bound = statistics.relative_difference(
        cell.baseline, cell.candidate, confidence=BOUND_CONFIDENCE
    )
    if bound is None:
        return False
    worse_end = -bound.low if cell.metric.higher_is_better else bound.high
    return worse_end <= threshold


def _result(verdict: GateVerdict, message: str, cells: tuple[CellVerdict, ...]) -> GateResult:
    return GateResult(verdict, EXIT_CODES[verdict], message, cells)


def _regression_message(cells: Sequence[CellVerdict]) -> str:
    first = cells[0]
    if first.outcome == "failed" or first.judgement is None:
        text = f"{first.evidence.label}: the system failed under load"
    else:
        figure = first.judgement
        text = (
            f"{first.evidence.label}: {first.evidence.metric.label.lower()} "
            f"{figure.relative:+.1%} [{figure.low:+.1%}, {figure.high:+.1%}]"
        )
    return f"{_counted(cells)} regressed. {text}."


def _missing_message(cells: Sequence[CellVerdict]) -> str:
    kinds = sorted({kind for cell in cells for kind in cell.evidence.candidate_failures})
    why = f" ({', '.join(kinds)})" if kinds else ""
    return f"{_counted(cells)} could not be measured{why}: {cells[0].evidence.label}."


def _unclear_message(cells: Sequence[CellVerdict]) -> str:
    needed = [
        cell.judgement.repeats_needed
        for cell in cells
        if cell.judgement is not None and cell.judgement.repeats_needed is not None
    ]
    few = [
        cell
        for cell in cells
        if min(len(cell.evidence.baseline), len(cell.evidence.candidate)) < REPEATS_FOR_A_CLAIM
    ]
    reason = f"{_counted(cells)} can be called neither worse nor safe"
    if few:
        reason += f", {len(few)} for want of {REPEATS_FOR_A_CLAIM} repeats a side"
    if needed:
        reason += f"; about {max(needed)} more repeats a side would tell"
    return f"{reason}."


def _counted(cells: Sequence[CellVerdict]) -> str:
    return "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
