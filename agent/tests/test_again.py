"""How soon an agent is back after its platform."""

import threading

from weighhouse_agent.delivery.platform_client import PlatformAway, again

BACK_WITHIN_SECONDS = 10.0
"""As `docs/operations.md` says of conditions."""


class Paused(threading.Event):
    """An end that never comes, and that keeps how long it was waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.pauses.append(timeout)
        return False


def test_however_long_the_platform_was_away_the_next_try_is_soon() -> None:
    stop = Paused()

    def call() -> int:
        if len(stop.pauses) < 40:
            raise PlatformAway("no route to it")
        return len(stop.pauses)

    assert again(call, what="claim", stop=stop) == 40
    assert max(stop.pauses) < BACK_WITHIN_SECONDS
