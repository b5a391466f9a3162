"""Small parts by themselves: spool, logs, watch, progress, facts."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
from weighhouse_agent.attempt.process import Record
from weighhouse_agent.delivery.spool import BATCH_BYTES, SpoolReader, SpoolWriter
from weighhouse_agent.machine.activity import MachineWatch
from weighhouse_agent.machine.facts import machine_facts
from weighhouse_agent.machine.home import AttemptDirectory, Home, HomeInUse
from weighhouse_agent.supervisor.fork_server import Exit
from weighhouse_agent.supervisor.heartbeats import progress
from weighhouse_agent.supervisor.process_starter import Starter
from weighhouse_agent.supervisor.process_watch import Watch, record_of, runs
from weighhouse_agent.supervisor.program import set_up_log
from weighhouse_protocol.chain_links import links_of, numbered
from weighhouse_protocol.machine_kinds import alike, kind_of
from weighhouse_protocol.order import AttemptOrder, OrderLink, Timings
from weighhouse_protocol.report import ATTEMPT_EVENT, PhaseChanged, TimelineMark
from weighhouse_sdk.context import SystemClock
from weighhouse_sdk.machine.procfs import boot_id, process_stat
from weighhouse_sdk.testkit.children import child
from weighhouse_testing.platform import until


def mark(writer: SpoolWriter, label: str = "") -> None:
    writer.append(lambda n, at: TimelineMark(sequence=n, at_us=at, mark="ready", label=label))


def test_the_spool_gives_back_what_was_written(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path / "spool", SystemClock())
    reader = SpoolReader(tmp_path / "spool")
    assert reader.refresh() == 0
    for number in range(5):
        mark(writer, f"é {number}")
    writer.append(lambda n, at: PhaseChanged(sequence=n, at_us=at, phase="measure"))
    assert reader.refresh() == 6
    assert reader.phase == "measure"
    events = [ATTEMPT_EVENT.validate_json(line) for line in reader.batch(3)]
    assert [event.sequence for event in events] == [3, 4, 5]
    assert len(reader.batch(0, 2)) == 2
    assert reader.batch(6) == ()
    with pytest.raises(FileExistsError):
        SpoolWriter(tmp_path / "spool", SystemClock())
    writer.close()


def test_many_threads_one_order(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path / "spool", SystemClock())
    threads = [
        threading.Thread(target=lambda: [mark(writer) for _ in range(200)]) for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    writer.close()
    reader = SpoolReader(tmp_path / "spool")
    assert reader.refresh() == 800
    assert not reader.damaged


@pytest.mark.parametrize(
    "tail",
    [b'{"sequence":2,"ki', b"\x00\x00\x00\n", b'{"kind":"mark"}\n', b"[]\n", b'{"sequence":7}\n'],
)
def test_what_is_torn_or_foreign_does_not_count(tail: bytes, tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path / "spool", SystemClock())
    mark(writer)
    mark(writer)
    writer.close()
    with (tmp_path / "spool").open("ab") as file:
        file.write(tail)
    reader = SpoolReader(tmp_path / "spool")
    assert reader.refresh() == 2
    assert len(reader.batch(0)) == 2
    assert reader.damaged == tail.endswith(b"\n")


def test_batches_stay_small(tmp_path: Path) -> None:
    writer = SpoolWriter(tmp_path / "spool", SystemClock())
    for _ in range(5):
        mark(writer, "x" * (BATCH_BYTES // 2))
    mark(writer, "x" * (BATCH_BYTES * 2))
    writer.close()
    reader = SpoolReader(tmp_path / "spool")
    reader.refresh()
    place, sizes = 0, []
    while lines := reader.batch(place):
        sizes.append(sum(map(len, lines)))
        place += len(lines)
    assert place == 6
    assert all(size <= BATCH_BYTES for size in sizes[:-1])


def test_progress_follows_the_planned_phases(order: Callable[..., AttemptOrder]) -> None:
    wanted = order(measure_seconds=0.9)
    second = 1_000_000
    assert progress(wanted, {"deploy": 0}, 5 * second) == 0.0
    assert progress(wanted, {"warmup": 0}, 9 * second) == pytest.approx(0.1)
    assert progress(wanted, {"warmup": 0, "measure": second}, 1.45 * second) == pytest.approx(0.55)
    assert progress(wanted, {"warmup": 0, "measure": second, "collect": 2}, 0) == 0.99


def test_progress_goes_on_through_the_links_of_a_chain(
    order: Callable[..., AttemptOrder],
) -> None:
    plain = order(measure_seconds=0.9)
    again = OrderLink(workload=plain.workload, load=plain.load, phases=plain.phases[1:])
    wanted = plain.model_copy(update={"chain": (again,)})
    assert [len(link.phases) for link in links_of(wanted)] == [3, 2]
    assert all(link.chain == () for link in links_of(wanted))
    second = 1_000_000
    entered = {"load": 0, "warmup": 0, "measure": second}
    assert progress(wanted, entered, 9 * second) == pytest.approx(0.5)
    entered |= {"warmup 2": 10 * second}
    assert progress(wanted, entered, 11 * second) == pytest.approx(0.55)
    entered |= {"measure 2": 11 * second}
    assert progress(wanted, entered, 99 * second) == 0.99


def test_phases_that_come_again_are_numbered() -> None:
    assert numbered(["load", "measure", "warmup", "measure", "measure"]) == [
        "load", "measure", "warmup", "measure 2", "measure 3",
    ]  # fmt: skip


def test_the_facts_of_this_machine(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    facts = machine_facts(home.instance_id(), {"agent": "1"})
    assert facts.cores == os.cpu_count()
    assert facts.kernel == os.uname().release
    assert facts.boot_id == boot_id()
    assert alike(kind_of(facts), kind_of(machine_facts(home.instance_id())))
    assert machine_facts(home.instance_id()).machine_id == facts.machine_id
    assert home.instance_id() == home.instance_id()


def test_the_machine_is_watched() -> None:
    watch = MachineWatch()
    until("time goes by", lambda: watch.since_last().cpu_percent is not None, every=0.05)
    assert watch.since_last().metrics["machine_swapped_bytes"] >= 0


def test_a_home_is_held_by_one(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with home.locked(), pytest.raises(HomeInUse), Home(home.path).locked():
        pass
    with home.locked():
        assert home.attempts() == []


DEAF = """
import signal, sys, time
for number in map(int, sys.argv[1].split(",")):
    signal.signal(number, lambda *_: None)
