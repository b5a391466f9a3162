"""An anchor that was measured too well by chance does not stop every build after it."""

from dataclasses import replace

import numpy as np
import pytest
from weighhouse_judging.bench.between import HEAVY
from weighhouse_judging.bench.lives import Project, lived
from weighhouse_judging.verdicts.campaigns import PastCampaign
from weighhouse_judging.verdicts.gate_cells import CellVerdict, judge_cells
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.gate_verdict import decide
from weighhouse_judging.verdicts.sides import Repeats


def repeats(name: str, level: float) -> Repeats:
    noise = np.random.default_rng(list(name.encode())).normal(0, 0.01, 5)
    return {(name, block): float(level * np.exp(one)) for block, one in enumerate(noise)}


def past(level: float, count: int, place: str = "") -> list[PastCampaign]:
    return [
        PastCampaign(tuple(repeats(f"{level} {n}", level).values()), place) for n in range(count)
    ]


def judged(evidence: CellEvidence) -> CellVerdict:
    (found,) = judge_cells([evidence])
    return found


ALONE = CellEvidence(
    "cell", "redis, 4 clients", "closed",
    candidate=repeats("new", 100.0),
    base={f"c{n}": repeats(f"c{n}", 100.0) for n in range(10)},
    anchor={"release": repeats("release", 115.0)},
    again=repeats("again", 100.0),
    past=past(100.0, 60),
    next_to_anchor=past(100.0, 10),
)  # fmt: skip


def test_an_anchor_that_lies_by_itself_is_believed_as_far_as_campaigns_differ() -> None:
    told = judged(ALONE)
    assert told.outcome in {"equivalent", "not_worse"}
    assert told.anchor is not None
    assert told.anchor.relative == pytest.approx(-0.01, abs=0.015)
    assert told.anchor.alone == pytest.approx(-0.12, abs=0.02)
    message = decide([ALONE]).message
    assert (
        "redis, 4 clients: the anchor's throughput was better than that of the campaigns next to "
        "it by more than they differ, so it is corrected by −12"
    ) in message


def test_what_it_gained_counts_where_its_neighbours_have_it_too() -> None:
    told = judged(replace(ALONE, next_to_anchor=[*past(115.0, 6), *past(100.0, 4)]))
    assert (told.outcome, told.stopped_by) == ("worse", "anchor")
    assert told.anchor is not None
    assert told.anchor.alone == 0.0


@pytest.mark.parametrize(
    "neighbours",
    [(), past(100.0, 3), past(100.0, 10, "another machine")],
    ids=["none", "too few", "of another machine"],
)
def test_without_neighbours_it_is_believed(neighbours: list[PastCampaign]) -> None:
    told = judged(replace(ALONE, next_to_anchor=neighbours))
    assert (told.outcome, told.stopped_by) == ("worse", "anchor")


def test_a_trend_that_began_beside_it_is_none_of_that() -> None:
    """Within the threshold nothing is taken from it: −0.5 % a build adds up."""
    slope = [PastCampaign(tuple(repeats(f"{n}", 104.0 * 0.995**n).values())) for n in range(1, 11)]
    trend = replace(ALONE, anchor={"release": repeats("release", 104.0)}, next_to_anchor=slope)
    told = judged(replace(trend, candidate=repeats("new", 94.0), again=repeats("again", 94.0)))
    assert told.anchor is not None
    assert (told.outcome, told.anchor.alone) == ("worse", 0.0)


def test_of_latencies_too_low_is_too_good() -> None:
    slow = {"load_model": "open", "anchor": {"release": repeats("release", 80.0)}}
    told = judged(replace(ALONE, **slow))  # type: ignore[arg-type]
    assert told.outcome != "worse"
    assert told.anchor is not None
    assert told.anchor.alone == pytest.approx(0.2, abs=0.04)


def test_a_life_whose_release_was_too_fast_by_chance_goes_on() -> None:
    """Of its 199 builds, all as good as the first, 130 were stopped."""
    assert not lived(Project(HEAVY), 200, 5033).stops
