"""Control groups of the real kernel, of whichever version it has; and both versions' files."""

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from weighhouse_protocol.target import Limits
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine import cgroups
from weighhouse_sdk.machine.cgroups import (
    ControlGroup,
    ControlGroups,
    Hierarchies,
    group_of,
    refuse_unless_kept,
    settings,
)
from weighhouse_sdk.machine.process import Command, ServerProcess
from weighhouse_sdk.machine.procfs import is_alive, process_stat

BOTH = Limits(memory_mebibytes=64, cpus=0.5)
UP = "print('up', flush=True); import signal; signal.pause()"

AGENT = """
import sys
from pathlib import Path
from weighhouse_protocol.target import Limits, Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.machine.process import Command
directory, code = sys.argv[1:]
context = Context.open(Target(name="t", system="anything"), Path(directory))
group = context.groups.make("p", Limits(memory_mebibytes=64, cpus=0.5))
process = context.processes.start(
    Command("p", (sys.executable, "-c", code), context.directory / "data", group=group),
    stdout=True)
process.stdout.readline()
print(process.pid, flush=True)
sys.stdin.read()
"""
"""An agent to be killed. Arguments: directory, what its process does until it prints a line."""

FLED = """
import os, signal
if os.fork():
    signal.pause()
os.setsid()
os.chdir("/")
print("up", flush=True)
signal.pause()
"""
"""A server whose fork has left session and directory."""


