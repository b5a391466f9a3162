"""A full disk and a full spool: nothing is dropped, no more work is taken, and that is said."""

import contextlib
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from weighhouse_agent.delivery.spool import SpoolReader, SpoolWriter
from weighhouse_agent.machine.disk_space import DiskFull, Room, spooled_bytes
from weighhouse_agent.machine.home import Home
from weighhouse_agent.supervisor.enrolment import enrol
from weighhouse_protocol.report import TimelineMark
from weighhouse_sdk.context import SystemClock
from weighhouse_sdk.testkit import at_hand
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, ended
from .protocol_server import Server

MEBIBYTE = 1 << 20


@pytest.fixture
def disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A small disk of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(place)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        at_hand.not_run(request, f"no disk of its own can be mounted: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """The disk without a byte to spare."""
    place = disk / "in-the-way"
    with place.open("wb", buffering=0) as file:
        for size in (MEBIBYTE, 4096, 1):
            try:
                while True:
                    file.write(b"\1" * size)
            except OSError:
                continue
    yield
    place.unlink()


@pytest.fixture
def agent(disk: Path, server: Server, environment: dict[str, str]) -> Iterator[RunningAgent]:
    enrol(server.url, server.platform.registration_token, disk / "home", name="test")
    home = Home(disk / "home")
    home.policy.write_text("[machine]\nspare_mebibytes = 4\nspool_mebibytes = 8\n")
    made = RunningAgent(home, environment)
    made.log = disk.parent / "agent.log"
    yield made
    made.end()


def rests(server: Server) -> str | None:
    return server.platform.sessions[-1].resting if server.platform.sessions else None


def test_on_a_full_disk_no_work_is_taken_until_there_is_room(
    agent: RunningAgent, server: Server, disk: Path, order: MakeOrder
) -> None:
    agent.start()
    until("it asks for work", lambda: any("claims" in each for each in server.platform.calls))
    with filled(disk):
        until("it says that it rests", lambda: "disk is full" in (rests(server) or ""))
        attempt = server.platform.offer(order(measure_seconds=0.1))
        told = len(server.platform.sessions)
        until("it says so again", lambda: len(server.platform.sessions) > told + 1)
        assert attempt.status == "offered"
    until("it takes what was waiting", lambda: ended(attempt))
    assert rests(server) is None
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    assert agent.signal(signal.SIGTERM) == 0


def test_a_disk_that_fills_up_while_it_measures_ends_the_run_not_the_agent(
    agent: RunningAgent, server: Server, disk: Path, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=100.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    until("it measures", lambda: "measure" in attempt.phases())
    with filled(disk):
        until("it ends", lambda: ended(attempt))
        assert attempt.completion is not None
        assert attempt.completion.failure is not None
        assert attempt.completion.failure.kind == "infrastructure"
        assert "disk is full" in attempt.completion.failure.message
        assert attempt.completion.events_count == len(attempt.events) > 0
        assert agent.processes() == []
        until("it says that it rests", lambda: "disk is full" in (rests(server) or ""))
    after = server.platform.offer(order(measure_seconds=0.1))
    until("it goes on", lambda: ended(after))
    assert after.completion is not None
    assert after.completion.outcome == "completed", after.completion.failure


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("spare_mebibytes = 4\nmax_disk_mebibytes = 6\n", "may take 6 (machine.max_disk_mebibytes"),
        ("spare_mebibytes = 4\n", "the run has filled this machine's disk"),
    ],
)
def test_a_run_that_takes_the_disk_ends_with_the_reason_and_is_not_tried_again(
    agent: RunningAgent, server: Server, disk: Path, order: MakeOrder, policy: str, said: str
) -> None:
    agent.home.policy.write_text(f"[machine]\n{policy}")
    wanted = order(measure_seconds=1000.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    until("it measures", lambda: "measure" in attempt.phases())
    data = agent.home.attempt(wanted.attempt_id).path / "system" / "data"
    data.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError), (data / "huge").open("wb", buffering=0) as file:
        for _ in range(12 if "max_disk" in policy else 24):
            file.write(b"\1" * MEBIBYTE)
    until("it ends", lambda: ended(attempt))
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    assert attempt.completion.failure.kind == "policy"
    assert said in attempt.completion.failure.message
    assert str(data.parent) in attempt.completion.failure.hint
    assert agent.processes() == []


def test_a_full_spool_takes_no_more_and_keeps_what_it_has(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    kept = agent.home.set_aside_directory / "an-old-one"
    kept.mkdir(parents=True)
    (kept / "spool.jsonl").write_bytes(b"x" * (9 * MEBIBYTE))
    attempt = server.platform.offer(order(measure_seconds=0.1))
    agent.start()
    until("it says that it rests", lambda: "wait for delivery" in (rests(server) or ""))
    assert attempt.status == "offered"
    assert (kept / "spool.jsonl").stat().st_size == 9 * MEBIBYTE
    (kept / "spool.jsonl").unlink()
    until("it goes on", lambda: ended(attempt))


def test_an_event_for_which_there_is_no_room_leaves_the_spool_whole(disk: Path) -> None:
    writer = SpoolWriter(disk / "spool", SystemClock())

    def mark(label: str) -> None:
        writer.append(lambda n, at: TimelineMark(sequence=n, at_us=at, mark="m", label=label))

    def mark_many() -> None:
        for _ in range(1000):
            mark("x" * 1000)

    mark("first")
    with filled(disk), pytest.raises(DiskFull, match="event"):
        mark_many()
    stored = writer.count
    mark("last")
    writer.close()
    reader = SpoolReader(disk / "spool")
    assert reader.refresh() == stored + 1
    assert not reader.damaged


def test_what_systems_store_is_not_spooled(tmp_path: Path) -> None:
    home = Home(tmp_path)
    for name in ("spool.jsonl", "logs/driver.log", "system/data/huge"):
        path = home.attempt("one").path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 1000)
    assert spooled_bytes(home) == 2000
    assert Room(home).trouble() is None
    assert home.reserve.stat().st_size == MEBIBYTE
