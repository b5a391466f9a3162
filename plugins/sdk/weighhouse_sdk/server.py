"""The shared half of plugins whose system is one server process on this machine."""

import contextlib
import shutil
import subprocess
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from weighhouse_protocol.base import Scalar

from weighhouse_sdk.configuration import explained, system_names
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import DeployFailed, NotReady, PluginError, SystemFailed
from weighhouse_sdk.lifecycle import (
    Deployed,
    Description,
    Installed,
    MemoryUse,
    Plugin,
    Ready,
    Sample,
)
from weighhouse_sdk.process import Command, Reservation, ServerProcess
from weighhouse_sdk.sampling import disk_usage, process_usage
from weighhouse_sdk.wire import Address, ReplyError

VERSION_SECONDS = 10.0
ASK_SECONDS = 2.0
"""How long a server may take over a question before and after a run."""
SAMPLE_SECONDS = 0.5
"""The same while it is measured: a busy server must not hold up the sampling."""
UNREADABLE = (OSError, ReplyError, ValueError)


class ServerPlugin(Plugin):
    """One server process with a directory of its own, listening on one TCP port of the machine.

    The vendor's defaults are not retyped here: `deploy` starts the same program for a moment
    without any parameter and asks it.
    """

    program: ClassVar[str]
    """Executable."""
    users: ClassVar[tuple[str, ...]] = ("nobody",)
    """Whom the server becomes when the agent is root: the first that exists."""
    places: ClassVar[Mapping[str, str | None]] = {}
    """Settings that say where it listens and keeps its files, which every deployment has to
    change → the vendor's default; None: there is no fixed one."""
    ready_floor_seconds: ClassVar[float] = 0.0
    """How long it is given at least until it serves, however short the operator's limit is."""

    def prepare(self, directory: Path, parameters: Mapping[str, Scalar], address: Address) -> None:
        """Write what the server reads when it starts; most read nothing.

        :param directory: the data directory, which is there; a configuration file belongs in it.
        """

    # what a system has to say

    @abstractmethod
    def version_of(self, text: str) -> str | None:
        """The version in what `PROGRAM --version` prints; None: that is another product."""

    @abstractmethod
    def arguments(self, parameters: Mapping[str, Scalar], address: Address) -> Sequence[str]:
        """The command line after the program, for the parameters an experiment set. The working
        directory is the data directory; address it as `.`, for the server's user may not be able
        to walk there.
        """

    @abstractmethod
    def serving_process(self, address: Address, timeout_seconds: float) -> int | None:
        """The process id that the server itself reports; None: it does not serve yet.

        :raises OSError, ReplyError, ValueError: when it does not answer.
        """

    @abstractmethod
    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """The effective configuration, by the system's own names.

        :raises OSError, ReplyError, ValueError: when it does not answer.
        """

    @abstractmethod
    def metrics(self, address: Address, timeout_seconds: float) -> dict[str, float]:
        """The system's own metrics, by its own names.

        :raises OSError, ReplyError, ValueError: when it does not answer.
        """

    @abstractmethod
    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:
        """What the system uses for data, out of its metrics."""

    # the verbs

    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        """The program on the search path, asked for its version."""
        executable = self.executable(self.program, options)
        try:
            answer = subprocess.run(
                [str(executable), "--version"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=True,
                timeout=VERSION_SECONDS,
            )
        except (subprocess.SubprocessError, OSError) as error:
            raise DeployFailed(
                f"{executable} --version failed: {error}", "install the program again"
            ) from error
        text = answer.stdout.decode("utf-8", errors="replace").strip()
        version = self.version_of(text)
        if version is None:
            raise DeployFailed(
                f"{executable} is not {self.manifest.name}; it says: {text[:200]}",
                f"put {self.manifest.name}'s own {self.program} first on the agent's PATH",
            )
        return (Installed(executable, version),)

    def deploy(self, context: Context) -> Deployed:
        """Ask the program for its vendor's defaults, then start it as the target wants it."""
        self.check_target(context.target)
        installed = self.check_host(context.target, context.options)
        self.clean_up(context)
        vendor = self._vendor_settings(context, installed.executable)
        context.check()
        process, address = self._start(
            context,
            installed.executable,
            self.manifest.id,
            context.data_directory,
            context.target.parameters,
        )
        return Deployed(
            endpoints=(address.endpoint,),
            version=installed.version,
            commands=(process.command.line,),
            processes=(process,),
            vendor_settings=vendor,
        )

    def wait_ready(self, context: Context, deployed: Deployed) -> Ready:
        """Wait until the server answers, and the answer comes from the very process started."""
        begun_at = context.clock.monotonic()
        self._await(context, deployed.processes[0], _address(deployed))
        return Ready(context.clock.monotonic() - begun_at)

    def describe(self, context: Context, deployed: Deployed) -> Description:
        """Ask the running server for its configuration."""
        context.check()
        try:
            effective = self.settings(_address(deployed), ASK_SECONDS)
        except UNREADABLE as error:
            raise self._failed(deployed, error) from error
        names = system_names(self.manifest)
        return Description(
            version=deployed.version,
            settings=explained(
                effective,
                deployed.vendor_settings or {},
                by_experiment={names[each] for each in context.target.parameters},
                by_plugin=self.places.keys(),
            ),
            commands=deployed.commands,
        )

    def sample(
        self,
        context: Context,
        deployed: Deployed,
        driver_pid: int | None = None,  # noqa: ARG002 - the system has a process of its own
    ) -> Sample:
        """The server's own process, as forks share its pages; metrics, unless it is too busy."""
        process = deployed.processes[0]
        usage = process_usage(process.pid)
        if usage is None:
            raise self._failed(deployed, None)
        metrics: dict[str, float] = {}
        with contextlib.suppress(*UNREADABLE):
            metrics = self.metrics(_address(deployed), SAMPLE_SECONDS)
        return Sample(
            at_us=context.clock.now_us(),
            cpu_seconds=usage.cpu_seconds,
            resident_bytes=usage.resident_bytes,
            disk_bytes=disk_usage(context.data_directory),
            metrics=metrics,
        )

    def memory(
        self,
        context: Context,
        deployed: Deployed,
        driver_pid: int | None = None,  # noqa: ARG002 - as above
    ) -> MemoryUse:
        """Resident memory by the operating system, used memory by the server."""
        usage = process_usage(deployed.processes[0].pid)
        try:
            metrics = self.metrics(_address(deployed), ASK_SECONDS)
        except UNREADABLE as error:
            raise self._failed(deployed, error) from error
        return MemoryUse(
            resident_bytes=usage.resident_bytes if usage else None,
            used_bytes=self.used_bytes(metrics),
            disk_bytes=disk_usage(context.data_directory),
        )

    # inside

    def _start(
        self,
        context: Context,
        executable: Path,
        name: str,
        directory: Path,
        parameters: Mapping[str, Scalar],
        fixed_port: bool = True,
    ) -> tuple[ServerProcess, Address]:
        port = context.options.port if fixed_port else None
        # A fixed port is not reserved: when it is taken, the server's own log shall say so.
        reservation = Reservation(context.options.host) if port is None else None
        address = Address(context.options.host, reservation.port if reservation else port or 0)
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self.prepare(directory, parameters, address)
            process = context.processes.start(
                Command(
                    name=name,
                    arguments=(str(executable), *self.arguments(parameters, address)),
                    directory=directory,
                    users=self.users,
                    cpus=context.options.server_cpus,
                )
            )
        except PluginError:
            if reservation:
                reservation.release()
            raise
        process.reservation = reservation
        return process, address

    def _vendor_settings(self, context: Context, executable: Path) -> dict[str, str]:
        directory = context.scratch_directory / "defaults"
        process, address = self._start(context, executable, "defaults", directory, {}, False)
        try:
            self._await(context, process, address)
            found = self.settings(address, ASK_SECONDS)
        except UNREADABLE as error:
            raise DeployFailed(
                f"{self.manifest.name} does not tell its defaults: {error}",
                "the version may be one that the plugin does not know",
                process.log_tail(),
            ) from error
        finally:
            process.stop(grace_seconds=0)  # It holds nothing worth an orderly end.
            shutil.rmtree(directory, ignore_errors=True)
        for name, default in self.places.items():
            found.pop(name, None)
            if default is not None:
                found[name] = default
        return found

    def _await(self, context: Context, process: ServerProcess, address: Address) -> None:
        limit = max(context.options.ready_seconds, self.ready_floor_seconds)
        last: Exception | None = None
        for _ in context.attempts(limit):
            if process.exit_code is not None:
                raise NotReady(
                    f"{self.manifest.name} ended with {process.exit_code} before it was ready",
                    "its last lines tell why",
                    process.log_tail(),
                )
            try:
                pid = self.serving_process(address, min(ASK_SECONDS, limit))
            except UNREADABLE as error:
                last = error
                continue
            if pid == process.pid:
                return
            last = ReplyError(f"process {pid} answers in its place" if pid else "still loading")
        raise NotReady(
            f"{self.manifest.name} was not ready after {limit:g} s: {last}",
            "its log tells what it was doing",
            process.log_tail(),
        )

    def _failed(self, deployed: Deployed, error: Exception | None) -> SystemFailed:
        process = deployed.processes[0]
        code = process.exit_code
        what = f"does not answer: {error}" if code is None else f"has ended with {code}"
        return SystemFailed(
            f"{self.manifest.name} {what}",
            "its last lines may tell why; a system that fails under load is a result",
            process.log_tail(),
        )


def _address(deployed: Deployed) -> Address:
    host, _, port = deployed.endpoints[0].removeprefix("tcp://").rpartition(":")
    return Address(host, int(port))
