"""Runs steps of an installation side by side, each line under the name of its step.

usage: lanes.py NAME COMMAND [NAME COMMAND]…      COMMAND is for bash

When one fails the others are ended, and its exit status is this program's; Ctrl-C ends all.
Python's standard library alone: this runs before anything is installed.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from types import FrameType

END_SECONDS = 10.0
LOOK_SECONDS = 0.05
INTERRUPTED = 130


class Lane:
    """One step under way; its process group is its own."""

    def __init__(self, name: str, command: str, width: int) -> None:
        self.name = name
        self.spoke = False
        self._width = width
        self._began = time.monotonic()
        self._process = subprocess.Popen(
            ["bash", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def say(self, line: str) -> None:
        """One line, under the step's name; written at once, so that lines stay whole."""
        os.write(2, f"{self.name:>{self._width}} {line}\n".encode())

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        for line in self._process.stdout:
            self.spoke = True
            self.say(line.decode(errors="replace").rstrip())

    def end(self) -> None:
        """End it and all that it started."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, number)
                self._process.wait(END_SECONDS)
            except ProcessLookupError:
                return
            except subprocess.TimeoutExpired:
                continue

    def status(self) -> int | None:
        """How it ended; None while it goes on."""
        status = self._process.poll()
        if status is None:
            return None
        self._reader.join(END_SECONDS)
        if self.spoke and status == 0:
            self.say(f"· done after {time.monotonic() - self._began:.0f} s")
        return status


def run(steps: list[tuple[str, str]], interrupted: threading.Event) -> int:
    """Run all to their end, to the first failure, or until interrupted.

    :param steps: name and command of each.
    :returns: 0, or the exit status of the first that failed.
    """
    width = max(len(name) for name, _ in steps)
    under_way = [Lane(name, command, width) for name, command in steps]
    try:
        while under_way:
            if interrupted.wait(LOOK_SECONDS):
                return INTERRUPTED
            for lane in list(under_way):
                status = lane.status()
                if status is None:
                    continue
                under_way.remove(lane)
                if status != 0:
                    lane.say(f"failed with status {status}; ending the others")
                    return status
    finally:
        for lane in under_way:
            lane.end()
    return 0


def main() -> None:
    """Run what the arguments say."""
    interrupted = threading.Event()

    # No exception: it might arise between a step's start and the moment it is known.
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        interrupted.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    words = sys.argv[1:]
    sys.exit(run(list(zip(words[::2], words[1::2], strict=True)), interrupted))


if __name__ == "__main__":
    main()
