"""Waiting for something to become true, instead of sleeping and hoping."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE_SECONDS = 900.0


def until(what: str, question: Callable[[], T | None], every: float = 0.1) -> T:
    """Ask until the answer is true, and give it back.

    :param what: stands in the failure.
    :param every: seconds between two questions.
    :raises AssertionError: when it is not within `PATIENCE_SECONDS`, which nobody shortens: how
        long something takes says how busy the machine is.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        if answer := question():
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {PATIENCE_SECONDS:g} s: {what}")
        time.sleep(every)
