"""How far this machine's clock is from the platform's."""

import random
import time
from pathlib import Path

import pytest
from weighhouse_agent.machine.clock import DOZEN, ClockEstimate, Exchange, best, clock_of, steady_us
from weighhouse_agent.machine.home import AttemptDirectory
from weighhouse_sdk.clock import VARIABLE, SystemClock


def exchange(sent_us: int, there_us: int, kept_us: int, back_us: int, offset_us: int) -> Exchange:
    """A call whose way there and back took so long, to a clock that is off by so much."""
    received_us = sent_us + there_us + offset_us
    answered_us = received_us + kept_us
    return Exchange(sent_us, received_us, answered_us, sent_us + there_us + kept_us + back_us)


@pytest.mark.parametrize("seed", range(200))
def test_the_offset_is_right_within_its_error(seed: int) -> None:
    draw = random.Random(seed)
    offset_us = draw.randint(-(10**9), 10**9)
    now_us = draw.randint(0, 10**12)
    exchanges = []
    for _ in range(draw.randint(1, 20)):
        there_us, back_us = (int(draw.expovariate(1 / 3000)) for _ in range(2))
        kept_us = draw.choice([0, draw.randint(0, 60_000_000)])
        made = exchange(now_us, there_us, kept_us, back_us, offset_us)
        assert made.possible
        assert made.round_trip_us == there_us + back_us
        assert abs(made.offset_us - offset_us) <= made.error_us(made.heard_us)
        exchanges.append(made)
        now_us = made.heard_us + draw.randint(0, 10_000_000)
    found = best(exchanges, now_us)
    assert found is not None
    assert abs(found.offset_us - offset_us) <= found.error_us(now_us)
    assert found.error_us(now_us) == min(each.error_us(now_us) for each in exchanges)


def test_the_quickest_exchange_counts_and_grows_old() -> None:
    quick = exchange(0, 100, 0, 100, 5000)
    slow = exchange(1000, 400, 0, 2400, 5000)
    assert best([quick, slow], 5000) is quick
    assert slow.offset_us == 4000  # by as much as its ways differed, halved
    late = exchange(600_000_000, 400, 0, 2400, 5000)
    assert best([quick, late], 600_000_000) is late


def test_a_round_trip_that_cannot_be_is_left_out() -> None:
    estimate = ClockEstimate()
    estimate.take(Exchange(0, 1000, 9000, 4000))  # kept for longer than it was away
    estimate.take(Exchange(0, 9000, 1000, 4000))  # answered before it came
    assert estimate.offset() is None


def test_what_was_before_a_suspend_is_forgotten() -> None:
    estimate = ClockEstimate(SystemClock(0))
    begun_us = steady_us()
    for number in range(3):
        estimate.take(exchange(begun_us + number, 50, 0, 50, 5000))
    estimate.take(exchange(begun_us + 1000, 400, 0, 400, 5300))  # within both errors
    found = estimate.offset()
    assert found is not None
    assert (found.offset_us, found.samples) == (5000, 4)
    # The platform's clock went on for a minute, the steady one did not.
    estimate.take(exchange(begun_us + 2000, 400, 0, 400, 60_005_000))
    found = estimate.offset()
    assert found is not None
    assert (found.offset_us, found.samples) == (60_005_000, 1)


def test_an_old_platform_tells_nothing() -> None:
    estimate = ClockEstimate()
    estimate.heard(steady_us(), None, None)
    assert estimate.offset() is None


def test_a_dozen_is_kept() -> None:
    estimate = ClockEstimate()
    now_us = estimate.clock.now_us
    for _ in range(DOZEN + 5):
        estimate.heard(steady_us(), now_us() + 7_000_000, now_us() + 7_000_000)
    found = estimate.offset()
    assert found is not None
    assert found.samples == DOZEN
    assert abs(found.offset_us - 7_000_000) <= found.error_us + 1000


def test_a_clock_that_is_set_is_told_and_changes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    estimate = ClockEstimate()
    now_us = estimate.clock.now_us
    estimate.heard(steady_us(), now_us(), now_us())
    begun_us, before = now_us(), estimate.offset()
    monkeypatch.setattr(time, "time_ns", lambda: round((time.time() + 90) * 1e9))
    after = estimate.offset()
    assert before is not None
    assert after is not None
    assert before.offset_us == after.offset_us
    assert 0 <= now_us() - begun_us < 60_000_000
    assert abs(estimate.clock.stepped_us() - 90_000_000) < 1_000_000


def test_an_attempt_and_its_agent_have_one_clock(tmp_path: Path) -> None:
    directory = AttemptDirectory(tmp_path)
    made = clock_of(directory, new=True)
    assert clock_of(directory).anchor_us == made.anchor_us
    directory.clock.write_text('{"anchor_us": 5}')
    assert clock_of(directory).anchor_us == 5
    # A machine that was started anew has another steady clock.
    assert abs(clock_of(directory, new=True).anchor_us - made.anchor_us) < 60_000_000


def test_children_are_told_the_anchor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "-123")
    assert SystemClock().anchor_us == -123
    monkeypatch.setenv(VARIABLE, "soon")
    assert abs(SystemClock().stepped_us()) < 60_000_000
