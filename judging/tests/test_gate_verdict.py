"""The gate: what it lets pass, what it stops and says, and what it refuses to judge."""

import numpy as np
import pytest
from weighhouse_judging.arithmetic.rates import Rate
from weighhouse_judging.identity.digests import FieldChange
from weighhouse_judging.identity.sides import Change
from weighhouse_judging.verdicts.failures import Attempts, figures
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.gate_cells import CellVerdict, judge_cells
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.gate_verdict import EXIT_CODES, decide, no_baseline
from weighhouse_judging.verdicts.noise import floor_of
from weighhouse_judging.verdicts.repetitions import (
    Progress,
    Repetitions,
    blocks_saved,
    level_half_width,
    of_gate_cell,
    undecided,
)

UPGRADE = [Change("redis", "7.0.15", "7.2.1")]


def repeats(name: str, level: float, seed: int, cv: float = 0.01, size: int = 5) -> Repeats:
    noise = np.random.default_rng([seed, *name.encode()]).normal(0, cv, size)
    return {(name, block): float(level * np.exp(one)) for block, one in enumerate(noise)}


def cell(
    factor: float = 1.0,
    *,
    seed: int = 1,
    cv: float = 0.01,
    campaigns: int = 10,
    size: int = 5,
    **more: object,
) -> CellEvidence:
    base = {f"c{n}": repeats(f"c{n}", 100.0, seed, cv) for n in range(campaigns)}
    given: dict[str, object] = {
        "identity": f"cell-{seed}",
        "label": f"redis, balanced, {seed} clients",
        "load_model": "closed",
        "candidate": repeats("new", 100.0 * factor, seed, cv, size),
        "base": base,
    }
    return CellEvidence(**{**given, **more})  # type: ignore[arg-type]


def only(evidence: CellEvidence, **how: object) -> CellVerdict:
    (found,) = judge_cells([evidence], **how)  # type: ignore[arg-type]
    return found


def test_equal_campaigns_are_equivalent_and_the_first_line_names_the_subject() -> None:
    result = decide([cell(seed=1), cell(seed=2)], subject=UPGRADE)
    assert (result.verdict, result.exit_code) == ("equivalent", 0)
    assert result.message.splitlines()[0].startswith("redis 7.0.15 → 7.2.1: ")


def test_a_step_down_is_a_regression_named_with_its_interval() -> None:
    result = decide([cell(seed=1), cell(0.9, seed=2)], subject=UPGRADE)
    assert (result.verdict, result.exit_code) == ("regression", 1)
    assert "redis, balanced, 2 clients: throughput \u2212" in result.message
    assert result.cells[1].stopped_by == "base"


@pytest.mark.parametrize(
    ("worse", "beginning", "ending"),
    [
        (1, "1 of 6 cells regressed: redis, balanced, 1 clients: throughput \u2212", "]."),
        (2, "2 of 6 cells regressed: redis, balanced, 1 clients: throughput \u2212", "]."),
        (4, "4 of 6 cells regressed: ", "]."),
        (5, "5 of 6 cells regressed: ", "; 2 more."),
        (6, "all 6 cells regressed: ", "; 3 more."),
    ],
)
def test_the_message_says_of_how_many_cells_and_names_them(
    worse: int, beginning: str, ending: str
) -> None:
    cells = [cell(0.8 if seed <= worse else 1.0, seed=seed) for seed in range(1, 7)]
    said = decide(cells).message.splitlines()[0].partition(" differs: ")[2]
    assert said.startswith(beginning), said
    assert said.endswith(ending), said
    named = [seed for seed in range(1, 7) if f"balanced, {seed} clients: " in said]
    assert named == list(range(1, (worse if worse <= 4 else 3) + 1)), said


def test_what_was_not_measured_or_cannot_be_compared_is_counted_and_named_too() -> None:
    lost = cell(candidate={}, candidate_attempts=Attempts(0, ("deploy",) * 5))
    said = decide([cell(seed=2), cell(seed=3), lost]).message.splitlines()[0]
    assert said.endswith("1 of 3 cells could not be measured (deploy): redis, balanced, 1 clients.")
    other = cell(0.5, mismatches=(FieldChange("record count", "10,000,000", "1,000"),))
    said = decide([cell(seed=2), other]).message.splitlines()[0]
    assert said.endswith(
        "1 of 2 cells cannot be compared with the base: redis, balanced, 1 clients. "
        "Differs: record count 10,000,000 → 1,000."
    )
    few = decide([cell(size=3), cell(seed=2)]).message.splitlines()[0]
    assert "1 of 2 cells can be called neither worse nor safe" in few


def test_an_improvement_passes_and_latency_is_worse_when_it_rises() -> None:
    assert decide([cell(1.3)]).verdict == "passed"
    assert only(cell(1.3, load_model="open")).outcome == "worse"
    assert only(cell(0.7, load_model="open")).outcome == "better"


