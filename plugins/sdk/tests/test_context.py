"""Deadline and cancel, with a clock that waits for nobody."""

import threading
from dataclasses import dataclass, replace

import pytest
from weighhouse_sdk.context import Cancel, Context
from weighhouse_sdk.errors import BinaryMissing, Cancelled, DeadlinePassed


@dataclass
class HandClock:
    at: float = 100.0

    def monotonic(self) -> float:
        return self.at

    def now_us(self) -> int:
        return 0

    def stepped_us(self) -> int:
        return 0


def test_attempts_end_at_their_limit(context: Context) -> None:
    clock = HandClock()
    context = replace(context, clock=clock, deadline_at=200.0)
    turns = 0
    for _ in context.attempts(3.0, every_seconds=0):
        turns += 1
        clock.at += 1
    assert turns == 3


def test_attempts_end_at_the_deadline(context: Context) -> None:
    clock = HandClock()
    context = replace(context, clock=clock, deadline_at=102.0)
    assert context.seconds_left() == 2.0
    turns = context.attempts(10.0, every_seconds=0)
    for _ in range(2):
        next(turns)
        clock.at += 1
    with pytest.raises(DeadlinePassed):
        next(turns)
    assert context.seconds_left() == 0.0


def test_cancel_wakes_whoever_waits(context: Context) -> None:
    waiting = threading.Event()
    seen: list[str] = []

    def wait() -> None:
        try:
            for _ in context.attempts(300, every_seconds=300):
                waiting.set()
        except Cancelled as error:
            seen.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    assert waiting.wait(120)
    context.cancel.cancel("enough")
    context.cancel.cancel("a later reason does not count")
    thread.join(120)
    assert seen == ["enough"]


def test_cancel_without_reason() -> None:
    cancel = Cancel()
    assert not cancel.wait(0)
    cancel.cancel()
    with pytest.raises(Cancelled, match="cancelled"):
        cancel.raise_if_cancelled()


def test_an_error_becomes_the_reported_failure() -> None:
    failure = BinaryMissing("redis-server", "redis-server").failure()
    assert failure.kind == "missing_binary"
    assert failure.hint == "apt-get install redis-server"
