"""Runs a driver: order in, events out."""

import contextlib
import os
import selectors
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError
from weighhouse_protocol.apis import DRIVER_API
from weighhouse_protocol.driver import (
    DRIVER_EVENT,
    DriverDescription,
    DriverEvent,
    DriverOrder,
    Failed,
    Finished,
    Go,
)

from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DriverFailed, DriverKilled
from weighhouse_sdk.machine.process import Command, ServerProcess
from weighhouse_sdk.machine.programs import locate_program
from weighhouse_sdk.machine.version_cache import remembered

PREFIX = "weighhouse-driver-"
DESCRIBE = "--describe"
DESCRIBE_SECONDS = 20.0
UNAVAILABLE = 69
"""Exit status (EX_UNAVAILABLE of sysexits.h) of a driver whose tool is not on this machine; the
last line of its standard error says `what; hint`."""
LOOK_SECONDS = 0.1
"""How often a running driver's reader looks for a cancel."""
END_SECONDS = 10.0
"""How long a driver may take to end by itself, after SIGTERM or after its last event."""
LINE_EXCERPT = 200


def locate_driver(driver_id: str) -> Path:
    """Find `weighhouse-driver-ID`.

    :param driver_id: for example `resp`.
    :raises BinaryMissing: when it is nowhere.
    """
    return locate_program(PREFIX + driver_id, f"make driver NAME={driver_id}")


def describe_driver(driver_id: str) -> DriverDescription:
    """What a driver supports: asked, or remembered of the very same file.

    :raises BinaryMissing: when it is not there.
    :raises DriverFailed: when it does not answer as the protocol says, or what it drives is not
        there.
    """
    executable = locate_driver(driver_id)
    answer = remembered(executable, (DESCRIBE,), lambda: _asked(executable, driver_id))
    found = DriverDescription.model_validate_json(answer)
    if not DRIVER_API.least <= found.protocol <= DRIVER_API.most:
        raise DriverFailed(
            f"{executable.name} speaks version {found.protocol} of the driver API, and this "
            f"machine has {DRIVER_API}",
            "install a release of the driver that fits, or build it again",
        )
    return found


