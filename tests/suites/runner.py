"""Runs suites side by side, each with a temporary directory, output and account of its own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from suites.record import Told
from suites.table import Suite

END_SECONDS = 20.0
SILENT_SECONDS = 1800.0
"""A suite that has not said a word for so long is ended: whatever it waits for does not come."""
TELL_SECONDS = 60.0
LOOK_SECONDS = 0.2
ANSI = re.compile(r"\x1b\[[0-9;]*m")
PASSED = {
    "pytest": re.compile(r"^(?:[0-9]+ [a-z]+, )*([0-9]+) passed", re.MULTILINE),
    "cargo": re.compile(r"^test result: \w+\. ([0-9]+) passed", re.MULTILINE),
    "vitest": re.compile(r"^ *Tests +(?:[0-9]+ failed \| )?([0-9]+) passed", re.MULTILINE),
}
RED = {
    "pytest": re.compile(r"^(?:FAILED|ERROR) (\S.*)$", re.MULTILINE),
    "cargo": re.compile(r"^---- (\S+) stdout ----$", re.MULTILINE),
    "vitest": re.compile(r"^ *FAIL +(\S.*)$", re.MULTILINE),
}

ATTENDED = (sys.executable, "-I", str(Path(__file__).with_name("attended.py")))
"""Before a command: what it leaves behind is ended, and counted with it."""
TIMES = "WEIGHHOUSE_TEST_TIMES"
"""Where pytest writes what each file of tests took (weighhouse_testing.fixtures)."""

Tell = Callable[[str], None]


def passed_tests(counts: str, output: str) -> int:
    """How many tests an output says to have passed.

    :param counts: pytest, cargo or vitest; empty: none are counted.
    """
    if not counts:
        return 0
    return sum(int(number) for number in PASSED[counts].findall(ANSI.sub("", output)))


def red_tests(counts: str, output: str) -> list[str]:
    """The tests that an output says to be red, each once, as their runner calls them.

    :param counts: pytest, cargo or vitest; empty: there are none to name.
    """
    if not counts:
        return []
    return list(dict.fromkeys(RED[counts].findall(ANSI.sub("", output))))


@dataclass
class Running:
    """One suite under way, in a process group of its own."""

    suite: Suite
    folder: Path
    environment: Mapping[str, str]
    began: float = field(default_factory=time.monotonic)
    heard: float = field(default_factory=time.monotonic)
    silenced: bool = False
    _size: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir()
        # Servers of tests run as accounts of their own, and pass through.
        self.folder.chmod(0o711)
        self.output = self.folder.with_suffix(".log")
        with self.output.open("wb") as sink:
            self.process = subprocess.Popen(
                ["nice", "-n", str(self.suite.niceness), *ATTENDED, *self.suite.command],
                stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT,
                env={
                    **self.environment,
                    "TMPDIR": str(self.folder),
                    TIMES: str(self.folder.with_suffix(".json")),
                },
                start_new_session=True,
            )  # fmt: skip

    def ended(self) -> Told | None:
        """What it took, once it has ended; None while it goes on."""
        pid, status, used = os.wait4(self.process.pid, os.WNOHANG)
        if not pid:
            self._watch()
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        tests = passed_tests(self.suite.counts, self.text())
        green = self.process.returncode == 0 and (tests > 0 or not self.suite.counts)
        return Told(
            self.suite.name, green, tests,
            round(time.monotonic() - self.began, 1), round(used.ru_utime + used.ru_stime, 1),
        )  # fmt: skip

    def text(self) -> str:
        """All that it said."""
        return self.output.read_text(encoding="utf-8", errors="replace")

    def times(self) -> dict[str, float]:
        """File of tests → what it took; empty where nothing was told."""
        try:
            told: dict[str, float] = json.loads(self.folder.with_suffix(".json").read_bytes())
        except (OSError, ValueError):
            return {}
        return told

    def _watch(self) -> None:
        size = self.output.stat().st_size
        if size != self._size:
            self._size, self.heard = size, time.monotonic()
        elif time.monotonic() - self.heard > SILENT_SECONDS and not self.silenced:
            self.silenced = True
            with self.output.open("a", encoding="utf-8") as sink:
                sink.write(f"\nended: it has not said a word for {SILENT_SECONDS:.0f} s\n")
            self.end()

    def end(self) -> None:
        """End it and all that it started."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                return
            deadline = time.monotonic() + END_SECONDS
            while time.monotonic() < deadline and _there(self.process.pid):
                time.sleep(LOOK_SECONDS)


