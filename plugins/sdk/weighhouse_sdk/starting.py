"""Starts the nodes of a server, and waits until they are a system."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from weighhouse_protocol.base import Scalar

from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed, NotReady, PluginError
from weighhouse_sdk.hosting import Hosting, how_ended
from weighhouse_sdk.lifecycle import Deployed, FaultDone, Installed
from weighhouse_sdk.nodes import Body, Node, Place
from weighhouse_sdk.process import Reservation
from weighhouse_sdk.wire import Address, ReplyError

UNREADABLE = (OSError, ReplyError, ValueError)
"""How a server's silence shows."""


class Starting(Hosting):
    """What happens between `deploy` and ready, and when a node is brought back."""

    defaults_stay: ClassVar[bool] = False
    """Whether the vendor's defaults are asked once for each version, as a start is slow."""
    _defaults: ClassVar[dict[str, dict[str, str]]] = {}

    def _places(self, context: Context) -> list[tuple[Place, Reservation | None]]:
        """Where the nodes are to live; a single one works in the data directory itself."""
        topology, options = context.target.topology, context.options
        # A fixed port is not reserved: when it is taken, the server's own log shall say so.
        held = [
            None if options.port is not None and index == 0 else Reservation(options.host)
            for index in range(topology.nodes)
        ]
        peers = [
            Reservation(options.host) if self.needs_peer_port(topology) else None for _ in held
        ]
        addresses = self.spread(
            tuple(Address(options.host, each.port if each else options.port or 0) for each in held)
        )
        peer_addresses = tuple(
            Address(address.host, peer.port)
            for address, peer in zip(addresses, peers, strict=True)
            if peer
        )
        single = topology.nodes == 1
        return [
            (
                Place(
                    number=number,
                    name=self.manifest.id if single else f"{self.manifest.id}-{number}",
                    address=address,
                    directory=context.data_directory / ("" if single else f"node-{number}"),
                    addresses=addresses,
                    replication_factor=topology.replication_factor,
                    peer_port=peer.port if peer else None,
                    peer_addresses=peer_addresses,
                ),
                _both(reservation, peer),
            )
            for number, (address, reservation, peer) in enumerate(
                zip(addresses, held, peers, strict=True), 1
            )
        ]

    def _start(
        self,
        context: Context,
        executable: Path,
        place: Place,
        reservation: Reservation | None,
        parameters: Mapping[str, Scalar] | None = None,
    ) -> Body:
        wanted = context.target.parameters if parameters is None else parameters
        try:
            place.directory.mkdir(parents=True, exist_ok=True)
            if context.data_directory in place.directory.parents:
                # The servers' users have to walk through it.
                context.data_directory.chmod(0o711)
            self.prepare(wanted, place)
            return self._run(context, executable, place, wanted, reservation)
        except PluginError:
            if reservation:
                reservation.release()
            raise

    def _run(
        self,
        context: Context,
        executable: Path,
        place: Place,
        parameters: Mapping[str, Scalar],
        reservation: Reservation | None,
    ) -> Body:
        body = self._host(context, executable, place, parameters)
        body.reservation = reservation
        return body

    def _bring_back(self, context: Context, deployed: Deployed, node: Node) -> FaultDone:
        """Start a node again where it was, with its data, and wait until it serves."""
        number = node.place.number
        if node.body.exit_code is None and not node.down:
            return FaultDone(f"node {number}: was up already")
        begun_at = context.clock.monotonic()
        if node.body.exit_code is not None:
            executable = self.check_host(context.target, context.options).executable
            held = node.body.reservation
            node.body = self._run(context, executable, node.place, context.target.parameters, held)
            context.network.enrol(node)
        node.paused = False
        # Not missed before it has served: a node that does not come back is a result.
        self._await(context, node.body, node.place.address)
        node.down = False
        if len(deployed.nodes) > 1:
            self._await_union(context, deployed)
        seconds = context.clock.monotonic() - begun_at
        return FaultDone(f"node {number}: serves again after {seconds:.1f} s")

    def _vendor_settings(self, context: Context, installed: Installed) -> dict[str, str]:
        target = context.target
        key = " ".join(map(str, (installed, target.deployment, target.image, target.limits)))
        if self.defaults_stay and key in self._defaults:
            return dict(self._defaults[key])
        reservation = Reservation(context.options.host)
        address = Address(context.options.host, reservation.port)
        directory = context.scratch_directory / "defaults"
        place = Place(1, "defaults", address, directory, (address,))
        body = self._start(context, installed.executable, place, reservation, {})
        try:
            self._await(context, body, address)
            found = self.settings(address, self.ask_seconds)
        except UNREADABLE as error:
            raise DeployFailed(
                f"{self.manifest.name} does not tell its defaults: {error}",
                "the version may be one that the plugin does not know",
                body.log_tail(),
            ) from error
        finally:
            body.stop(grace_seconds=0)  # It holds nothing worth an orderly end.
            shutil.rmtree(directory, ignore_errors=True)
        for name, default in self.places.items():
            found.pop(name, None)
            if default is not None:
                found[name] = default
        self._defaults[key] = dict(found)
        return found

    def _await(self, context: Context, body: Body, address: Address) -> None:
        limit = max(context.options.ready_seconds, self.ready_floor_seconds)
        last: Exception | None = None
        for _ in context.attempts(limit):
            if body.exit_code is not None:
                raise NotReady(
                    f"{self.manifest.name} {how_ended(body)} before it was ready",
                    "its last lines tell why",
                    body.log_tail(),
                )
            try:
                pid = self.serving_process(address, min(self.ask_seconds, limit))
            except UNREADABLE as error:
                last = error
                continue
            if pid in body.pids:
                return
            last = ReplyError(f"process {pid} answers in its place" if pid else "still loading")
        raise NotReady(
            f"{self.manifest.name} was not ready after {limit:g} s: {last}",
            "its log tells what it was doing",
            body.log_tail(),
        )

    def _await_external(self, context: Context, deployed: Deployed) -> None:
        last: Exception | None = None
        for _ in context.attempts(context.options.ready_seconds, every_seconds=0.2):
            try:
                for address in addresses_of(context, deployed):
                    self.version_served(address, self.ask_seconds)
            except UNREADABLE as error:
                last = error
                continue
            return
        raise NotReady(
            f"{self.manifest.name} does not answer at {', '.join(deployed.endpoints)}: {last}",
            "look at the addresses, at the firewall, and at the credentials",
        )

    def _unite(self, context: Context, deployed: Deployed) -> None:
        places = [node.place for node in deployed.nodes]
        limit = max(context.options.ready_seconds, self.ready_floor_seconds)
        last: Exception | None = None
        for _ in context.attempts(limit, every_seconds=0.1):
            try:
                self.join(places, self.ask_seconds)
            except UNREADABLE as error:
                last = error
                continue
            self._await_union(context, deployed)
            return
        raise NotReady(
            f"the nodes of {self.manifest.name} could not be joined in {limit:g} s: {last}",
            "their logs tell more",
            [line for node in deployed.nodes for line in node.body.log_tail(5)],
        ) from last

    def _await_union(self, context: Context, deployed: Deployed) -> None:
        limit = max(context.options.ready_seconds, self.ready_floor_seconds)
        up = [node.place for node in deployed.nodes if not (node.down or node.paused)]
        missing: str | None = None
        for _ in context.attempts(limit, every_seconds=0.1):
            ended = deployed.ended_by_itself()
            if ended is not None:
                missing = f"{ended.name} {how_ended(ended)}"
                break
            try:
                missing = self.missing(up, self.ask_seconds)
            except UNREADABLE as error:
                missing = str(error)
            if missing is None:
                return
        raise NotReady(
            f"the nodes of {self.manifest.name} were not one system after {limit:g} s: {missing}",
            "their logs tell more",
            [line for node in deployed.nodes for line in node.body.log_tail(5)],
        )


def _both(client: Reservation | None, peer: Reservation | None) -> Reservation | None:
    if client is None:
        return peer
    client.beside = peer
    return client


def addresses_of(context: Context, deployed: Deployed) -> tuple[Address, ...]:
    """Where clients reach the system, with what it wants to see of them."""
    found = []
    for endpoint in deployed.endpoints:
        scheme, _, rest = endpoint.partition("://")
        host, _, port = rest.rpartition(":")
        shown = context.credentials()
        found.append(Address(host.strip("[]"), int(port), shown, tls=scheme == "tls"))
    return tuple(found)
