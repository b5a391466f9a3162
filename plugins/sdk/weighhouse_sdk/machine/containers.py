"""Runs the nodes of a deployment as containers, and finds them again after a crash.

A container is a process with another root directory: it is on the host's network, its data lies
in the node's own directory under the same path, and its program is started with the arguments
that a process deployment would have, not by the image's entry point.
"""

import contextlib
import json
import math
import os
import pwd
import resource
import shlex
from pathlib import Path

from docker.models import containers as library
from docker.types import LogConfig, Mount, Ulimit
from weighhouse_protocol.target import Limits

from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.machine import launch
from weighhouse_sdk.machine.container import NANO, Container, remove
from weighhouse_sdk.machine.images import NOBODY, Engine, Image
from weighhouse_sdk.machine.limits import MEBIBYTE
from weighhouse_sdk.machine.process import Command, first_user
from weighhouse_sdk.machine.procfs import process_stat
from weighhouse_sdk.machine.remains import Leftover

DIRECTORY_LABEL = "weighhouse.directory"
NODE_LABEL = "weighhouse.node"


class Containers:
    """The containers of one context.

    :param records: directory of the records, made when it is not there.
    :param directory: the context's own, which labels its containers.
    :param logs: where their output goes when they are removed.
    """

    def __init__(self, records: Path, directory: Path, logs: Path, engine: Engine) -> None:
        self._records = records
        self._directory = directory
        self._logs = logs
        self.engine = engine

    def start(self, command: Command, image: str, limits: Limits) -> Container:
        """Start a container; one of the same name that has ended gives way, with its log kept.

        :param command: its first argument is a program of the image, by path or name.
        :param image: with its tag.
        :raises ImageMissing: when the image is not there.
        :raises DeployFailed: when the engine refuses, or does not answer.
        """
        found = self.engine.image(image)
        command.directory.mkdir(parents=True, exist_ok=True)
        owner = _owner(command)
        log = self._logs / f"{command.name}.log"
        self._records.mkdir(parents=True, exist_ok=True)
        record = self._records / f"{command.name}.json"
        launch.record(record, {"name": command.name, "docker_host": self.engine.address})
        for handle in self._labelled(self.engine):
            if handle.labels.get(NODE_LABEL) == command.name and handle.status != "running":
                remove(self.engine, handle, log)
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        memory = limits.memory_mebibytes
        with self.engine.told(f"container {command.name} could not be made"):
            handle = self.engine.client.containers.create(
                found.id,
                entrypoint=[command.arguments[0]],
                command=list(command.arguments[1:]),
                labels={DIRECTORY_LABEL: str(self._directory), NODE_LABEL: command.name},
                network_mode="host",
                mounts=[Mount(str(command.directory), str(command.directory), type="bind")],
                working_dir=str(command.directory),
                user=owner,
                cap_drop=["ALL"],
                security_opt=["no-new-privileges"],
                cpuset_cpus=_list(command.cpus),
                mem_limit=memory * MEBIBYTE if memory else None,
                memswap_limit=memory * MEBIBYTE if memory else None,
                nano_cpus=round(limits.cpus * NANO) if limits.cpus else None,
                ulimits=[Ulimit(name="nofile", soft=files, hard=files)],
                log_config=LogConfig(type=LogConfig.types.JSON),
                stop_signal="SIGTERM",
                # An image's own check would work beside what is measured.
                healthcheck={"test": ["NONE"]},
            )
        try:
            with self.engine.told(f"container {command.name} could not be started"):
                handle.start()
        except DeployFailed:
            remove(self.engine, handle, log)
            raise
        line = _line(command, found, limits, owner)
        return Container(self.engine, handle, command, found, log, record, line)

    def leftovers(self) -> tuple[Leftover, ...]:
        """Containers labelled with this context's directory, running or not. Asks no engine when
        none is on record.

        :raises DeployFailed: when the engine of a record does not answer.
        """
        return tuple(
            _leftover(handle) for engine in self._engines() for handle in self._labelled(engine)
        )

    def remove_leftovers(self, grace_seconds: float) -> tuple[Leftover, ...]:
        """End and remove what `leftovers` finds, with its anonymous volumes; write their logs.

        :raises DeployFailed: when the engine does not answer, or refuses.
        """
        found = []
        for engine in self._engines():
            for handle in self._labelled(engine):
                found.append(_leftover(handle))
                with engine.told(f"container {handle.name} could not be stopped"):
                    if handle.status == "paused":
                        handle.unpause()
                    handle.stop(timeout=math.ceil(grace_seconds))
                remove(engine, handle, self._logs / f"{handle.labels[NODE_LABEL]}.log")
        for record in self._records.glob("*.json"):
            record.unlink()
        with contextlib.suppress(OSError):
            self._records.rmdir()
        return tuple(found)

    def _engines(self) -> list[Engine]:
        """Those that containers were asked of, by the records."""
        texts = [path.read_text(encoding="utf-8") for path in self._records.glob("*.json")]
        addresses = {str(json.loads(text)["docker_host"]) for text in texts}
        return [
            self.engine if address == self.engine.address else Engine(address)
            for address in sorted(addresses)
        ]

    def _labelled(self, engine: Engine) -> list[library.Container]:
        label = f"{DIRECTORY_LABEL}={self._directory}"
        with engine.told("the containers left over are not known"):
            found = engine.client.containers.list(
                all=True, filters={"label": [label, NODE_LABEL]}, ignore_removed=True
            )
        return sorted(found, key=lambda each: each.labels[NODE_LABEL])


def _leftover(handle: library.Container) -> Leftover:
    pid = int(handle.attrs.get("State", {}).get("Pid", 0))
    stat = process_stat(pid) if pid else None
    ticks = stat.start_ticks if stat else 0
    return Leftover(handle.labels[NODE_LABEL], pid, ticks, kind="container")


def _owner(command: Command) -> str:
    """User and group by number, for the image has names of its own; the directory is theirs."""
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        name = first_user(command.users)
        entry = pwd.getpwnam(name) if name else None
        uid, gid = (entry.pw_uid, entry.pw_gid) if entry else (NOBODY, NOBODY)
        os.chown(command.directory, uid, gid)
        command.directory.chmod(0o700)
    return f"{uid}:{gid}"


def _list(cpus: frozenset[int] | None) -> str | None:
    return ",".join(map(str, sorted(cpus))) if cpus else None


def _line(command: Command, image: Image, limits: Limits, owner: str) -> str:
    where = str(command.directory)
    words = ["docker", "run", "--network", "host", "--user", owner, "--cap-drop", "ALL"]
    words += ["--volume", f"{where}:{where}", "--workdir", where]
    if command.cpus:
        words += ["--cpuset-cpus", str(_list(command.cpus))]
    if limits.memory_mebibytes:
        size = f"{limits.memory_mebibytes}m"
        words += ["--memory", size, "--memory-swap", size]
    if limits.cpus:
        words += ["--cpus", f"{limits.cpus:g}"]
    program, *arguments = command.arguments
    return shlex.join([*words, "--entrypoint", program, image.name, *arguments])
