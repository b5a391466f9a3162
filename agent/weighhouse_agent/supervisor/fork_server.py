"""Starts the processes of attempts quickly: a process that has imported everything, and forks.

Python and its libraries take some 0.4 s of a core to load, which is much beside a run of two
seconds. This process loads them once, does nothing else, has one thread, and forks a child for
each attempt, in a session of its own. It ends with the agent, at the end of its standard input;
its children go on.

Protocol: first one line, the inventory. Then for each line `{"verb": "start" | "clean",
"directory": …}` one line `{"pid": …}`; an attempt's process is on record by then.
"""

import contextlib
import gc
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from pydantic import BaseModel, ConfigDict
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.text import seen
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.driver import describe_driver
from weighhouse_sdk.errors import PluginError
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.registry import Admit, discover, everybody
from weighhouse_sdk.toolrun.tool import Tool

from weighhouse_agent.attempt.process import attempt_process, clean, ignore, versions
from weighhouse_agent.machine.home import SECRET, AttemptDirectory, make_passable, write_atomically
from weighhouse_agent.machine.policy import PolicyFile
from weighhouse_agent.machine.third_parties import admitted_by

FAULT = 70
LONGEST_REASON = 500


class Inventory(BaseModel):
    """What is installed on this machine."""

    model_config = ConfigDict(frozen=True)

    manifests: tuple[Manifest, ...] = ()
    broken: dict[str, str] = {}
    """Plugin → what is wrong with it."""
    absent: dict[str, str] = {}
    """Driver or load tool that is not on this machine → what is missing, and how to get it."""
    versions: dict[str, str] = {}


class Exit(BaseModel):
    """How an attempt's process ended: `exit.json`."""

    model_config = ConfigDict(frozen=True)

    status: int
    """Exit status; negative for a signal."""


def take_inventory(admit: Admit = everybody) -> Inventory:
    """Load every plugin, and find out which version each driver and load tool has.

    :param admit: what has to let each pass.
    """
    plugins, broken = discover(admit)
    found: dict[str, str] = {}
    absent: dict[str, str] = {}
    for plugin_id, plugin in plugins.items():
        found.update(versions(plugin_id))
        driver = plugin.manifest.driver.id
        if f"driver {driver}" in found or driver in absent:
            continue
        try:
            found[f"driver {driver}"] = _driver_version(plugin)
        except PluginError as error:
            absent[driver] = f"{error.message}; {error.hint}"
    return Inventory(
        manifests=tuple(plugin.manifest for plugin in plugins.values()),
        broken={name: _reason(error) for name, error in broken.items()},
        absent=absent,
        versions=found,
    )


def _reason(error: PluginError) -> str:
    """What a policy refuses is told with its mend, which is for whoever keeps the machine."""
    told = f"{error.message}; {error.hint}" if error.kind == "policy" else error.message
    return seen(told)[:LONGEST_REASON]


def _driver_version(plugin: Plugin | Tool) -> str:
    """Of what makes the load. A tool is asked in this process: its program would load all of this
    again, for a second of processor time.

    :raises PluginError: when it is not there, or does not answer.
    """
    if isinstance(plugin, Tool):
        return plugin.find_versions(HostOptions())[0].version
    return describe_driver(plugin.manifest.driver.id).version


Recorded = Callable[[], None]
Work = Callable[[AttemptDirectory, Recorded], int]


def _clean(directory: AttemptDirectory, recorded: Recorded) -> int:
    recorded()
    return clean(directory)


WORK: Mapping[str, Work] = {"start": attempt_process, "clean": _clean}


@dataclass
class ForkServer:
    """Forks children and notes how they end.

    :param output: descriptor that a child must not keep open.
    """

    output: int
    children: dict[int, AttemptDirectory | None] = field(default_factory=dict)
    """Pid → the attempt that it carries out; None: it cleans up after one."""

    def reap(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        """Note how children ended; called on SIGCHLD."""
        while self.children:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            place = self.children.pop(pid, None)
            if place is None or place.outcome.exists():
                continue
            ended = Exit(status=os.waitstatus_to_exitcode(status))
            with contextlib.suppress(OSError):  # it was delivered and removed, or the disk is full
                write_atomically(place.exit, ended.model_dump_json())

    def fork(self, directory: AttemptDirectory, work: Work) -> int:
        """Start a child, and wait until it has put itself on record.

        :returns: its pid.
        """
        make_passable(directory.logs)
        reading, writing = os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        pid = os.fork()
        if pid == 0:
            os.close(self.output)
            os.close(reading)
            os._exit(_child(directory, work, writing))
        self.children[pid] = directory if work is attempt_process else None
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        os.close(writing)
        os.read(reading, 1)
        os.close(reading)
        return pid


def _child(directory: AttemptDirectory, work: Work, writing: int) -> int:
    """The life of a child: it has nothing of the fork server's but its memory."""
    status = FAULT
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        nothing = os.open(os.devnull, os.O_RDONLY)
        log = os.open(directory.own_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, SECRET)
        os.dup2(nothing, 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.close(nothing)
        os.close(log)
        status = work(directory, lambda: os.close(writing))
    except BaseException:  # noqa: BLE001 - the last one who can say so
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def main() -> None:
    """Serve until standard input ends. The one argument is the machine's policy file."""
    admit = admitted_by(PolicyFile(Path(sys.argv[1])).read)
    output = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    output.write(take_inventory(admit).model_dump_json() + "\n")
    server = ForkServer(output.fileno())
    # Ctrl-C and the end of the agent reach its whole group; the agent decides what follows.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, ignore)
    signal.signal(signal.SIGCHLD, server.reap)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        pid = server.fork(AttemptDirectory(Path(order["directory"])), WORK[order["verb"]])
        output.write(json.dumps({"pid": pid}) + "\n")


if __name__ == "__main__":
    main()
