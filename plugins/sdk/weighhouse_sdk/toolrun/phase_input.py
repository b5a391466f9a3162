"""Standard input of a tool's program: the order, then a line for each phase when it is held."""

import os
import select
import time
from collections.abc import Callable

from pydantic import ValidationError
from weighhouse_protocol.driver import Go

from weighhouse_sdk.clock import SystemClock
from weighhouse_sdk.errors import DriverFailed

LOOK_SECONDS = 0.05
"""How often it is looked whether somebody asked to end."""
US = 1_000_000


class Lines:
    """Lines of a descriptor, without keeping anybody from ending the program meanwhile."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pending = b""

    def next(self, stopped: Callable[[], bool] = lambda: False) -> bytes | None:
        """The next line, without its end; what is left when the input ends without one.

        :param stopped: asked again and again; true ends the waiting.
        :returns: None when there is none any more.
        """
        while b"\n" not in self._pending:
            if stopped():
                return None
            if not select.select([self._descriptor], [], [], LOOK_SECONDS)[0]:
                continue
            chunk = os.read(self._descriptor, 1 << 16)
            if not chunk:
                rest, self._pending = self._pending, b""
                return rest or None
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        return line


def word(lines: Lines, index: int, stopped: Callable[[], bool]) -> Go | None:
    """Wait for the word to begin a phase.

    :param index: of the phase in the order.
    :returns: None when the input ended, or somebody asked to end: nothing more is to begin.
    :raises DriverFailed: when the line is of another phase, or no such line.
    """
    line = lines.next(stopped)
    if line is None:
        return None
    try:
        go = Go.model_validate_json(line)
    except ValidationError as error:
        raise DriverFailed(f"not a word to begin: {error}", "agent and tool must fit") from error
    if go.go != index:
        raise DriverFailed(
            f"phase {index} is next, the word was for phase {go.go}", "agent and tool must fit"
        )
    return go


def until(clock: SystemClock, at_us: int, stopped: Callable[[], bool]) -> bool:
    """Wait for an instant of the attempt's clock, unix µs; one that has passed is now.

    :returns: whether it has come; else somebody asked to end.
    """
    while (left_us := at_us - clock.now_us()) > 0:
        if stopped():
            return False
        time.sleep(min(LOOK_SECONDS, left_us / US))
    return not stopped()
