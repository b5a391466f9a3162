"""What seemed worse is measured again: what stands, what is taken back, and what is not asked."""

from dataclasses import replace

import numpy as np
import pytest
from weighhouse_judging.verdicts.campaigns import PastCampaign
from weighhouse_judging.verdicts.gate_cells import CellVerdict, judge_cells
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.gate_verdict import decide
from weighhouse_judging.verdicts.sides import Repeats
from weighhouse_protocol.percent import signed_percent


def repeats(name: str, level: float, seed: int, size: int = 5) -> Repeats:
    noise = np.random.default_rng([seed, *name.encode()]).normal(0, 0.01, size)
    return {(name, block): float(level * np.exp(one)) for block, one in enumerate(noise)}


def cell(
    factor: float, again: float | None = None, *, seed: int = 1, **more: object
) -> CellEvidence:
    given: dict[str, object] = {
        "identity": f"cell-{seed}",
        "label": f"redis, {seed} clients",
        "load_model": "closed",
        "candidate": repeats("new", 100.0 * factor, seed),
        "base": {f"c{n}": repeats(f"c{n}", 100.0, seed) for n in range(10)},
        "again": {} if again is None else repeats("again", 100.0 * again, seed),
    }
    return CellEvidence(**{**given, **more})  # type: ignore[arg-type]


def only(evidence: CellEvidence, **how: object) -> CellVerdict:
    (found,) = judge_cells([evidence], **how)  # type: ignore[arg-type]
    return found


def test_what_is_worse_by_other_campaigns_may_be_chance_until_it_was_measured_again() -> None:
    seemed = only(cell(0.85))
    assert (seemed.outcome, seemed.may_be_chance, seemed.certain) == ("worse", True, False)
    stands = only(cell(0.85, 0.85))
    assert (stands.outcome, stands.stopped_by) == ("worse", "base")
    assert (stands.may_be_chance, stands.certain, stands.taken_back) == (False, True, False)


def test_what_is_not_worse_again_is_taken_back_and_both_figures_are_kept() -> None:
    back = only(cell(0.85, 1.0))
    assert (back.outcome, back.stopped_by, back.taken_back) == ("unclear", None, True)
    assert back.first is not None
    assert back.again is not None
    assert (back.first.relative, back.again.relative) == pytest.approx((-0.15, 0.0), abs=0.02)
    result = decide([cell(0.85, 1.0), cell(1.0, seed=2)])
    assert (result.verdict, result.exit_code) == ("inconclusive", 2)
    first, *notes = result.message.splitlines()
    assert first.endswith(": 1 of 2 cells seemed worse, and not when measured again.")
    seemed, again = back.first.relative, back.again.relative
    said = (
        f"seemed worse by {signed_percent(seemed)}, measured again {signed_percent(again)}: taken "
        "back."
    )
    assert notes == [f"redis, 1 clients: throughput {said}"]


def test_a_regression_that_stands_says_both_figures() -> None:
    message = decide([cell(0.85, 0.86)]).message
    assert "the only cell regressed: redis, 1 clients: throughput \u22121" in message
    assert ", measured again \u22121" in message


def test_what_is_better_again_is_taken_back_however_much() -> None:
    assert only(cell(0.85, 1.3)).taken_back


def test_the_second_is_judged_alone() -> None:
    """A mean of both would still be worse."""
    assert only(cell(0.7, 0.97)).taken_back
    assert only(cell(0.7 * 0.97)).outcome == "worse"


def test_the_second_is_corrected_over_all_cells_of_the_gate() -> None:
    def verdict(others: int) -> CellVerdict:
        alike = [cell(1.0, seed=1) for _ in range(others)]
        return judge_cells([cell(0.8, 0.87, seed=1), *alike])[0]

    few, many = verdict(2), verdict(40)
    assert few.again is not None
    assert many.again is not None
    assert many.again.p_worse > 5 * few.again.p_worse


def test_what_is_worse_since_the_anchor_is_measured_again_too() -> None:
    near = {f"n{n}": repeats(f"n{n}", 94.0, 1) for n in range(6)}
    release = {"release": repeats("release", 100.0, 1)}
    seemed = only(cell(0.9, base=near, anchor=release))
    assert (seemed.outcome, seemed.stopped_by, seemed.may_be_chance) == ("worse", "anchor", True)
    back = only(cell(0.9, 1.0, base=near, anchor=release))
    assert (back.taken_back, back.first) == (True, seemed.anchor)
    assert only(cell(0.9, 0.9, base=near, anchor=release)).certain


def test_pairs_and_failures_are_not_measured_again() -> None:
    key = [("both", block) for block in range(6)]
    pairs = cell(
        1.0,
        1.0,
        base={"both": dict.fromkeys(key[:5], 100.0) | {key[5]: 100.5}},
        candidate=dict.fromkeys(key[:5], 90.0) | {key[5]: 90.5},
    )
    verdict = only(pairs)
    assert (verdict.outcome, verdict.may_be_chance, verdict.certain) == ("worse", False, True)
    assert verdict.again is None


def test_what_could_not_be_measured_again_stays_as_it_was() -> None:
    short = only(replace(cell(0.85), again=repeats("again", 100.0, 1, size=3)))
    assert (short.outcome, short.again, short.certain) == ("worse", None, False)


def test_a_cell_that_is_not_worse_is_not_touched_by_a_second_measurement() -> None:
    assert only(cell(1.0, 0.7)).outcome == "equivalent"
    assert only(cell(1.0, 0.7)).again is None


def restless(slow: int, size: int = 20, *, by: float = 0.85, quiet: int = 40) -> list[PastCampaign]:
    """Campaigns that were calm for long; some of the latest were slow by chance."""
    levels = [1.0] * (quiet + size - 2 * slow) + [by, 1.0] * slow
    return [
        PastCampaign(tuple(repeats(f"p{n}", 100.0 * level, 1).values()))
        for n, level in enumerate(levels)
    ]


def test_worse_twice_is_unclear_where_campaigns_were_as_bad_by_themselves_lately() -> None:
    calm = only(cell(0.85, 0.85, past=restless(0)))
    assert (calm.outcome, calm.as_slow) == ("worse", 0)
    doubt = only(cell(0.85, 0.85, past=restless(1)))
    assert (doubt.outcome, doubt.as_slow, doubt.stopped_by) == ("unclear", 1, None)
    assert not doubt.taken_back
    assert not doubt.certain
    result = decide([cell(0.85, 0.85, past=restless(1))])
    assert (result.verdict, result.exit_code) == ("inconclusive", 2)
    assert "1 of the latest 20 campaigns was as bad by chance" in result.message
    assert "taken back" not in result.message


def test_what_was_far_less_bad_or_long_ago_is_no_doubt() -> None:
    assert only(cell(0.85, 0.85, past=restless(1, by=0.97))).outcome == "worse"
    long_ago = [*restless(1, quiet=10), *restless(0, size=1, quiet=20)]
    assert only(cell(0.85, 0.85, past=long_ago)).outcome == "worse"


def test_far_worse_than_what_was_bad_lately_is_a_regression() -> None:
    assert only(cell(0.7, 0.7, past=restless(1))).outcome == "worse"