@pytest.fixture(autouse=True)
def _kept_here(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> None:
    if "context" not in request.fixturenames:
        return
    problem = Hierarchies.found().problem(BOTH)
    if problem is not None:
        with capsys.disabled():
            sys.stderr.write(
                f"\n{request.node.name}: {problem}; run the tests as root on a machine with it"
            )
        pytest.skip(problem)


@pytest.fixture
def other(context: Context, tmp_path: Path) -> Iterator[Context]:
    """Another attempt on this machine."""
    other = Context.open(context.target, tmp_path / "other")
    yield other
    other.remove_leftovers()


def started(context: Context, code: str, limits: Limits = BOTH) -> ServerProcess:
    """Within limits, and so far that it has printed a line."""
    group = context.groups.make("p", limits)
    words = (sys.executable, "-c", code)
    command = Command("p", words, context.directory / "data", group=group)
    process = context.processes.start(command, stdout=True)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_a_process_is_within_its_limits_from_its_beginning(context: Context) -> None:
    process = started(context, UP)
    mine = process.command.group
    found = group_of(process.pid)
    assert mine is not None
    assert found is not None
    assert set(mine.directories) <= set(found.directories)
    assert process.limits() == {"limits.memory": "64 MiB", "limits.cpus": "0.5"}
    usage = mine.usage()
    assert usage is not None
    assert usage.cpu_seconds > 0
    assert usage.resident_bytes > 1_000_000
    process.stop(10)
    assert process.reason() == ""
    assert not any(each.exists() for each in mine.directories)
    assert not list((context.directory / "groups").iterdir())


def test_what_is_not_limited_is_told_as_no_figure(context: Context) -> None:
    """Its memory is counted all the same: a group without a limit, which the kernel tells."""
    process = started(context, UP, Limits(cpus=0.5))
    assert process.limits() == {"limits.memory": "unlimited", "limits.cpus": "0.5"}
    process.stop(10)
    process = started(context, UP, Limits(memory_mebibytes=64))
    assert process.limits()["limits.memory"] == "64 MiB"
    assert process.limits().get("limits.cpus", "unlimited") == "unlimited"
    process.stop(10)


def test_an_end_by_the_limit_of_memory_is_known(context: Context) -> None:
    process = started(context, "x = b'x' * 200_000_000; print('up')", Limits(memory_mebibytes=32))
    assert process.wait(120) == -signal.SIGKILL
    assert process.reason() == ("the kernel ended it, as it reached its limit of memory (32 MiB)")
    process.end(0)
    again = started(context, UP, Limits(memory_mebibytes=32))
    again.kill()
    assert again.reason() == "", "the end before was another one's"
    again.stop(0)


def test_processor_time_is_held_back(context: Context) -> None:
    code = "import time\nwhile time.process_time() < 0.2: pass\nprint('up')"
    process = started(context, code, Limits(cpus=0.1))
    assert process.wait(120) == 0
    group = process.command.group
    assert group is not None
    told = (group.places["cpu"] / "cpu.stat").read_text(encoding="ascii").split()
    assert int(told[told.index("nr_throttled") + 1]) > 0
    process.stop(0)


def test_without_limits_there_is_no_group(context: Context) -> None:
    assert context.groups.make("p", Limits()) is None
    assert not (context.directory / "groups").exists()


def test_a_group_that_cannot_be_joined_lets_nothing_run(context: Context) -> None:
    group = ControlGroup("p", {"memory": context.directory / "no-group"})
    words = (sys.executable, "-c", "print('runs unlimited')")
    process = context.processes.start(Command("p", words, context.directory / "data", group=group))
    assert process.wait(120) == 1
    [line] = process.log_tail()
    assert "cannot be joined" in line


def test_limits_that_the_kernel_refuses_are_refused(context: Context) -> None:
    with pytest.raises(DeployFailed, match=r"cannot keep the limits: .*cpu.*Invalid argument"):
        context.groups.make("p", Limits(cpus=0.000_01))
    assert [left.name for left in context.groups.remove_leftovers(0)] == ["p"]


@pytest.mark.parametrize("code", [UP, FLED])
def test_a_killed_agents_group_is_removed_and_nothing_else(
    context: Context, other: Context, code: str
) -> None:
    neighbour = started(other, UP)
    words = (str(context.directory), code)
    agent = subprocess.Popen(
        [sys.executable, "-c", AGENT, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with agent:
        assert agent.stdout is not None
        pid = int(agent.stdout.readline())
        agent.kill()
    group = group_of(pid)
    assert group is not None
    path = next(each for each in group.directories if each.name.endswith("-p"))
    members = [int(each) for each in (path / "cgroup.procs").read_text("ascii").split()]
    left = context.leftovers()
    assert [each.kind for each in left] == ["process", "control group"]
    later = Context.open(
        context.target, context.directory, options=replace(context.options, stop_seconds=1)
    )
    assert later.remove_leftovers() == left
    assert members
    assert not any(is_alive(each, start_of(each)) for each in members)
    assert not path.exists()
    assert later.leftovers() == ()
    assert neighbour.exit_code is None
    assert neighbour.limits()["limits.memory"] == "64 MiB"
    neighbour.stop(10)


def start_of(pid: int) -> int:
    """Start of whatever has this pid now; 0 when nothing has."""
    found = process_stat(pid)
    return 0 if found is None else found.start_ticks


def test_a_record_that_names_another_group_is_no_claim(tmp_path: Path) -> None:
    groups = ControlGroups(tmp_path / "groups", tmp_path)
    foreign = tmp_path / "somebody"
    foreign.mkdir()
    groups.records.mkdir()
    record = {"name": "p", "places": {"memory": str(foreign)}}
    (groups.records / "p.json").write_text(json.dumps(record), encoding="utf-8")
    assert groups.leftovers() == ()
    assert groups.remove_leftovers(0) == ()
    assert foreign.exists()


def test_a_mount_that_is_hidden_or_a_part_is_not_preferred(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, part, hidden = (tmp_path / each for each in ("shown", "part", "hidden"))
    found = tmp_path.stat().st_dev
    device = f"{os.major(found)}:{os.minor(found)}"
    lines = {
        hidden: ("0:0", "/"), part: (device, "/a/b"), shown: (device, "/"), tmp_path: ("0:0", "/"),
    }  # fmt: skip
    for folder in (shown, part):
        folder.mkdir()
        (folder / "cgroup.controllers").write_text("cpu memory\n", encoding="ascii")
    monkeypatch.setattr(cgroups, "PROC", tmp_path)
    (tmp_path / "self").mkdir()

    def mounted(*places: Path) -> Hierarchies:
        text = [
            f"30 29 {lines[each][0]} {lines[each][1]} {each} rw - cgroup2 cgroup2 rw\n"
            for each in places
        ]
        (tmp_path / "self" / "mountinfo").write_text("".join(text), encoding="ascii")
        return Hierarchies.found()

    for order in itertools.permutations(lines):
        assert mounted(*order).place("memory") == shown
        assert mounted(*order).roots[part] == "/a/b"
    assert mounted(hidden, part).place("cpu") == part
    for nothing in (mounted(hidden), mounted()):
        assert nothing.place("memory") is None
        assert nothing.problem(BOTH) == "the kernel offers no controller `memory`"


def test_a_machine_without_controllers_refuses(tmp_path: Path) -> None:
    nothing = Hierarchies({}, None)
    groups = ControlGroups(tmp_path / "groups", tmp_path, nothing)
    for limits, name in ((Limits(memory_mebibytes=1), "memory"), (Limits(cpus=1), "cpu")):
        with pytest.raises(DeployFailed, match=f"no controller `{name}`") as told:
            groups.make("p", limits)
        assert "run the agent as root" in told.value.hint
    assert groups.make("p", Limits()) is None
    refuse_unless_kept(Limits())


def test_version_two_is_written_as_its_documentation_says(tmp_path: Path) -> None:
    for name in ("memory.max", "memory.swap.max", "cpu.max"):
        (tmp_path / name).touch()
    places = {"memory": tmp_path, "cpu": tmp_path}
    for file, text in settings(places, BOTH):
        file.write_text(text, encoding="ascii")
    assert (tmp_path / "memory.max").read_text("ascii") == "67108864"
    assert (tmp_path / "memory.swap.max").read_text("ascii") == "0"
    assert (tmp_path / "cpu.max").read_text("ascii") == "50000 100000"
    assert ControlGroup("p", places).limits() == {"limits.memory": "64 MiB", "limits.cpus": "0.5"}
    (tmp_path / "cpu.max").write_text("max 100000", encoding="ascii")
    assert ControlGroup("p", places).limits()["limits.cpus"] == "unlimited"


def test_version_two_is_read_as_its_documentation_says(tmp_path: Path) -> None:
    group = ControlGroup("p", {"memory": tmp_path, "cpu": tmp_path}, kills_before=1)
    (tmp_path / "memory.max").write_text("1048576\n", encoding="ascii")
    (tmp_path / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1\n", encoding="ascii")
    (tmp_path / "memory.stat").write_text("anon 4096\nfile 9\nfile_mapped 8192\n", "ascii")
    (tmp_path / "memory.events").write_text("low 0\noom 1\noom_kill 1\n", encoding="ascii")
    usage = group.usage()
    assert usage is not None
    assert (usage.cpu_seconds, usage.resident_bytes) == (1.5, 12_288)
    assert group.reason() == ""
    (tmp_path / "memory.events").write_text("low 0\noom 2\noom_kill 2\n", encoding="ascii")
    assert "(1 MiB)" in group.reason()
