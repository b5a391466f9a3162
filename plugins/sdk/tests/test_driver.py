"""The driver's runner, with small drivers that speak the protocol, and some that do not."""

import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from weighhouse_protocol.driver import DriverOrder, DriverTarget, PhaseStarted
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.workload import Workload
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun, describe_driver, locate_driver
from weighhouse_sdk.errors import BinaryMissing, Cancelled, DriverFailed
from weighhouse_sdk.machine.programs import DRIVERS_VARIABLE
from weighhouse_sdk.testkit.testing import processes_below

PREAMBLE = f"""#!{sys.executable}
import json, signal, sys
def tell(event, **more):
    print(json.dumps(dict(event=event, at_us=1, elapsed_us=1, **more)), flush=True)
def ready():
    tell("ready", driver="small", version="1")
"""
WELL_BEHAVED = """
order = json.loads(sys.stdin.readline())
ready()
tell("phase_started", phase="load", index=0)
print("noise on stderr", file=sys.stderr)
tell("finished", records=order["workload"]["record_count"])
"""
HELD = """
order = json.loads(sys.stdin.readline())
assert order["hold"]
ready()
for line in sys.stdin:
    word = json.loads(line)
    begun = dict(event="phase_started", at_us=word["at_us"], elapsed_us=1)
    print(json.dumps(dict(begun, phase="load", index=word["go"])), flush=True)
"""
UNTIL_TERM = """
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
ready()
signal.sigwait({signal.SIGTERM})
tell("phase_finished", phase="measure", index=0, duration_us=1, interrupted=True)
tell("finished")
"""
STUBBORN = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
ready()
while True:
    signal.pause()
