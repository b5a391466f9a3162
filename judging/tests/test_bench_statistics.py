"""The bench in its short form, and that it judges as the shipped functions do."""

import json

import numpy as np
import pytest
from weighhouse_judging.arithmetic.intervals import paired
from weighhouse_judging.bench import comparing, gating, statistics
from weighhouse_judging.bench.bars import bar
from weighhouse_judging.verdicts.gate_cells import judge_cells
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.metrics import METRIC
from weighhouse_judging.verdicts.sides import judge


def test_every_bar_is_met_or_traded(capsys: pytest.CaptureFixture[str]) -> None:
    assert statistics.main(["--short"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["missed"] == []
    traded = {item["name"] for item in report["bars"] if item["judgement"] == "traded"}
    assert traded <= {
        "-5 % found in five pairs, nothing known of the machine",
        "cover of 95 % intervals: paired, outliers of 10 to 20 deviations",
        "cover of 95 % intervals between campaigns that remember",
        "equal sides of two campaigns called changed, tails of t with 3",
        "equal sides of two campaigns called changed, two speeds",
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
    called = comparing.changed(paired(b - a))
    for trial in range(300):
        sides = [dict(enumerate(np.exp(side[trial]).tolist())) for side in (a, b)]
        found = judge(METRIC["throughput"], *sides)
        assert found is not None
        assert (found.verdict == "changed") == called[trial]
    assert 0.2 < called.mean() < 0.9


def test_the_bench_stops_campaigns_that_the_gate_stops() -> None:
    generator = np.random.default_rng(2)
    base, other = comparing.campaigns(generator, "normal", (40, 6), 5, 5, 0.02, 0.01)
    other[:, 0] -= 0.06
    bad = gating.worse(comparing.against_campaigns(base, other, gating.borrowed(base)), 6)
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