print("deaf", flush=True)
while True:
    time.sleep(60)
"""


@pytest.fixture
def deaf(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """A process that does not hear the signals of the test's parameter."""
    numbers = ",".join(str(int(number)) for number in request.param)
    with child([sys.executable, "-c", DEAF, numbers], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "deaf\n"
        yield process


USR1, TERM = signal.SIGUSR1, signal.SIGTERM


@pytest.mark.parametrize(
    ("deaf", "kill", "ended_by"),
    [((TERM,), False, USR1), ((USR1,), False, TERM), ((USR1, TERM), False, signal.SIGKILL),
     ((USR1,), True, TERM)],
    indirect=["deaf"],
)  # fmt: skip
def test_a_process_is_made_to_end(
    deaf: subprocess.Popen[str], kill: bool, ended_by: signal.Signals, tmp_path: Path
) -> None:
    watch = watch_of(deaf, tmp_path, limit_seconds=1000)
    thread = threading.Thread(target=watch.until_ended)
    thread.start()
    watch.ask_to_stop("cancelled", "because", kill=kill)
    watch.ask_to_stop("timeout", "another reason")
    thread.join(120)
    assert watch.ended.is_set()
    assert deaf.wait() == -ended_by
    assert '"because"' in watch.directory.request.read_text()
    watch.ask_to_stop("cancelled", "too late")


@pytest.mark.parametrize("deaf", [(signal.SIGHUP,)], indirect=True)
def test_the_hard_limit_is_kept_from_outside(deaf: subprocess.Popen[str], tmp_path: Path) -> None:
    watch = watch_of(deaf, tmp_path, limit_seconds=-1000)
    watch.until_ended()
    assert deaf.wait() == -signal.SIGUSR1
    assert '"timeout"' in watch.directory.request.read_text()


def watch_of(process: subprocess.Popen[str], tmp_path: Path, limit_seconds: float) -> Watch:
    stat = process_stat(process.pid)
    assert stat is not None
    record = Record(pid=stat.pid, start_ticks=stat.start_ticks, boot_id=boot_id())
    timings = Timings(teardown_seconds=0.2, term_seconds=0.2)
    return Watch(AttemptDirectory(tmp_path), record, timings, limit_seconds)


def test_a_zombie_and_another_boot_do_not_run(tmp_path: Path) -> None:
    process = subprocess.Popen(["/bin/sleep", "60"])
    watch = watch_of(process, tmp_path, 1)  # type: ignore[arg-type]
    assert runs(watch.record)
    assert not runs(watch.record.model_copy(update={"boot_id": "another"}))
    assert not runs(watch.record.model_copy(update={"start_ticks": 1}))
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not runs(watch.record)
    watch.until_ended()
    process.wait()


def test_an_attempt_is_begun_once(
    tmp_path: Path,
    order: Callable[..., AttemptOrder],
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("PYTHONPATH", "WEIGHHOUSE_DRIVERS"):
        monkeypatch.setenv(name, environment[name])
    home = Home(tmp_path / "home")
    home.prepare()
    wanted = order(measure_seconds=60.0)
    directory = home.attempt(wanted.attempt_id)
    directory.path.mkdir()
    directory.order.write_text(wanted.model_dump_json())
    starter = Starter(tmp_path / "policy.toml")
    try:
        starter.start(directory)
        first = record_of(directory)
        assert first is not None
        starter.start(directory)
        until("the second has ended", directory.exit.exists)
        assert Exit.model_validate_json(directory.exit.read_text()).status == 75
        assert record_of(directory) == first
        assert runs(first)
        starter.close()  # the fork server ends, the attempt goes on
        assert runs(first)
        until("it works", directory.spool.exists)
        os.kill(first.pid, signal.SIGTERM)
        until("it has its outcome", directory.outcome.exists)
        starter.start(directory)  # a new fork server; the attempt is done, and stays as it is
        assert starter.clean(directory)
        assert '"failed"' in directory.outcome.read_text()
    finally:
        starter.close()


def test_what_is_not_installed_is_said_with_where_it_comes_from(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PYTHONPATH", "WEIGHHOUSE_DRIVERS"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "python3").symlink_to(sys.executable)
    for name in ("HOME", "CARGO_TARGET_DIR", "WEIGHHOUSE_CACHE"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("WEIGHHOUSE_YCSB", "YCSB_HOME"):
        monkeypatch.delenv(name, raising=False)
    starter = Starter(tmp_path / "policy.toml")
    try:
        found = starter.inventory()
    finally:
        starter.close()
    assert found.versions["driver scale"] == "0.1.0"
    assert "YCSB_HOME" in found.absent["ycsb"]
    assert "make driver NAME=resp" in found.absent["resp"]
    assert all("not installed" in reason for reason in found.absent.values()), found.absent
    assert {"redis", "redis-benchmark"} <= {manifest.id for manifest in found.manifests}


def test_a_log_that_cannot_be_written_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    set_up_log()
    with Path("/dev/full").open("w", buffering=1) as full:
        monkeypatch.setattr(sys, "stderr", full)
        structlog.get_logger("weighhouse_agent").warning("the disk is full")
        monkeypatch.undo()
        with contextlib.suppress(OSError):
            full.close()
    structlog.reset_defaults()