def test_what_differs_between_campaigns_is_no_regression() -> None:
    generator = np.random.default_rng(3)
    levels = 100 * np.exp(generator.normal(0, 0.04, 10))
    base = {f"c{n}": repeats(f"c{n}", float(levels[n]), 3) for n in range(10)}
    lowest = float(levels.min()) / 100
    known = only(cell(lowest, seed=3, base=base))
    assert known.base is not None
    assert (known.base.method, known.base.between_known) == ("two_level", True)
    assert known.outcome != "worse"
    single = only(cell(lowest, seed=3, base={"c": repeats("c", 100.0, 3)}))
    assert single.base is not None
    assert (single.outcome, single.base.between_known) == ("unclear", False)


@pytest.mark.parametrize("others", [[], [cell(0.5, label="much worse")]])
def test_an_unknown_variance_between_campaigns_is_said_once(others: list[CellEvidence]) -> None:
    said = decide([cell(campaigns=1), *others]).message
    assert said.lower().count("not known") == 1, said
    assert "4 campaigns that did not regress tell" in said
    assert "`" not in said, "pages, letters and terminals show it as it is"
    assert "not known" not in decide([cell()]).message


def test_small_steps_add_up_to_an_alarm_by_the_anchor() -> None:
    near = repeats("near", 95.5, 1)
    evidence = cell(
        0.912,
        base={f"n{n}": {(f"n{n}", k): v for k, v in enumerate(near.values())} for n in range(5)},
        anchor={"release": repeats("release", 100.0, 1)},
    )
    stopped = only(evidence)
    assert (stopped.outcome, stopped.stopped_by) == ("worse", "anchor")
    assert "small steps add up" in decide([evidence]).message
    assert only(evidence, anchor_threshold=0.2).outcome != "worse"


def test_a_cell_that_is_another_is_judged_by_nobody_and_named() -> None:
    other = cell(0.5, mismatches=(FieldChange("record count", "10,000,000", "1,000"),))
    result = decide([cell(), other], subject=UPGRADE)
    assert (result.verdict, result.exit_code) == ("not_comparable", 4)
    assert "record count 10,000,000 → 1,000" in result.message
    assert decide([cell(0.8), other]).verdict == "regression"


def test_one_timed_out_repeat_of_ten_is_no_regression_and_all_of_them_are() -> None:
    one = cell(size=9, candidate_attempts=Attempts(9, ("timeout",)))
    assert only(one).outcome == "equivalent"
    gone = cell(candidate={}, candidate_attempts=Attempts(0, ("timeout",) * 5))
    assert (only(gone).outcome, only(gone).stopped_by) == ("failed", "failures")
    assert "failed every repeat" in decide([gone]).message
    half = cell(size=5, candidate_attempts=Attempts(5, ("database",) * 5))
    assert only(half).outcome == "failed"
    always = cell(candidate={}, base={}, candidate_attempts=Attempts(0, ("timeout",) * 5))
    assert only(always).outcome == "unclear"


def test_failed_operations_count_by_run_not_by_operation() -> None:
    clean = tuple(Rate(0, 1_000_000) for _ in range(5))
    hiccup = (*clean[:4], Rate(50_000, 1_000_000))
    before = Attempts(5, (), clean)
    assert only(cell(base_attempts=before, candidate_attempts=Attempts(5, (), hiccup))).outcome == (
        "equivalent"
    )
    broken = tuple(Rate(20_000, 1_000_000) for _ in range(5))
    base = Attempts(10, (), clean * 2)
    assert only(cell(base_attempts=base, candidate_attempts=Attempts(5, (), broken))).outcome == (
        "failed"
    )
    shown = figures(Attempts(5, ("timeout",), broken))
    assert shown.repeats.share == pytest.approx(1 / 6)
    assert shown.operations_interval is not None


@pytest.mark.parametrize("kind", ["infrastructure", "deploy"])
def test_a_cell_that_could_not_be_measured_is_infrastructure(kind: str) -> None:
    lost = cell(candidate={}, candidate_attempts=Attempts(0, (kind,) * 5))
    result = decide([cell(seed=2), lost])
    assert (result.verdict, result.exit_code) == ("infrastructure", 3)
    assert kind in result.message


def test_noise_is_inconclusive_and_never_passes_for_want_of_data() -> None:
    assert decide([cell(0.97, cv=0.1)]).verdict == "inconclusive"
    few = decide([cell(size=3)])
    assert few.verdict == "inconclusive"
    assert "5 repeats" in few.message
    assert decide([]).exit_code == no_baseline().exit_code == 2


