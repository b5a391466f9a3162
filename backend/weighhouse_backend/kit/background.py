"""Work that goes on as long as its process: named, begun again when it ends, told when it fails.

The only place that starts a task or a thread of the backend and worker for itself: one that ends
unseen leaves a platform that looks well and does nothing.
"""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Self

import structlog

from weighhouse_backend.kit.conditions import TASK_FAILING, Conditions

log = structlog.get_logger(__name__)

PAUSES_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0)
"""Before the first, second … try after an end; the last one from then on."""
STEADY_SECONDS = 5.0
"""One that has gone on for so long since it began again is taken for well."""
AGAIN_SECONDS = 6.0
"""What goes on for so long after it was cancelled is cancelled again; longer than an end takes."""


@dataclass
class _Course:
    """How one piece of work has gone."""

    name: str
    conditions: Conditions
    failures: int = 0
    """In all."""
    in_a_row: int = 0
    begun_at: float = field(default_factory=time.monotonic)

    def begins(self) -> None:
        self.begun_at = time.monotonic()

    def ended(self, error: BaseException | None) -> float:
        """Note an end that was not asked for; seconds until the next begin."""
        steady = time.monotonic() - self.begun_at >= STEADY_SECONDS
        self.in_a_row = 1 if steady else self.in_a_row + 1
        self.failures += 1
        why = f"it ended with {_said(error)}" if error else "it ended by itself"
        self.conditions.begin(TASK_FAILING, f"{self.name}: {why}; it is begun again", self.name)
        log.error("background_task_ended", task=self.name, failures=self.failures, exc_info=error)
        return PAUSES_SECONDS[min(self.in_a_row, len(PAUSES_SECONDS)) - 1]

    def went_on(self) -> None:
        self.conditions.end(TASK_FAILING, self.name)


def _said(error: BaseException) -> str:
    """An error for everybody: its words may hold what is secret, unless the system wrote them."""
    return (
        f"{type(error).__name__}: {error.strerror}"
        if isinstance(error, OSError) and error.strerror
        else type(error).__name__
    )


class Background:
    """The tasks of one event loop: `keep` them before, then `async with` the whole."""

    def __init__(self, conditions: Conditions) -> None:
        """:param conditions: is told of what fails."""
        self._conditions = conditions
        self._works: dict[str, Callable[[], Awaitable[None]]] = {}
        self._courses: dict[str, _Course] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def keep(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Have something done for as long as this lasts; `work` goes on until it is cancelled."""
        self._works[name] = work
        self._courses[name] = _Course(name, self._conditions)

    @property
    def failures(self) -> Mapping[str, int]:
        """Name → how often it ended and was begun again."""
        return {name: course.failures for name, course in self._courses.items()}

    async def __aenter__(self) -> Self:
        """Begins all."""
        for name, work in self._works.items():
            task = asyncio.create_task(self._go_on(self._courses[name], work), name=name)
            self._tasks.append(task)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Cancels all, and waits for them. What goes on nevertheless is cancelled again: libraries
        lose a cancellation that comes while they connect.
        """
        going = set(self._tasks)
        while going:
            for task in going:
                task.cancel()
            _ended, going = await asyncio.wait(going, timeout=AGAIN_SECONDS)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    async def _go_on(self, course: _Course, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            course.begins()
            error: BaseException | None = None
            well = asyncio.get_running_loop().call_later(STEADY_SECONDS, course.went_on)
            try:
                await work()
            except Exception as caught:  # noqa: BLE001 - whatever it is, it is told and begun again
                error = caught
            finally:
                well.cancel()
            await asyncio.sleep(course.ended(error))


def keep_looking(name: str, look: Callable[[], None], every_seconds: float) -> threading.Event:
    """Have something looked at again and again by a thread of its own, where there is no loop.

    :returns: set it to end that; the thread ends with its process in any case.
    """
    over = threading.Event()

    def go_on() -> None:
        while not over.wait(every_seconds):
            try:
                look()
            except Exception:  # the next look is another try
                log.exception("background_task_ended", task=name)

    threading.Thread(target=go_on, name=name, daemon=True).start()
    return over
