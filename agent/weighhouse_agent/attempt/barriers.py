"""Barriers: how the members of a gang keep step.

The attempt's process never talks to the platform, so it writes down that it has arrived, and the
agent carries that there and the release back:

```
attempts/ID/barriers/NAME.arrival.json  by the attempt's process, with what others are to know
            barriers/NAME.release.json  by the agent: the platform's answer, the clock's offset
            barriers/doubt              by the attempt's process: something of the others' is gone
```

An arrival without a release is posted again and again, by whichever agent finds it: a restart of
the agent costs nothing, and the platform knows repetitions.
"""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue
from weighhouse_protocol.order import BarrierState
from weighhouse_protocol.report import ClockOffset
from weighhouse_sdk.context import Context

from weighhouse_agent.machine.home import (
    AttemptDirectory,
    make_passable,
    read_text,
    write_atomically,
)

LOOK_SECONDS = 0.05
"""How often each side looks for the other's file; less than what the platform grants before a
common beginning.
"""
DOUBT_SECONDS = 30.0
"""How long another member may take to tear its part down and to tell why."""


class Arrived(BaseModel):
    """This member is there: `NAME.arrival.json`."""

    model_config = ConfigDict(frozen=True)

    payload: dict[str, JsonValue]


class Released(BaseModel):
    """All members were there: `NAME.release.json`."""

    model_config = ConfigDict(frozen=True)

    state: BarrierState
    clock: ClockOffset | None

    @property
    def begins_at_us(self) -> int | None:
        """When what follows begins, by this machine's clock; None when nothing does."""
        if self.state.begins_at_us is None:
            return None
        return self.state.begins_at_us - (self.clock.offset_us if self.clock else 0)


@dataclass(frozen=True)
class BarrierFiles:
    """Where the two sides meet."""

    directory: AttemptDirectory

    def _file(self, name: str, what: str) -> Path:
        return self.directory.path / "barriers" / f"{name}.{what}.json"

    def arrive(self, name: str, arrived: Arrived) -> None:
        """Say that this member is there. Idempotent: the first word stands."""
        path = self._file(name, "arrival")
        if not path.exists():
            make_passable(path.parent)
            write_atomically(path, arrived.model_dump_json())

    def release(self, name: str, released: Released) -> None:
        """Say that all are. Idempotent; nothing when the attempt is delivered and gone."""
        with contextlib.suppress(FileNotFoundError):
            write_atomically(self._file(name, "release"), released.model_dump_json())

    def released(self, name: str) -> Released | None:
        """Whether all are there; None: not yet."""
        text = read_text(self._file(name, "release"))
        return None if text is None else Released.model_validate_json(text)

    @property
    def _doubt(self) -> Path:
        return self.directory.path / "barriers" / "doubt"

    def doubt(self) -> None:
        """Ask whether the others are told to stop. Idempotent."""
        make_passable(self._doubt.parent)
        self._doubt.touch()

    @property
    def doubted(self) -> bool:
        """Whether somebody asks."""
        return self._doubt.exists()

    def outstanding(self, names: tuple[str, ...]) -> tuple[str, Arrived] | None:
        """The arrival that waits for its release; None: there is none.

        :param names: of all barriers, in order.
        """
        for name in names:
            if self._file(name, "release").exists():
                continue
            text = read_text(self._file(name, "arrival"))
            return None if text is None else (name, Arrived.model_validate_json(text))
        return None


@dataclass(frozen=True)
class Gate:
    """The attempt's side: arrives and waits."""

    files: BarrierFiles
    context: Context

    def wait(
        self,
        name: str,
        payload: Mapping[str, JsonValue] | None = None,
        *,
        abandon: Callable[[], bool] = lambda: False,
    ) -> Released | None:
        """Arrive, and wait for everybody else.

        :param payload: what the other members are to know.
        :param abandon: asked again and again; true ends the waiting, and may raise.
        :returns: None when it was abandoned.
        :raises Cancelled: when somebody asked to stop, as when another member failed.
        :raises DeadlinePassed: when the run's limit is over.
        """
        self.files.arrive(name, Arrived(payload=dict(payload or {})))
        while True:
            self.context.check()
            if (released := self.files.released(name)) is not None:
                return released
            if abandon():
                return None
            self.context.cancel.wait(min(LOOK_SECONDS, self.context.seconds_left()))

    def doubt(self) -> None:
        """Something that other members have is gone: wait whether the gang has ended, so that what
        follows from another's failure is not told as one.

        :raises Cancelled: when it has.
        :raises DeadlinePassed: when the run's limit is over.
        """
        self.files.doubt()
        self.context.cancel.wait(min(DOUBT_SECONDS, self.context.seconds_left()))
        self.context.check()

    def until(self, at_us: int, *, abandon: Callable[[], bool] = lambda: False) -> bool:
        """Wait for an instant of the attempt's clock.

        :param at_us: unix µs; one that has passed is now.
        :returns: whether it has come; else it was abandoned.
        :raises Cancelled, DeadlinePassed: as `wait`.
        """
        while (left_us := at_us - self.context.clock.now_us()) > 0:
            self.context.check()
            if abandon():
                return False
            seconds = min(left_us / 1_000_000, LOOK_SECONDS, self.context.seconds_left())
            self.context.cancel.wait(seconds)
        return True
