"""The agent's end of the fork server: asks it to start processes, starts it again when it died."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

import structlog
from weighhouse_sdk.machine.procfs import process_stat, wait_for_end

from weighhouse_agent.machine.home import AttemptDirectory
from weighhouse_agent.supervisor.fork_server import Inventory

LOG = structlog.get_logger("weighhouse_agent")
END_SECONDS = 5.0
CLEAN_SECONDS = 60.0


class ForkServerBroken(Exception):
    """The process that starts attempts ends again and again."""


class Starter:
    """Starts the processes of attempts. Safe to use from several threads.

    :param policy: the machine's policy file, which says whose plugins are loaded.
    """

    def __init__(self, policy: Path) -> None:
        self._policy = policy
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._inventory = Inventory()

    def inventory(self) -> Inventory:
        """What is installed on this machine; as of the fork server's start.

        :raises ForkServerBroken: when it cannot be had.
        """
        with self._lock:
            self._running()
            return self._inventory

    def start(self, directory: AttemptDirectory) -> None:
        """Begin an attempt. When this returns, its process is on record, or has ended. Repeatable:
        while one process carries the attempt out, another one ends at once.

        :raises ForkServerBroken: when no process can be started.
        """
        self._ask("start", directory)

    def clean(self, directory: AttemptDirectory) -> bool:
        """Remove what an attempt left that died; blocks until that is done. Idempotent.

        :returns: whether it was done in time.
        :raises ForkServerBroken: when no process can be started.
        """
        pid = self._ask("clean", directory)
        wait_for_end(pid, CLEAN_SECONDS)
        stat = process_stat(pid)
        return stat is None or not stat.alive

    def close(self) -> None:
        """End the fork server; attempts go on. Idempotent."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _end(process)

    def _ask(self, verb: str, directory: AttemptDirectory) -> int:
        line = json.dumps({"verb": verb, "directory": str(directory.path.absolute())}) + "\n"
        with self._lock:
            for _ in range(2):
                process = self._running()
                try:
                    _pipe(process.stdin).write(line)
                    _pipe(process.stdin).flush()
                    answer = _pipe(process.stdout).readline()
                except BrokenPipeError:
                    answer = ""
                if answer:
                    return int(json.loads(answer)["pid"])
                LOG.warning("the fork server ended; starting it again", status=process.poll())
                self._process = None
                _end(process)
        raise ForkServerBroken("the fork server ended twice")

    def _running(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        process = subprocess.Popen(
            [sys.executable, "-m", "weighhouse_agent.supervisor.fork_server", self._policy],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        line = _pipe(process.stdout).readline()
        if not line:
            _end(process)
            raise ForkServerBroken(f"the fork server ended with {process.returncode} as it started")
        self._inventory = Inventory.model_validate_json(line)
        self._process = process
        return process


def _pipe(pipe: IO[str] | None) -> IO[str]:
    if pipe is None:
        raise ForkServerBroken("no pipe")
    return pipe


def _end(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                LOG.debug("the fork server was gone")
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
