"""What starts an installed agent, and goes back to the version of before."""

import os
import re
import signal
import subprocess
from importlib.resources import files

import pytest
from weighhouse_testing.waits import until

SCRIPT = (files("weighhouse_backend.packages") / "install.sh").read_text("utf-8")
(START,) = re.findall(r"<<'START'\n(.*?)\nSTART\n", SCRIPT, re.DOTALL)


@pytest.fixture
def machine(tmp_path):
    """Its root; each version is a script that says its name in `ran`."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (tmp_path / "start").write_text(START.replace("/opt/weighhouse-agent", str(tmp_path)))
    return tmp_path


def version(machine, name, body):
    program = machine / "programs" / name / "bin" / "weighhouse-agent"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho {name} >> {machine}/ran\n{body}\n")
    program.chmod(0o755)


def current(machine, name, before=None):
    (machine / "programs" / "current").symlink_to(name)
    if before:
        (machine / "programs" / "trial").write_text(before)


def started(machine, trial_seconds=600):
    return subprocess.Popen(
        ["sh", machine / "start"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "WEIGHHOUSE_TRIAL_SECONDS": str(trial_seconds)},
    )  # fmt: skip


def ran(machine):
    return (machine / "ran").read_text().split() if (machine / "ran").exists() else []


def test_a_version_that_ends_is_followed_by_the_one_of_before(machine):
    version(machine, "old", "exit 3")
    version(machine, "new", "exit 2")
    current(machine, "new", "old")
    process = started(machine)
    _, said = process.communicate()
    assert process.returncode == 3
    assert ran(machine) == ["new", "old"]
    assert (machine / "programs" / "current").resolve().name == "old"
    told = (machine / "programs" / "returned").read_text()
    assert told == "its new version ended with status 2 before it had opened a session\n"
    assert "back to the version of before" in said
    assert not (machine / "programs" / "trial").exists()


def test_a_version_that_does_nothing_is_ended_in_time(machine):
    version(machine, "old", "exit 0")
    version(machine, "new", "exec sleep 1000")
    current(machine, "new", "old")
    process = started(machine, trial_seconds=1)
    process.communicate()
    assert process.returncode == 0
    assert ran(machine) == ["new", "old"]
    assert "within 1 s" in (machine / "programs" / "returned").read_text()


def test_a_version_that_comes_up_goes_on_and_ends_when_it_is_asked_to(machine):
    body = f"rm {machine}/programs/trial; trap 'echo asked >> {machine}/ran; exit 0' TERM\n"
    version(machine, "new", body + "while :; do sleep 0.1; done")
    current(machine, "new", "old")
    process = started(machine)
    until("it has come up", lambda: not (machine / "programs" / "trial").exists())
    until("it runs", lambda: ran(machine) == ["new"])
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 0
    assert ran(machine) == ["new", "asked"]
    assert not (machine / "programs" / "returned").exists()


def test_a_program_that_was_replaced_begins_anew_and_one_that_is_not_wanted_does_not(machine):
    place = machine / "programs"
    version(machine, "new", "exit 3")
    version(machine, "old", f"ln -sfn new {place}/link; mv -T {place}/link {place}/current; exit 5")
    current(machine, "old")
    process = started(machine)
    process.communicate()
    assert process.returncode == 3
    assert ran(machine) == ["old", "new"]


def test_a_version_is_told_who_started_it(machine):
    version(machine, "only", f"echo $WEIGHHOUSE_AGENT_STARTER $PPID >> {machine}/ran; exit 3")
    current(machine, "only")
    process = started(machine)
    process.communicate()
    assert ran(machine) == ["only", str(process.pid), str(process.pid)]