def test_pairs_within_one_campaign_are_paired() -> None:
    generator = np.random.default_rng(6)
    shared = generator.normal(0, 0.1, 6)
    a, b = 100 * np.exp(shared + generator.normal(0, 0.005, (2, 6)))
    key = [("both", block) for block in range(6)]
    verdict = only(
        cell(
            base={"both": dict(zip(key, a.tolist(), strict=True))},
            candidate=dict(zip(key, (b * 0.9).tolist(), strict=True)),
        )
    )
    assert verdict.base is not None
    assert (verdict.base.method, verdict.outcome) == ("paired", "worse")


def test_a_floor_above_the_threshold_is_said_in_the_message() -> None:
    generator = np.random.default_rng(7)
    levels = generator.normal(0, 0.06, 30)
    floor = floor_of(
        {str(n): np.exp(levels[n] + generator.normal(0, 0.02, (5, 2))).tolist() for n in range(30)}
    )
    base = {"c": repeats("c", 100.0, 1, 0.02)}
    result = decide([cell(0.97, cv=0.02, floor=floor, base=base)])
    assert "this machine cannot tell less than" in result.message
    assert "smaller than this machine can tell" not in result.message, "nor than was asked"
    drowned = decide([cell(0.9, cv=0.02, floor=floor, base=base)])
    assert drowned.verdict != "regression"
    assert "1 clients: throughput \u22127.8\u2009% is smaller" in drowned.message
    assert "is smaller than this machine can tell, " in drowned.message
    assert "cannot tell less than" not in drowned.message, "said once"
    against = result.cells[0].base
    assert against is not None
    assert against.threshold == against.floor
    assert against.threshold > against.asked_threshold


def test_what_drowns_in_noise_since_the_anchor_is_said_too() -> None:
    generator = np.random.default_rng(7)
    levels = generator.normal(0, 0.06, 30)
    floor = floor_of(
        {str(n): np.exp(levels[n] + generator.normal(0, 0.02, (5, 2))).tolist() for n in range(30)}
    )
    base = {"c": repeats("c", 100.0, 1, 0.02)}
    anchor = {"r": repeats("r", 108.0, 1, 0.02)}
    cells = [cell(cv=0.02, floor=floor, base=base, anchor=anchor, seed=seed) for seed in (1, 1)]
    line = next(
        line for line in decide(cells).message.splitlines() if "smaller than this machine" in line
    )
    assert "since the anchor is smaller than this machine can tell" in line
    assert line.endswith(", and so it is in 1 cell more.")


def test_undeclared_differences_are_named_as_confounders() -> None:
    subject = [*UPGRADE, Change("limits", "none", "1 CPU", confounder=True)]
    lines = decide([cell()], subject=subject).message.splitlines()
    assert "limits" not in lines[0]
    assert any("Differs too, undeclared: limits none → 1 CPU" in line for line in lines)


def test_more_campaigns_of_cells_narrow_what_each_knows() -> None:
    alone = only(cell(seed=1))
    together = judge_cells([cell(seed=seed) for seed in range(1, 13)])[0]
    assert alone.base is not None
    assert together.base is not None
    assert together.base.high - together.base.low < alone.base.high - alone.base.low


def test_only_undecided_cells_get_another_block() -> None:
    plan = Repetitions(5, 30)
    clear = only(cell(0.7), looked_at=True)
    dim = only(cell(0.96, cv=0.06), looked_at=True)
    cells = [of_gate_cell("clear", 5, clear), of_gate_cell("dim", 5, dim)]
    assert undecided(plan, cells) == ("dim",)
    assert blocks_saved(plan, cells) == 25
    assert undecided(plan, [Progress("new", 4, decided=True, half_width=None)]) == ("new",)
    assert undecided(plan, [Progress("end", 30, decided=False, half_width=None)]) == ()
    vain = Progress("vain", 9, decided=False, half_width=0.1, hopeless=True)
    assert undecided(plan, [vain]) == ()


def test_until_the_interval_is_narrow() -> None:
    plan = Repetitions(5, 30, half_width=0.02)
    wide = level_half_width([90.0, 95.0, 100.0, 105.0, 110.0])
    narrow = level_half_width([100.0, 100.1, 99.9, 100.05, 99.95])
    assert undecided(plan, [Progress("a", 5, decided=True, half_width=wide)]) == ("a",)
    assert undecided(plan, [Progress("a", 5, decided=False, half_width=narrow)]) == ()
    with pytest.raises(ValueError, match="at_least"):
        Repetitions(4, 30)


def test_every_verdict_has_its_exit_code() -> None:
    assert EXIT_CODES == {
        "passed": 0,
        "equivalent": 0,
        "regression": 1,
        "inconclusive": 2,
        "no_baseline": 2,
        "infrastructure": 3,
        "not_comparable": 4,
        "refused": 4,
    }
