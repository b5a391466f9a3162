"""Steps of an installation side by side: what is seen of them, and how they end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from weighhouse_sdk.machine.procfs import process_tree
from weighhouse_testing.waits import until

PROGRAM = Path(__file__).parents[2] / "infra" / "bootstrap" / "lanes.py"
LONG_SECONDS = 300


def lanes(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PROGRAM), *words], capture_output=True, text=True, check=False
    )


def alive(pid: int) -> bool:
    return bool(process_tree(pid))


def wait_until_gone(pid: int) -> None:
    until(f"{pid} ends", lambda: not alive(pid))


def wait_for(path: Path) -> str:
    def written() -> bool:
        return path.exists() and path.read_text(encoding="utf-8").endswith("\n")

    until(f"{path} is written", written)
    return path.read_text(encoding="utf-8")


def test_each_line_stands_under_the_name_of_its_step(tmp_path: Path) -> None:
    # Each waits for the other: they do run side by side.
    one = f"mkfifo {tmp_path}/pipe; echo begun; cat {tmp_path}/pipe"
    pipe = tmp_path / "pipe"
    two = f"while [ ! -p {pipe} ]; do sleep 0.02; done; echo hello >{pipe}; echo oh >&2"
    done = lanes("long one", one, "two", two, "silent", "true")
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if "done after" not in line] == [
        "long one begun",
        *sorted(["long one hello", "     two oh"], key=done.stderr.index),
    ]
    assert "long one · done after" in done.stderr
    assert "silent" not in done.stderr  # nothing to do, nothing to say


def test_the_first_failure_ends_the_others(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    endless = f"sleep {LONG_SECONDS} & echo $! >{note}; wait"
    failing = f"while [ ! -s {note} ]; do sleep 0.02; done; echo broken; exit 7"
    done = lanes("endless", endless, "failing", failing)
    assert done.returncode == 7
    assert "failing broken" in done.stderr
    assert "failing failed with status 7" in done.stderr
    wait_until_gone(int(note.read_text(encoding="utf-8")))


def test_an_interrupt_ends_all(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), "endless", f"sleep {LONG_SECONDS} & echo $! >{note}; wait"]
    )
    child = int(wait_for(note))
    assert alive(child)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(120) == 130
    wait_until_gone(child)