def _there(group: int) -> bool:
    """Whether anything of a process group still runs; what only waits to be reaped does not."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, told = path.read_text(encoding="utf-8", errors="replace").rpartition(") ")
        except OSError:
            continue
        state, _, of_group, *_ = told.split()
        if int(of_group) == group and state != "Z":
            return True
    return False


def say(text: str) -> None:
    """Tell whoever waits."""
    print(text, flush=True)


def whose_turn(waiting: Sequence[Suite], running: Sequence[Suite], at_once: int) -> Suite | None:
    """The suite that begins now; None: all places are taken.

    A check has a place beside the tests, and computes what they leave, which wait for servers now
    and then; it has no clock that would notice. When no tests wait, checks take every free place.
    """
    tests = sum(not each.check for each in running)
    checks = len(running) - tests
    tests_wait = any(not each.check for each in waiting)
    for suite in waiting:
        if suite.check:
            free = checks == 0 or (not tests_wait and len(running) < at_once)
        else:
            free = tests < at_once
        if free:
            return suite
    return None


def run(
    suites: Sequence[Suite],
    environment: Mapping[str, str],
    at_once: int,
    interrupted: threading.Event,
    tell: Tell = say,
    files: dict[str, float] | None = None,
    red: dict[str, str] | None = None,
) -> list[Told]:
    """Run suites, so many at once, in the order given; each one's output is told when it ends.

    :param environment: of all; each gets a `TMPDIR` of its own, removed when all have ended.
    :param at_once: how many run beside each other (`whose_turn`).
    :param files: gets the seconds of each file of tests.
    :param red: gets all that a suite said that is red.
    :param interrupted: set by somebody who wants all to end.
    :returns: in the order in which they ended; fewer than suites when interrupted.
    """
    waiting, running, done = list(suites), list[Running](), list[Told]()
    work = Path(tempfile.mkdtemp(prefix="weighhouse-run-"))
    work.chmod(0o711)
    told_at = time.monotonic()
    try:
        while (waiting or running) and not interrupted.wait(LOOK_SECONDS):
            beside = [each.suite for each in running]
            while (suite := whose_turn(waiting, beside, at_once)) is not None:
                waiting.remove(suite)
                beside.append(suite)
                running.append(Running(suite, work / str(len(suites) - len(waiting)), environment))
                tell(f"· {suite.name} begins")
                told_at = time.monotonic()
            for each in list(running):
                if (ended := each.ended()) is not None:
                    running.remove(each)
                    if files is not None:
                        files |= each.times()
                    if red is not None and not ended.passed:
                        red[each.suite.name] = each.text()
                    done.append(ended)
                    _tell_end(each, ended, tell)
                    told_at = time.monotonic()
            if running and time.monotonic() - told_at > TELL_SECONDS:
                told_at = time.monotonic()
                tell("· under way: " + ", ".join(
                    f"{each.suite.name} ({told_at - each.began:.0f} s)" for each in running
                ))  # fmt: skip
    finally:
        for each in running:
            each.end()
        shutil.rmtree(work, ignore_errors=True)
    return done


def _tell_end(running: Running, told: Told, tell: Tell) -> None:
    suite = running.suite
    word = "passed" if told.passed else "FAILED"
    tests = f", {told.tests} tests" if suite.counts else ""
    tell(f"\n== {told.name}: {word}{tests}, {told.seconds:.0f} s, {told.computed:.0f} computed")
    if suite.counts or not told.passed:
        tell(running.text().rstrip())
    if not told.passed and suite.advice:
        tell(f"→ {suite.name}: {suite.advice}")


def stop_on_signals() -> threading.Event:
    """An event that Ctrl-C and whoever ends the program set."""
    interrupted = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: interrupted.set())
    return interrupted


def default_at_once() -> int:
    """One more than there are processors: tests wait for servers as often as they compute."""
    return (len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1) + 1
