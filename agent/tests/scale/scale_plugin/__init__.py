"""A system small enough to have every fault that an agent must live with; found like any other."""

import os
import select
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

from weighhouse_protocol.faults import Fault
from weighhouse_protocol.report import Setting
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import BinaryMissing, NotReady
from weighhouse_sdk.lifecycle import (
    Deployed,
    Description,
    FaultDone,
    Installed,
    MemoryUse,
    Plugin,
    Ready,
    Sample,
)
from weighhouse_sdk.machine.nodes import Node
from weighhouse_sdk.machine.process import Command
from weighhouse_sdk.machine.resource_usage import process_usage
from weighhouse_sdk.places import NodeAddress, Place
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.wire import Address

SERVER = Path(__file__).with_name("server.py")


class ScalePlugin(Plugin):
    """One process on one port."""

    kept_files = ("*.conf",)

    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        return (Installed(Path(sys.executable), "1.0"),)

    def reserve(self, context: Context) -> tuple[NodeAddress, ...]:
        numbers = context.own_nodes or range(1, context.target.topology.nodes + 1)
        host = context.options.host
        return tuple(
            NodeAddress(number, host, context.ports.hold(number, host)[0]) for number in numbers
        )

    def deploy(self, context: Context, peers: tuple[NodeAddress, ...] = ()) -> Deployed:
        behaviour = str(context.target.parameters.get("behaviour", "none"))
        if behaviour == "missing":
            raise BinaryMissing("scale-server", "scale")
        if context.target.endpoints:
            return Deployed(endpoints=context.target.endpoints, version="1.0")
        nodes = peers or self.reserve(context)
        where = tuple(Address(each.host, each.port) for each in nodes)
        own = context.own_nodes or tuple(each.number for each in nodes)
        started = [self._start(context, number, where, behaviour) for number in own]
        return Deployed(
            endpoints=tuple(f"tcp://{each.host}:{each.port}" for each in where),
            version="1.0",
            commands=tuple(node.body.line for node in started),
            nodes=tuple(started),
        )

    def _start(
        self, context: Context, number: int, where: tuple[Address, ...], behaviour: str
    ) -> Node:
        host, port = where[number - 1].host, where[number - 1].port
        name = "scale" if len(where) == 1 else f"scale-{number}"
        command = Command(
            name=name,
            arguments=(sys.executable, "-I", "-S", str(SERVER), str(port), behaviour, host),
            directory=context.data_directory / name,
            cpus=context.options.server_cpus,
        )
        command.directory.mkdir(parents=True, exist_ok=True)
        (command.directory / "scale.conf").write_text(f"behaviour {behaviour}\n")
        process = context.processes.start(command)
        process.reservation = context.ports.take(number, host, port)
        place = Place(number, name, where[number - 1], command.directory, where)
        return Node(place, process)

    def unite(self, context: Context, deployed: Deployed) -> Ready:
        if context.target.parameters.get("behaviour") == "stays_apart":
            raise NotReady("the scales do not agree", "calibrate them")
        begun = context.clock.monotonic()
        for endpoint in deployed.endpoints:
            with socket.create_connection(address(endpoint), 5.0) as connection:
                connection.sendall(b"?")
                assert connection.recv(1) == b"?"
        return Ready(context.clock.monotonic() - begun)

    def fault(self, context: Context, deployed: Deployed, fault: Fault) -> FaultDone:
        node = next(each for each in deployed.nodes if each.place.number == fault.node)
        node.down = True
        node.body.kill()
        return FaultDone(f"node {fault.node}: killed")

    def wait_ready(self, context: Context, deployed: Deployed) -> Ready:
        begun = context.clock.monotonic()
        for _ in context.attempts(context.options.ready_seconds):
            for process in deployed.processes:
                if process.exit_code is not None:
                    raise NotReady("scale ended", "look at its log", process.log_tail())
            try:
                for each in own_addresses(deployed):
                    with socket.create_connection(each, 1.0) as connection:
                        connection.sendall(b"?")
                        assert connection.recv(1) == b"?"
            except OSError:
                continue
            return Ready(context.clock.monotonic() - begun)
        raise NotReady("scale does not answer")

    def describe(self, context: Context, deployed: Deployed) -> Description:
        if context.target.parameters.get("behaviour") == "stuck":
            while True:  # deaf to cancel and deadline, as a plugin with a fault may be
                select.select([], [], [], 60.0)
        return Description(
            os.environ.get("SCALE_VERSION", "1.0"),
            (Setting(name="behaviour", value="none"),),
            deployed.commands,
        )

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


def own_addresses(deployed: Deployed) -> list[tuple[str, int]]:
    own = [(node.place.address.host, node.place.address.port) for node in deployed.nodes]
    return own or [address(each) for each in deployed.endpoints]


def address(endpoint: str) -> tuple[str, int]:
    parts = urlsplit(endpoint)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


PLUGIN = ScalePlugin(packaged_manifest("scale_plugin"))
