"""The bench in its short form, and that it judges as the shipped functions do."""

import json

import numpy as np
import pytest
from weighhouse_judging.arithmetic.intervals import paired
from weighhouse_judging.arithmetic.rounding import coarser, step_of
from weighhouse_judging.bench import comparison, floors, gate, statistics, until_decided
from weighhouse_judging.bench.bars import bar
from weighhouse_judging.verdicts.gate_cells import judge_cells
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.noise import floor_of
from weighhouse_judging.verdicts.sides import judge
from weighhouse_protocol.figures import CATALOGUE


def test_every_bar_is_met_or_traded(capsys: pytest.CaptureFixture[str]) -> None:
    assert statistics.main(["--short"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["missed"] == []
    traded = {item["name"] for item in report["bars"] if item["judgement"] == "traded"}
    assert traded <= {
        "-5 % found in five pairs, nothing known of the machine",
        "cover of 95 % intervals: medians of 8 to 15 µs in whole µs",
        "cover of 95 % intervals between campaigns that remember",
        "cover of 95 % intervals between campaigns of unequal noise",
    }


def test_a_missed_bar_is_told_and_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    low = bar("something", {"one": 0.5}, at_least=0.9)
    monkeypatch.setattr(statistics, "bars", lambda effort, seed: iter([low]))
    monkeypatch.setattr(statistics, "shown", lambda effort, seed: {})
    assert statistics.main(["--short"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("MISSED")
    assert json.loads(lines[-1])["missed"] == ["something"]


def test_the_bench_calls_changed_what_the_judge_does() -> None:
    generator = np.random.default_rng(1)
    a, b = generator.normal(0, 0.02, (2, 300, 5))
    b -= 0.05
    called = comparison.changed(paired(b - a))
    for trial in range(300):
        sides = [dict(enumerate(np.exp(side[trial]).tolist())) for side in (a, b)]
        found = judge(CATALOGUE["throughput"], *sides)
        assert found is not None
        assert (found.verdict == "changed") == called[trial]
    assert 0.2 < called.mean() < 0.9


def test_the_bench_knows_of_rounding_what_the_judge_does() -> None:
    generator = np.random.default_rng(6)
    places = generator.uniform(8, 15, (300, 1))
    noise = np.exp(generator.normal(0, 0.05, (2, 300, 7)))
    a, b = np.rint(places * noise[0]), np.rint(1.2 * places * noise[1])
    found = coarser(paired(np.log(b / a)), (a, b), step_of(np.concatenate([a, b], axis=-1)))
    called = comparison.changed(found)
    for trial in range(300):
        sides = [dict(enumerate(side[trial].tolist())) for side in (a, b)]
        judged = judge(CATALOGUE["p50_us"], *sides, threshold=comparison.THRESHOLD)
        assert judged is not None
        assert judged.error == pytest.approx(float(found.error[trial]))
        assert (judged.verdict == "changed") == called[trial]
    assert 0.2 < called.mean() < 0.98


def test_the_bench_lends_what_a_floor_does() -> None:
    generator = np.random.default_rng(5)
    trials, size, pairs = 300, 5, 10
    shift = generator.normal(-0.04, 0.02, (trials, size))
    twins = np.exp(generator.normal(0, 0.015, (2, trials, pairs)))
    called = floors.called_changed(paired(shift), size, np.log(twins[1] / twins[0]))
    for trial in range(trials):
        known = floor_of({"x": list(zip(twins[0, trial], twins[1, trial], strict=True))})
        other = {block: float(np.exp(value)) for block, value in enumerate(shift[trial])}
        found = judge(CATALOGUE["throughput"], dict.fromkeys(range(size), 1.0), other, floor=known)
        assert found is not None
        assert (found.verdict == "changed") == called[trial]
    assert 0.2 < called.mean() < 0.9


def test_the_bench_calls_equivalent_what_the_judge_does() -> None:
    generator = np.random.default_rng(3)
    a, b = generator.normal(0, 0.015, (2, 300, 8))
    found = paired(b - a)
    once = until_decided.equal(found.estimate, found.half_width(0.9))
    _, _, grown = until_decided._decided(found, 8)
    for trial in range(300):
        sides = [dict(enumerate(np.exp(side[trial]).tolist())) for side in (a, b)]
        for looked, called in ((False, once), (True, grown)):
            judged = judge(CATALOGUE["throughput"], *sides, looked_at=looked)
            assert judged is not None
            assert (judged.verdict == "equivalent") == called[trial]
    assert grown.mean() < once.mean() < 0.98
    assert grown.mean() > 0.1


def test_the_bench_stops_campaigns_that_the_gate_stops() -> None:
    generator = np.random.default_rng(2)
    base, other = comparison.campaigns(generator, "normal", (40, 6), 5, 5, 0.02, 0.01)
    other[:, 0] -= 0.06
    bad = gate.worse(comparison.against_campaigns(base, other, gate.borrowed(base)), 6)
    for trial in range(40):
        cells = [
            CellEvidence(
                str(cell),
                str(cell),
                "closed",
                {("new", k): float(np.exp(v)) for k, v in enumerate(other[trial, cell])},
                {
                    str(n): {(n, k): float(np.exp(v)) for k, v in enumerate(one)}
                    for n, one in enumerate(base[trial, cell])
                },
            )
            for cell in range(6)
        ]
        outcomes = [found.outcome == "worse" for found in judge_cells(cells)]
        assert any(outcomes) == bad[trial].any()
    assert 0.2 < bad.any(axis=-1).mean() < 0.95