def _asked(executable: Path, driver_id: str) -> bytes:
    again = f"build it again (`make driver NAME={driver_id}`)"
    try:
        answer = subprocess.run(
            [str(executable), DESCRIBE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=DESCRIBE_SECONDS,
        )
        DriverDescription.model_validate_json(answer.stdout)
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode("utf-8", errors="replace").splitlines()[-20:]
        if error.returncode == UNAVAILABLE and lines:
            what, _, hint = lines[-1].partition("; ")
            raise DriverFailed(what, hint, lines, error.returncode) from error
        message = f"{executable.name} {DESCRIBE} ended with {error.returncode}"
        raise DriverFailed(message, again, lines, error.returncode) from error
    except (subprocess.TimeoutExpired, OSError, ValidationError) as error:
        message = f"{executable.name} {DESCRIBE} gave no description: {error}"
        raise DriverFailed(message, again) from error
    return answer.stdout


class DriverRun:
    """A driver at work. Leaving the `with` block ends it, whatever happened.

    Its standard error is the log `driver.log`; its process is on the context's records, so that
    `Plugin.clean_up` ends it after a crash too.

    :param driver_id: for example `resp`.
    :param order: what it is to do.
    :param context: of the attempt; its cancel and its deadline make the driver end cleanly with
        what was measured, after which it still reports.
    :param directory: where it works; default: `driver/` in the context's scratch.
    :param end_seconds: how long it may take to end by itself before it is killed.
    :raises BinaryMissing: when the driver is not there.
    """

    def __init__(
        self,
        driver_id: str,
        order: DriverOrder,
        context: Context,
        *,
        name: str = "driver",
        directory: Path | None = None,
        end_seconds: float = END_SECONDS,
    ) -> None:
        self._end_seconds = end_seconds
        self._context = context
        self.driver_id, self.order = driver_id, order
        self._stop_at: float | None = None
        executable = locate_driver(driver_id)
        self.process: ServerProcess = context.processes.start(
            Command(
                name=name,
                arguments=(str(executable),),
                directory=directory or context.driver_directory,
                cpus=context.options.driver_cpus,
            ),
            stdin=True,
            stdout=True,
        )

    @property
    def system(self) -> str:
        """What it drives, by its identifier."""
        return self._context.target.system

    @property
    def pid(self) -> int:
        """Of the driver."""
        return self.process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close_input()
        self.process.stop(self._end_seconds)

    def terminate(self) -> None:
        """Ask it to end with what it has measured; it goes on reporting. Idempotent."""
        if self._stop_at is None:
            self._stop_at = self._context.clock.monotonic() + self._end_seconds
            self.process.signal(signal.SIGTERM)

    def go(self, index: int, at_us: int) -> None:
        """Let a held driver begin a phase. One that has ended meanwhile tells why by itself.

        :param index: of the phase in the order.
        :param at_us: when, by this machine's clock, unix µs.
        """
        self._write(Go(go=index, at_us=at_us))

    @property
    def ending(self) -> bool:
        """Whether it was asked to end, or has ended."""
        return self._stop_at is not None or self.process.exit_code is not None

    def events(self) -> Iterator[DriverEvent]:
        """Hand the order over and yield each event as it comes, to the end.

        A `failed` event is yielded like the others, and is the last one.

        :raises DriverFailed: when a line is not of the protocol, or when the driver ends, or has
            to be killed, with neither `finished` nor `failed`.
        :raises DriverKilled: when somebody else killed it.
        :raises Cancelled, DeadlinePassed: when that is why it ended before it could tell anything.
        """
        self._send_order()
        last: DriverEvent | None = None
        for line in self._lines():
            if not line.strip():
                continue
            try:
                last = DRIVER_EVENT.validate_json(line)
            except ValidationError as error:
                excerpt = line[:LINE_EXCERPT].decode("utf-8", errors="replace")
                raise DriverFailed(
                    f"the driver wrote what is not its protocol, {_said(error)}: {excerpt!r}",
                    "driver and agent must be of versions that fit; build the driver again",
                    self.process.log_tail(),
                ) from error
            yield last
        code = self.process.wait(self._end_seconds)
        if not isinstance(last, Finished | Failed):
            if self._stop_at is not None and code is not None:
                self._context.check()
            if self._stop_at is None and code == -signal.SIGKILL:
                raise DriverKilled(
                    "the driver was killed by somebody else before it finished",
                    "the kernel's log tells whether memory ran out",
                    self.process.log_tail(),
                    code,
                )
            how = "was silent and had to be killed" if code is None else f"ended with {code}"
            raise DriverFailed(
                f"the driver {how} before it finished",
                "its last lines tell why",
                self.process.log_tail(),
                code,
            )

    def _send_order(self) -> None:
        pipe = self.process.stdin
        if pipe is None or pipe.closed:
            message = "events() reads a run once"
            raise RuntimeError(message)
        self._write(self.order)
        if not self.order.hold:
            self._close_input()

    def _write(self, line: DriverOrder | Go) -> None:
        pipe = self.process.stdin
        if pipe is None or pipe.closed:
            return
        # It may have ended: its exit code and log tell more than this error.
        with contextlib.suppress(BrokenPipeError):
            pipe.write(line.model_dump_json(exclude_none=True).encode() + b"\n")
            pipe.flush()

    def _close_input(self) -> None:
        if self.process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()

    def _lines(self) -> Iterator[bytes]:
        pipe = self.process.stdout
        if pipe is None:
            return
        pending = b""
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while True:
                if self._context.cancel.cancelled or self._context.seconds_left() == 0:
                    self.terminate()
                if self._stop_at is not None and self._context.clock.monotonic() > self._stop_at:
                    return
                if not selector.select(LOOK_SECONDS):
                    continue
                chunk = os.read(pipe.fileno(), 1 << 16)
                if not chunk:
                    break
                *whole, pending = (pending + chunk).split(b"\n")
                yield from whole
        if pending:
            yield pending


def _said(error: ValidationError) -> str:
    """What is wrong first: the field and its limit."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