"""


@dataclass
class HandClock:
    at: float = 0.0

    def monotonic(self) -> float:
        return self.at

    def now_us(self) -> int:
        return 0

    def stepped_us(self) -> int:
        return 0


@pytest.fixture
def drivers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "drivers"
    place.mkdir()
    monkeypatch.setenv(DRIVERS_VARIABLE, str(place))
    return place


def write(place: Path, code: str) -> Path:
    path = place / "weighhouse-driver-small"
    path.write_text(PREAMBLE + code, encoding="utf-8")
    path.chmod(0o755)
    return path


ORDER = DriverOrder(
    workload=Workload(name="w", record_count=77),
    target=DriverTarget(endpoints=("tcp://127.0.0.1:1",)),
    load=ClosedLoad(clients=1),
    phases=(Phase(kind="measure", duration_seconds=1.0),),
    seed=1,
)


def test_places_are_searched_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = {
        DRIVERS_VARIABLE: tmp_path / "named",
        "CARGO_TARGET_DIR": tmp_path / "target" / "release",
        "HOME": tmp_path / "home" / ".cache" / "weighhouse" / "target" / "release",
        "PATH": tmp_path / "path",
    }
    for folder in folders.values():
        folder.mkdir(parents=True)
        write(folder, "")
    monkeypatch.setenv(DRIVERS_VARIABLE, str(tmp_path / "named"))
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path / "target"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    for folder in folders.values():
        found = locate_driver("small")
        assert found.parent == folder
        found.unlink()
    with pytest.raises(BinaryMissing, match="weighhouse-driver-small is not installed") as caught:
        locate_driver("small")
    assert "make driver NAME=small" in caught.value.hint
    assert DRIVERS_VARIABLE in caught.value.hint
    assert "make driver NAME=small" in caught.value.hint


def test_order_goes_in_and_events_come_out(context: Context, drivers: Path) -> None:
    write(drivers, WELL_BEHAVED)
    with DriverRun("small", ORDER, context) as run:
        events = list(run.events())
    assert [event.event for event in events] == ["ready", "phase_started", "finished"]
    assert run.process.log_tail() == ("noise on stderr",)
    assert run.process.exit_code == 0
    with pytest.raises(RuntimeError, match="once"):
        next(run.events())


def test_a_failure_is_an_event_not_an_error(context: Context, drivers: Path) -> None:
    write(drivers, 'tell("failed", kind="invalid", message="no such option"); sys.exit(2)')
    with DriverRun("small", ORDER, context) as run:
        [event] = run.events()
    assert event.event == "failed"
    assert run.process.exit_code == 2


def test_what_is_not_the_protocol_is_shown(context: Context, drivers: Path) -> None:
    write(drivers, "ready(); print('Segfault imminent', flush=True); signal.pause()")
    with (
        DriverRun("small", ORDER, context) as run,
        pytest.raises(DriverFailed, match="Segfault imminent") as caught,
    ):
        list(run.events())
    assert caught.value.hint
    assert not processes_below(context.directory)


SUICIDE = """
import os
print("out of luck", file=sys.stderr, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(
    ("code", "exit_code", "told", "kind"),
    [
        ("sys.exit('out of luck')", 1, "ended with 1", "driver"),
        (SUICIDE, -9, "was killed by somebody else", "infrastructure"),
    ],
)
def test_early_end_is_told_with_its_log(
    context: Context, drivers: Path, code: str, exit_code: int, told: str, kind: str
) -> None:
    write(drivers, f"ready()\n{code}")
    with (
        DriverRun("small", ORDER, context) as run,
        pytest.raises(DriverFailed, match=told) as caught,
    ):
        list(run.events())
    assert caught.value.exit_code == exit_code
    assert caught.value.log_lines == ("out of luck",)
    assert caught.value.failure().kind == kind


def test_a_held_driver_gets_a_word_for_each_phase(context: Context, drivers: Path) -> None:
    write(drivers, HELD)
    held = ORDER.model_copy(update={"hold": True})
    with DriverRun("small", held, context) as run:
        events = run.events()
        assert next(events).event == "ready"
        assert not run.ending
        for index in range(2):
            run.go(index, 17 + index)
            begun = next(events)
            assert isinstance(begun, PhaseStarted)
            assert (begun.index, begun.at_us) == (index, 17 + index)
    assert run.ending


def test_cancel_lets_it_report_what_it_measured(context: Context, drivers: Path) -> None:
    write(drivers, UNTIL_TERM)
    seen = []
    with DriverRun("small", ORDER, context) as run:
        for event in run.events():
            seen.append(event.event)
            context.cancel.cancel()
    assert seen == ["ready", "phase_finished", "finished"]


def test_deadline_ends_it_the_same_way(context: Context, drivers: Path) -> None:
    write(drivers, UNTIL_TERM)
    clock = HandClock()
    limited = Context.open(context.target, context.directory, limit_seconds=5, clock=clock)
    seen = []
    with DriverRun("small", ORDER, limited) as run:
        for event in run.events():
            seen.append(event.event)
            clock.at = 6.0
    assert seen == ["ready", "phase_finished", "finished"]


def test_a_driver_that_does_not_end_is_killed(context: Context, drivers: Path) -> None:
    write(drivers, STUBBORN)
    with DriverRun("small", ORDER, context, end_seconds=0.2) as run:
        events = run.events()
        assert next(events).event == "ready"
        run.terminate()
        with pytest.raises(DriverFailed, match="had to be killed"):
            list(events)
    assert run.process.exit_code == -9


def test_leaving_the_block_ends_it(context: Context, drivers: Path) -> None:
    write(drivers, UNTIL_TERM)
    run = DriverRun("small", ORDER, context)
    with suppress(ZeroDivisionError), run:
        next(run.events())
        raise ZeroDivisionError
    assert run.process.exit_code == 0
    assert not processes_below(context.directory)


def test_description_is_read_and_checked(drivers: Path) -> None:
    write(
        drivers,
        'assert sys.argv[1] == "--describe"; print(json.dumps(dict(driver="small", version="1", '
        'protocol=1, operations=["read"], distributions=["uniform"], load_models=["closed"])))',
    )
    assert describe_driver("small").operations == ("read",)
    write(
        drivers,
        'print(json.dumps(dict(driver="small", version="2", protocol=2, operations=[], '
        "distributions=[], load_models=[])))",
    )
    words = "weighhouse-driver-small speaks version 2 of the driver API, and this machine has 1"
    with pytest.raises(DriverFailed, match=words):
        describe_driver("small")
    write(drivers, "print('{}')")
    with pytest.raises(DriverFailed, match="gave no description"):
        describe_driver("small")
    write(drivers, "sys.exit('library missing')")
    with pytest.raises(DriverFailed, match="ended with 1") as caught:
        describe_driver("small")
    assert caught.value.log_lines == ("library missing",)
    assert "make driver NAME=small" in caught.value.hint
    write(
        drivers,
        "print('scales are not installed; apt-get install scales', file=sys.stderr); sys.exit(69)",
    )
    with pytest.raises(DriverFailed, match="scales are not installed") as caught:
        describe_driver("small")
    assert caught.value.hint == "apt-get install scales"


def test_cancelled_before_it_was_ready(context: Context, drivers: Path) -> None:
    write(drivers, "signal.pause()")
    context.cancel.cancel("stop it")
    with (
        DriverRun("small", ORDER, context) as run,
        pytest.raises(Cancelled, match="stop it"),
    ):
        list(run.events())
