"""Waiting for something to become true, instead of sleeping and hoping."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(
    what: str, question: Callable[[], T | None], seconds: float = 120, every: float = 0.1
) -> T:
    """Ask until the answer is true, and give it back.

    :param what: stands in the failure.
    :param every: seconds between two questions.
    :raises AssertionError: when it is not within the time.
    """
    deadline = time.monotonic() + seconds
    while True:
        if answer := question():
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        time.sleep(every)
