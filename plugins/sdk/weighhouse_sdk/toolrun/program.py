"""The program of a tool: one order on standard input, one event a line on standard output.

Each tool's distribution has it as `weighhouse-driver-ID`.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from pydantic import ValidationError
from weighhouse_protocol.base import Report
from weighhouse_protocol.counts import CommandCount, Counts
from weighhouse_protocol.driver import (
    DRIVER_EVENT,
    DriverDescription,
    DriverEvent,
    DriverOrder,
    Failed,
    Finished,
    Go,
    Interval,
    OperationTotals,
    PhaseFinished,
    PhaseStarted,
    Ready,
)
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.percent import percent

from weighhouse_sdk.clock import SystemClock
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.driver import DESCRIBE, UNAVAILABLE, locate_driver
from weighhouse_sdk.errors import DriverFailed, PluginError, SystemFailed, TargetInvalid
from weighhouse_sdk.lifecycle import Installed
from weighhouse_sdk.toolrun.phase_input import Lines, until, word
from weighhouse_sdk.toolrun.tool import PROGRAM_OPTION, STAND_IN_OPTION, Tool
from weighhouse_sdk.toolrun.work import Slice, Work

BUSY_SHARE = 0.9
"""Of its processors' time, above which the tool may have been the bottleneck."""
FAULT = 1
INVALID = 2
KINDS: tuple[tuple[type[PluginError], str], ...] = (
    (TargetInvalid, "invalid"),
    (SystemFailed, "database"),
)
"""Error of a tool → kind of the `failed` event."""


def main(tool: Tool) -> int:
    """Serve as a driver; returns the exit status.

    SIGTERM and SIGINT end the tool, and what it had measured is reported.
    """
    if sys.argv[1:] == [DESCRIBE]:
        return _describe(tool)
    lines = Lines(sys.stdin.fileno())
    try:
        order = DriverOrder.model_validate_json(lines.next() or b"")
    except ValidationError as error:
        print(f"not an order: {error}", file=sys.stderr)  # noqa: T201 - the driver's log
        return INVALID
    return ToolProgram(tool, order, lines).run()


def _describe(tool: Tool) -> int:
    try:
        version = tool.find_versions(HostOptions())[0].version
    except PluginError as error:
        print(f"{error.message}; {error.hint}", file=sys.stderr)  # noqa: T201 - as above
        return UNAVAILABLE
    manifest = tool.manifest
    _write(
        DriverDescription(
            driver=manifest.driver.id,
            version=version,
            protocol=1,
            operations=manifest.operations,
            features=manifest.features,
            distributions=tuple(sorted(tool.reach.distributions)),
            load_models=("closed", "open") if tool.reach.open_loop else ("closed",),
            endpoint_kinds=(),
            options=manifest.driver.options,
        )
    )
    return 0


def _write(event: Report) -> None:
    sys.stdout.write(event.model_dump_json(exclude_none=True) + "\n")
    sys.stdout.flush()


