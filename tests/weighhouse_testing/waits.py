"""Waiting for something to become true, instead of sleeping and hoping."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE_SECONDS = 900.0
SELDOM_SECONDS = 0.5
"""Between two questions of what takes long: who waits takes no machine from what is waited for."""


def until(what: str, question: Callable[[], T | None], every: float = 0.1) -> T:
    """Ask until the answer is true, and give it back.

    :param what: stands in the failure.
    :param every: seconds between two questions at first; what takes long is asked less often.
    :raises AssertionError: when it is not within `PATIENCE_SECONDS`, which nobody shortens: how
        long something takes says how busy the machine is.
    """
    began = time.monotonic()
    while True:
        if answer := question():
            return answer
        waited = time.monotonic() - began
        if waited > PATIENCE_SECONDS:
            raise AssertionError(f"not within {PATIENCE_SECONDS:g} s: {what}")
        time.sleep(max(every, min(waited / 100, SELDOM_SECONDS)))
