"""Machines of one kind differ: what is known of that is taken out, and nothing told without it."""

from dataclasses import replace

import numpy as np
import pytest
from weighhouse_judging.verdicts.campaigns import PastCampaign, learned
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_judging.verdicts.gate_cells import CellVerdict, judge_cells
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.gate_verdict import decide

SLOWER = {"one": 1.0, "other": 0.9, "third": 0.9}
IN_TURN = ("one", "other") * 8


def campaign(name: str, place: str, factor: float = 1.0) -> Repeats:
    noise = np.random.default_rng(list(f"{name} {place}".encode())).normal(0, 0.01, 5)
    level = 100.0 * SLOWER[place] * factor
    return {(name, block): float(level * np.exp(one)) for block, one in enumerate(noise)}


def evidence(place: str, factor: float = 1.0, past: tuple[str, ...] = IN_TURN) -> CellEvidence:
    """A candidate of one machine, whose base and anchor are all of another, `one`."""
    base = {str(n): campaign(str(n), "one") for n, at in enumerate(past) if at == "one"}
    anchor = {"release": campaign("release", "one")}
    return CellEvidence(
        "cell",
        "redis, 4 clients",
        "closed",
        campaign("new", place, factor),
        base=base,
        anchor=anchor,
        place=place,
        places=dict.fromkeys([*base, *anchor], "one"),
        past=[PastCampaign(tuple(campaign(str(n), at).values()), at) for n, at in enumerate(past)],
    )


def only(evidence: CellEvidence) -> CellVerdict:
    (found,) = judge_cells([evidence])
    return found


def test_what_machines_differ_by_is_no_loss() -> None:
    found = only(evidence("other"))
    assert found.outcome in {"equivalent", "not_worse"}
    for against in (found.base, found.anchor):
        assert against is not None
        assert against.relative == pytest.approx(0.0, abs=0.02)
        assert not against.elsewhere


def test_a_loss_is_found_whatever_machine_measured_it() -> None:
    found = only(evidence("other", 0.88))
    assert (found.outcome, found.stopped_by) == ("worse", "base")
    assert found.base is not None
    assert found.base.relative == pytest.approx(-0.12, abs=0.02)


@pytest.mark.parametrize(
    ("past", "share"),
    [(IN_TURN, 1 / 8 + 1 / 8), (("one",) * 10 + ("other",), 1 + 1 / 10)],
    ids=["in turn", "once"],
)
def test_what_few_campaigns_tell_of_a_machine_is_told_with_care(
    past: tuple[str, ...], share: float
) -> None:
    """As much of the variance between campaigns as means of so many leave."""
    one = evidence("other", past=past)
    found = learned(one.past)
    assert found is not None
    apart = found.machines.apart("other", "one")
    assert apart is not None
    assert apart.variance == pytest.approx(share * float(found.between.variance))
    against = only(one).base
    assert against is not None
    half = (np.log1p(against.high) - np.log1p(against.low)) / 2
    assert half > 2 * float(np.sqrt(apart.variance))


def test_of_a_machine_that_nobody_knows_nothing_is_told() -> None:
    for factor in (0.8, 1.0, 1.2):
        found = only(evidence("third", factor))
        assert found.outcome == "unclear"
        assert found.base is not None
        assert (found.base.elsewhere, found.base.between_known) == (True, False)
    result = decide([evidence("third", 0.8)])
    assert result.verdict == "inconclusive"
    first, note = result.message.splitlines()
    assert "neither worse nor safe, because the base was measured on another machine" in first
    assert "whole campaigns differ" not in result.message
    assert note.startswith("By how much this machine differs from the base's is not known")
    assert "(base: beside)" in note


def test_a_machine_that_took_over_where_the_level_changed_is_not_told_from_it() -> None:
    before, after = ("one",) * 12, ("other",) * 12
    past = [
        PastCampaign(tuple(campaign(str(n), at).values()), at)
        for n, at in enumerate((*before, *after))
    ]
    found = learned(past)
    assert found is not None
    assert found.machines.apart("one", "other") is None
    in_turn = learned(
        [PastCampaign(tuple(campaign(str(n), at).values()), at) for n, at in enumerate(IN_TURN)]
    )
    assert in_turn is not None
    apart = in_turn.machines.apart("other", "one")
    assert apart is not None
    assert apart.estimate == pytest.approx(np.log(0.9), abs=0.01)
    assert in_turn.machines.apart("one", "one") is not None
    assert in_turn.machines.apart("one", "third") is None


def test_a_machine_that_is_not_known_is_as_good_as_the_base() -> None:
    """Runs from before machines told who they are."""
    found = only(replace(evidence("third", 0.8), place=""))
    assert found.outcome == "worse"
    assert found.base is not None
    assert not found.base.elsewhere