@dataclass
class ToolProgram:
    """An order, carried out.

    :param lines: where a held program hears when each phase begins.
    """

    tool: Tool
    order: DriverOrder
    lines: Lines
    work: Work = field(init=False)
    _clock: SystemClock = field(default_factory=SystemClock)
    _began_us: int = field(init=False)
    _engine: subprocess.Popen[bytes] | None = None
    _told: bool = False

    def __post_init__(self) -> None:
        self._began_us = self._clock.now_us()
        options = dict(self.order.target.options)
        self._program = str(options.pop(PROGRAM_OPTION, ""))
        self._driver_id = str(options.pop(STAND_IN_OPTION, self.tool.drivers[0]))
        target = self.order.target.model_copy(update={"options": options})
        self.order = self.order.model_copy(update={"target": target})

    def run(self) -> int:
        """Do all of it; the exit status."""
        try:
            installed = self._installed()
            self.work = Work(self.order, installed.executable, Path.cwd())
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, self._stop)
            refused = self.tool.refusals(self.order)
            if refused:
                raise TargetInvalid([("order", each) for each in refused])
            self._phases(installed)
        except PluginError as error:
            kind = next((kind for each, kind in KINDS if isinstance(error, each)), "driver")
            if error.log_lines:
                print("\n".join(error.log_lines), file=sys.stderr, flush=True)  # noqa: T201
            _write(
                Failed(**self._now(), kind=kind, message=error.message, hint=error.hint),
            )
            return FAULT
        _write(Finished(**self._now()))
        return 0

    def _installed(self) -> Installed:
        found = self.tool.find_versions(HostOptions())
        if not self._program:
            return found[0]
        for each in found:
            if str(each.executable) == self._program:
                return each
        folder = os.path.dirname(self._program)  # noqa: PTH120 - a part of a search path
        return self.tool.find_versions(HostOptions(search_path=folder))[0]

    def _now(self) -> dict[str, int]:
        now_us = self._clock.now_us()
        return {"at_us": now_us, "elapsed_us": now_us - self._began_us}

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self.work.stop()
        if self._engine is not None:
            with contextlib.suppress(ProcessLookupError):
                self._engine.send_signal(signal.SIGTERM)

    def _phases(self, installed: Installed) -> None:
        for index, phase in enumerate(self.order.phases):
            if self.work.stopped:
                break
            if phase.kind == "load" and self.tool.loads == "engine":
                self._loaded_by_engine(index, phase, installed)
                continue
            self._ready(installed, None)
            if self._released(index):
                self._own_phase(index, phase)

    def _loaded_by_engine(self, index: int, phase: Phase, installed: Installed) -> None:
        for event in self._engine_events(phase):
            if isinstance(event, Ready):
                self._ready(installed, event.layout)
                self._release_engine(index)
            elif isinstance(event, PhaseStarted | Interval | PhaseFinished):
                _write(event.model_copy(update={**self._now(), "index": index}))

    def _stopped(self) -> bool:
        return self.work.stopped

    def _released(self, index: int) -> bool:
        """Wait until a phase is to begin; false when none is any more."""
        if not self.order.hold:
            return True
        go = word(self.lines, index, self._stopped)
        if go is None:
            self.work.stopped = True
        return go is not None and until(self._clock, go.at_us, self._stopped)

    def _release_engine(self, index: int) -> None:
        """Hand the word on to the driver that loads, which is held as this program is."""
        engine = self._engine
        if engine is None or engine.stdin is None or not self.order.hold:
            return
        go = word(self.lines, index, self._stopped)
        if go is None:
            self.work.stopped = True
        with contextlib.suppress(BrokenPipeError):
            if go is not None:
                engine.stdin.write(Go(go=0, at_us=go.at_us).model_dump_json().encode() + b"\n")
            engine.stdin.close()

    def _ready(self, installed: Installed, layout: str | None) -> None:
        """Say once that all is connected that can be before it begins."""
        if self._told:
            return
        self._told = True
        load = self.order.load
        clients = load.clients if isinstance(load, ClosedLoad) else load.connections
        _write(
            Ready(
                **self._now(),
                driver=self.tool.manifest.driver.id,
                version=installed.version,
                shards=self.order.shards,
                connections=clients,
                layout=layout,
            )
        )

    def _engine_events(self, phase: Phase) -> Iterator[DriverEvent]:
        """Weighhouse's own driver loads, so that the tool meets the engine's records.

        :raises DriverFailed, SystemFailed: when it gives up.
        """
        order = self.order.model_copy(update={"phases": (phase,)})
        driver = locate_driver(self._driver_id)
        with subprocess.Popen([driver], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
            self._engine = engine
            try:
                text = order.model_dump_json(exclude_none=True) + "\n"
                if engine.stdin is None or engine.stdout is None:
                    return
                with contextlib.suppress(BrokenPipeError):
                    engine.stdin.write(text.encode())
                    engine.stdin.flush()
                    if not order.hold:
                        engine.stdin.close()
                event: DriverEvent | None = None
                for line in engine.stdout:
                    event = DRIVER_EVENT.validate_json(line)
                    if isinstance(event, Failed):
                        raise _engine_gave_up(event)
                    yield event
                if not isinstance(event, Finished) and not self.work.stopped:
                    raise DriverFailed(
                        f"{driver.name} ended before it had loaded", "its last lines tell why"
                    )
            finally:
                self._engine = None
                engine.kill()

    def _own_phase(self, index: int, phase: Phase) -> None:
        _write(PhaseStarted(**self._now(), phase=phase.kind, index=index))
        begun_ns = time.monotonic_ns()
        totals: dict[str, OperationTotals] = {}
        cpu_us = measured_us = 0
        counted: Counts | None = None
        for sequence, part in enumerate(self.tool.perform(phase, self.work)):
            _write(
                Interval(
                    **self._now(),
                    phase=phase.kind,
                    index=index,
                    sequence=sequence,
                    start_us=part.start_us,
                    duration_us=part.duration_us,
                    operations=dict(part.operations),
                    driver=part.driver,
                )
            )
            counted = _with(counted, part.counted)
            cpu_us += part.driver.cpu_us
            measured_us += part.duration_us
            _add(totals, part)
        reasons = self._busy(cpu_us, measured_us)
        _write(
            PhaseFinished(
                **self._now(),
                phase=phase.kind,
                index=index,
                duration_us=(time.monotonic_ns() - begun_ns) // 1000,
                operations=totals,
                client_bound=bool(reasons),
                client_bound_reasons=reasons,
                interrupted=self.work.stopped,
                counted=counted,
            )
        )

    def _busy(self, cpu_us: int, measured_us: int) -> tuple[str, ...]:
        processors = self.tool.processors(self.order)
        if processors is None or measured_us == 0:
            return ()
        share = cpu_us / measured_us / processors
        if share < BUSY_SHARE:
            return ()
        plural = "processor" if processors == 1 else "processors"
        name = self.tool.manifest.name
        return (f"{name} used {percent(share, 0)} of the {processors} {plural} that it can use",)


def _engine_gave_up(event: Failed) -> PluginError:
    kind = SystemFailed if event.kind in {"connection", "database"} else DriverFailed
    return kind(f"the load phase: {event.message}", event.hint)


def _add(totals: dict[str, OperationTotals], part: Slice) -> None:
    for name, seen in part.operations.items():
        before = totals.get(name, OperationTotals())
        errors = dict(before.errors)
        for kind, each in seen.errors.items():
            errors[kind] = errors.get(kind, 0) + each.count
        totals[name] = OperationTotals(
            ok=before.ok + (seen.ok.count if seen.ok else 0),
            not_found=before.not_found + (seen.not_found.count if seen.not_found else 0),
            errors=errors,
            verify_failed=before.verify_failed
            + (seen.verify_failed.count if seen.verify_failed else 0),
        )


def _with(before: Counts | None, part: Counts | None) -> Counts | None:
    """Both; what only one of them tells is not told."""
    if before is None or part is None:
        return before or part
    names = before.commands.keys() & part.commands.keys()
    pairs = {
        name: (getattr(before, name), getattr(part, name))
        for name in ("hits", "misses", "received_bytes", "sent_bytes")
    }
    return Counts(
        commands={
            name: CommandCount(calls=before.commands[name].calls + part.commands[name].calls)
            for name in names
        },
        **{name: None if None in pair else sum(pair) for name, pair in pairs.items()},
    )


def run(tool: Tool) -> None:
    """Serve as a driver, and leave the process: what a distribution's script calls."""
    sys.exit(main(tool))
