"""A system small enough to have every fault that an agent must live with; found like any other."""

import select
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

from weighhouse_protocol.report import Setting
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import BinaryMissing, NotReady
from weighhouse_sdk.lifecycle import (
    Deployed,
    Description,
    Installed,
    MemoryUse,
    Plugin,
    Ready,
    Sample,
)
from weighhouse_sdk.machine.nodes import Node
from weighhouse_sdk.machine.process import Command, Reservation
from weighhouse_sdk.machine.sampling import process_usage
from weighhouse_sdk.places import NodeAddress, Place
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.wire import Address

SERVER = Path(__file__).with_name("server.py")


class ScalePlugin(Plugin):
    """One process on one port."""

    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        return (Installed(Path(sys.executable), "1.0"),)

    def deploy(self, context: Context, peers: tuple[NodeAddress, ...] = ()) -> Deployed:
        behaviour = str(context.target.parameters.get("behaviour", "none"))
        if behaviour == "missing":
            raise BinaryMissing("scale-server", "scale")
        if context.target.endpoints:
            return Deployed(endpoints=context.target.endpoints, version="1.0")
        held = Reservation(context.options.host)
        command = Command(
            name="scale",
            arguments=(sys.executable, "-I", "-S", str(SERVER), str(held.port), behaviour),
            directory=context.data_directory,
            cpus=context.options.server_cpus,
        )
        process = context.processes.start(command)
        process.reservation = held
        where = Address(context.options.host, held.port)
        place = Place(1, "scale", where, context.data_directory, (where,))
        return Deployed(
            endpoints=(f"tcp://{context.options.host}:{held.port}",),
            version="1.0",
            commands=(command.line,),
            nodes=(Node(place, process),),
        )

    def wait_ready(self, context: Context, deployed: Deployed) -> Ready:
        begun = context.clock.monotonic()
        for _ in context.attempts(context.options.ready_seconds):
            for process in deployed.processes:
                if process.exit_code is not None:
                    raise NotReady("scale ended", "look at its log", process.log_tail())
            try:
                with socket.create_connection(address(deployed), 1.0) as connection:
                    connection.sendall(b"?")
                    if connection.recv(1) == b"?":
                        return Ready(context.clock.monotonic() - begun)
            except OSError:
                continue
        raise NotReady("scale does not answer")

    def describe(self, context: Context, deployed: Deployed) -> Description:
        if context.target.parameters.get("behaviour") == "stuck":
            while True:  # deaf to cancel and deadline, as a plugin with a fault may be
                select.select([], [], [], 60.0)
        return Description("1.0", (Setting(name="behaviour", value="none"),), deployed.commands)

    def sample(self, context: Context, deployed: Deployed, driver_pid: int | None = None) -> Sample:
        usage = process_usage(deployed.processes[0].pid) if deployed.processes else None
        return Sample(
            at_us=context.clock.now_us(),
            cpu_seconds=usage.cpu_seconds if usage else None,
            resident_bytes=usage.resident_bytes if usage else None,
            metrics={"weights": 12.0},
        )

    def memory(
        self, context: Context, deployed: Deployed, driver_pid: int | None = None
    ) -> MemoryUse:
        return MemoryUse(resident_bytes=self.sample(context, deployed).resident_bytes)


def address(deployed: Deployed) -> tuple[str, int]:
    parts = urlsplit(deployed.endpoints[0])
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


PLUGIN = ScalePlugin(packaged_manifest("scale_plugin"))
