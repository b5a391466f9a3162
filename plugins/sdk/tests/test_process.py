"""Processes: started, found again, ended; and nothing else touched."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine.process import (
    Command,
    Reservation,
    ServerProcess,
    log_tail,
)
from weighhouse_sdk.machine.procfs import (
    boot_id,
    is_alive,
    process_stat,
    session_members,
    wait_for_end,
    working_directory,
)
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.testkit.testing import processes_below

SLEEP = str(shutil.which("sleep"))


def python(context: Context, code: str, name: str = "p", **more: object) -> Command:
    return Command(
        name=name,
        arguments=(sys.executable, "-u", "-c", code),
        directory=context.directory / "data",
        **more,
    )


def started(context: Context, code: str, **more: object) -> ServerProcess:
    """Started, and so far that it has printed `up`."""
    process = context.processes.start(python(context, code, **more), stdout=True)
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    return process


UP = "print('up', flush=True); import signal; signal.pause()"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {UP}"


def test_output_goes_to_the_log_and_its_tail_is_told(context: Context) -> None:
    code = "import sys; [print(n) for n in range(100)]; print('last', file=sys.stderr); exit(3)"
    process = context.processes.start(python(context, code))
    assert process.wait(120) == 3
    assert process.log_tail(1) == ("last",)
    assert len(process.log_tail()) == 20
    assert log_tail(context.log_directory / "nowhere.log") == ()
    again = context.processes.start(python(context, "print('again')"))
    assert again.wait(120) == 0
    assert again.log_tail(2) == ("last", "again")


def test_program_that_is_not_there_says_so_in_the_log(context: Context) -> None:
    command = Command("p", ("/nowhere/server",), context.directory / "data")
    process = context.processes.start(command)
    assert process.wait(120) == 1
    assert process.log_tail() == ("/nowhere/server cannot be started: No such file or directory",)


def test_arguments_are_never_a_shells(context: Context) -> None:
    code = "import sys; print(sys.argv[1])"
    words = (sys.executable, "-c", code, "; touch pwned $(id) *")
    process = context.processes.start(Command("p", words, context.directory / "data"))
    assert process.wait(120) == 0
    assert process.log_tail() == ("; touch pwned $(id) *",)
    assert "'; touch pwned $(id) *'" in process.command.line


def test_process_has_group_directory_and_processors_of_its_own(context: Context) -> None:
    cpu = max(os.sched_getaffinity(0))
    process = started(context, UP, cpus=frozenset({cpu}))
    stat = process_stat(process.pid)
    assert stat is not None
    assert (stat.group, stat.session) == (process.pid, process.pid)
    assert working_directory(process.pid) == context.directory / "data"
    assert os.sched_getaffinity(process.pid) == {cpu}
    process.stop(10)


def test_record_is_there_before_the_server(context: Context) -> None:
    process = started(context, UP)
    [path] = (context.directory / "processes").iterdir()
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["pid"] == process.pid
    assert record["boot_id"] == boot_id()
    assert is_alive(process.pid, record["start_ticks"])
    assert process.stop(10).exit_code == -signal.SIGTERM
    assert not path.exists()


def test_stop_kills_what_does_not_obey(context: Context) -> None:
    process = started(context, STUBBORN)
    ended = process.stop(0.05)
    assert ended.killed
    assert ended.exit_code == -signal.SIGKILL
    assert process.stop(10) == process.stop(10)


@pytest.mark.parametrize("waited_for", [False, True])
def test_stop_ends_what_the_server_forked(context: Context, waited_for: bool) -> None:
    code = f"import os\nif os.fork():\n    os._exit(0)\n{STUBBORN}"
    process = started(context, code)
    if waited_for:
        assert process.wait(120) == 0
    [orphan] = processes_below(context.directory)
    process.stop(1)
    wait_for_end(orphan, 10)
    assert not processes_below(context.directory)


def test_leftovers_are_known_by_their_start_and_boot(context: Context) -> None:
    """A record whose pid now belongs to another process, or to another boot, is no claim."""
    with child([SLEEP, "300"]) as bystander:
        stat = process_stat(bystander.pid)
        assert stat is not None
        records = context.directory / "processes"
        records.mkdir()
        record = {"name": "p", "pid": bystander.pid, "boot_id": boot_id()}
        for name, more in {
            "reused": {"start_ticks": stat.start_ticks - 1},
            "rebooted": {"start_ticks": stat.start_ticks, "boot_id": "another"},
        }.items():
            (records / f"{name}.json").write_text(json.dumps({**record, **more}), encoding="utf-8")
        assert context.processes.leftovers() == ()
        assert context.processes.remove_leftovers(0) == ()
        assert bystander.poll() is None
    assert not records.exists()


def test_a_session_that_works_elsewhere_is_not_ours(context: Context, tmp_path: Path) -> None:
    """A pid on record may come back as a stranger's session, its leader gone."""
    code = f"import os\nif os.fork():\n    os._exit(0)\n{UP}"
    leader = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, start_new_session=True, stdout=subprocess.PIPE
    )
    with leader:
        assert leader.stdout is not None
        assert leader.stdout.readline() == b"up\n"
        leader.wait(120)
        [stranger] = session_members(leader.pid, tmp_path)
        records = context.directory / "processes"
        records.mkdir()
        record = {"name": "p", "pid": leader.pid, "boot_id": boot_id(), "start_ticks": 1}
        (records / "p.json").write_text(json.dumps(record), encoding="utf-8")
        assert context.processes.leftovers() == ()
        os.kill(stranger.pid, signal.SIGKILL)


def test_leftovers_of_another_context_are_not_ours(context: Context, tmp_path: Path) -> None:
    other = Context.open(context.target, tmp_path / "other")
    theirs, ours = started(other, UP), started(context, STUBBORN)
    assert [leftover.pid for leftover in context.processes.leftovers()] == [ours.pid]
    assert [leftover.pid for leftover in context.processes.remove_leftovers(0.05)] == [ours.pid]
    assert ours.wait(120) == -signal.SIGKILL
    assert theirs.exit_code is None
    theirs.stop(10)


def test_a_reserved_port_is_nobodys_but_the_servers() -> None:
    reservation = Reservation()
    for _ in range(50):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            assert other.getsockname()[1] != reservation.port
    with socket.socket() as stranger, pytest.raises(OSError, match="Address already in use"):
        stranger.bind(("127.0.0.1", reservation.port))
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", reservation.port))
        server.listen()
        with pytest.raises(DeployFailed, match="cannot be used: Address already in use"):
            Reservation("127.0.0.1", reservation.port)
    reservation.release()
    reservation.release()
