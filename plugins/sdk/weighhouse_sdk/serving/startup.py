"""Starts the nodes of a server, and waits until they are a system."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.endpoints import parts_of
from weighhouse_protocol.target import Target

from weighhouse_sdk.announced import certified_name
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed, NotReady, PluginError, ServerUnfit
from weighhouse_sdk.lifecycle import Deployed, FaultDone, Installed
from weighhouse_sdk.machine.access import ready_directory
from weighhouse_sdk.machine.nodes import Body, Node
from weighhouse_sdk.machine.process import Reservation
from weighhouse_sdk.places import ELSEWHERE, NodeAddress, Place
from weighhouse_sdk.replies import NotYet, ReplyError, Unfit
from weighhouse_sdk.serving.exit_report import how_ended, last_words, told_by
from weighhouse_sdk.serving.hosts import Hosting
from weighhouse_sdk.wire import Address

UNREADABLE = (OSError, ReplyError, ValueError)
"""How a server's silence shows."""
EXTERNAL = "external"
SERVER_NAME = "tls_server_name"
AUTH_SOURCE = "auth_source"
"""Driver option: what the servers' certificate is for."""
DATABASE = "database"
"""Driver option: where the records are."""


class Starting(Hosting):
    """What happens between `deploy` and ready, and when a node is brought back."""

    defaults_stay: ClassVar[bool] = False
    """Whether the vendor's defaults are asked once for each version, as a start is slow."""
    _defaults: ClassVar[dict[str, dict[str, str]]] = {}

    def reserve(self, context: Context) -> tuple[NodeAddress, ...]:
        """Hold a free port of the operator's host for each own node, and a second one where its
        peers need it. The operator's fixed port is the first one's.
        """
        self.check_spread(context)
        topology, options = context.target.topology, context.options
        if context.target.deployment == EXTERNAL:
            return ()
        sharded_by_client = self.manifest.topology.by_client(context.target)
        found = []
        for index, number in enumerate(own_numbers(context)):
            port, peer_port = context.ports.hold(
                number,
                options.host,
                port=options.port if index == 0 else None,
                peer=self.needs_peer_port(topology) and not sharded_by_client,
            )
            found.append(NodeAddress(number, options.host, port, peer_port))
        return tuple(found)

    def _places(self, context: Context, all_nodes: Sequence[NodeAddress]) -> tuple[Place, ...]:
        """Where the nodes are to live; a single one works in the data directory itself."""
        topology, own = context.target.topology, own_numbers(context)
        numbers = [each.number for each in all_nodes]
        if numbers != list(range(1, topology.nodes + 1)):
            raise DeployFailed(
                f"{self.manifest.name} is to have nodes 1 to {topology.nodes}, told of: {numbers}",
                "every machine of the deployment reserves for its own nodes",
            )
        for mine in self.reserve(context):
            if all_nodes[mine.number - 1] != mine:
                told = all_nodes[mine.number - 1]
                raise DeployFailed(
                    f"node {mine.number} is said to be at {told.host}:{told.port}, but"
                    f" {mine.host}:{mine.port} is reserved for it here",
                    "hand `deploy` what `reserve` returned on each machine",
                )
        ports = tuple(Address(each.host, each.port) for each in all_nodes)
        number = database_of(context.target)
        addresses = tuple(
            each._replace(database=number) for each in self.secure(context, self.spread(ports))
        )
        peer_addresses = tuple(
            Address(address.host, each.peer_port)
            for address, each in zip(addresses, all_nodes, strict=True)
            if each.peer_port is not None
        )
        single = topology.nodes == 1
        sharded_by_client = self.manifest.topology.by_client(context.target)
        return tuple(
            Place(
                number=each.number,
                name=self.manifest.id if single else f"{self.manifest.id}-{each.number}",
                address=address,
                directory=context.data_directory / ("" if single else f"node-{each.number}")
                if each.number in own
                else ELSEWHERE,
                addresses=(address,) if sharded_by_client else addresses,
                replication_factor=topology.replication_factor,
                peer_port=each.peer_port,
                peer_addresses=peer_addresses,
                settings=context.target.settings,
            )
            for each, address in zip(all_nodes, addresses, strict=True)
        )

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
            ready_directory(place.directory)
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
        self._await(context, node.body, node.place)
        node.down = False
        if len(deployed.places) > 1:
            self._await_union(context, deployed, self._up(deployed))
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
            self._await(context, body, place)
            found = self.settings(address, self.ask_seconds)
        except UNREADABLE as error:
            self._hold_alive(body, place)
            raise DeployFailed(
                f"{self.manifest.name} does not tell its defaults: {error}",
                "the version may be one that the plugin does not know",
                body.log_tail(),
            ) from error
        finally:
            body.stop(grace_seconds=0)  # It holds nothing worth an orderly end.
            shutil.rmtree(directory, ignore_errors=True)
        for name, default in {**self.places, **self.chosen}.items():
            found.pop(name, None)
            if default is not None:
                found[name] = default
        self._defaults[key] = dict(found)
        return found

    def _await(
        self, context: Context, body: Body, place: Place, at_least_seconds: float = 0.0
    ) -> None:
        limit = max(context.options.ready_seconds, self.ready_floor_seconds, at_least_seconds)
        last: Exception | None = None
        for _ in context.attempts(limit):
            self._hold_alive(body, place)
            try:
                pid = self.serving_process(place.address, min(self.ask_seconds, limit))
            except UNREADABLE as error:
                last = error
                continue
            if pid in body.pids:
                return
            last = ReplyError(f"process {pid} answers in its place" if pid else "still loading")
        self._hold_alive(body, place)
        raise NotReady(
            f"{self.manifest.name} was not ready after {limit:g} s: {last}",
            "its log tells what it was doing",
            last_words(body, place.directory),
        )

    def _hold_alive(self, body: Body, place: Place, what: str = "") -> None:
        """Hold that a node has not ended.

        :param what: which one, where there are several.
        :raises NotReady: with its last words, whatever its exit code.
        """
        if body.exit_code is None:
            return
        words = last_words(body, place.directory)
        line = "" if body.reason() else told_by(words)
        raise NotReady(
            f"{what or self.manifest.name} {how_ended(body)} before it was ready"
            + (f": {line}" if line else ""),
            "its last lines tell why"
            if words
            else f"it left without a word; start it by hand to see more: {body.line}",
            words,
        )

    def _hold_all_alive(self, deployed: Deployed) -> None:
        """Hold that no node here has ended that was not asked to.

        :raises NotReady: with its last words.
        """
        for node in deployed.nodes:
            if node.ended_by_itself:
                self._hold_alive(node.body, node.place, node.body.name)

    def _await_external(self, context: Context, deployed: Deployed) -> None:
        """Wait for servers that are not up yet, and for nothing else: whatever else is the matter
        with one of them ends the run at its first answer.

        :raises NotReady: when one is not up in time.
        :raises ServerUnfit: when one is, and cannot be used.
        """
        last: Exception | None = None
        for _ in context.attempts(context.options.ready_seconds, every_seconds=0.2):
            try:
                for address in asked_addresses(context, deployed):
                    self.greet(address, self.ask_seconds)
            except (OSError, NotYet) as error:
                last = error
                continue
            except (ReplyError, ValueError) as error:
                raise self._unfit(address, error) from error
            return
        raise NotReady(
            f"{self.manifest.name} does not answer at {', '.join(deployed.endpoints)}: {last}",
            "look at the addresses, at the firewall, and at the credentials",
        )

    def _unfit(self, address: Address, error: Exception) -> ServerUnfit:
        """As what it ends a run that a server is there and cannot be used."""
        where, shown = f"{self.manifest.name} at {address.endpoint}", address.credentials
        if isinstance(error, Unfit):
            return error.failure(f"{where}: {error}", error.hint)
        said = shown.masked(str(error)) if shown else str(error)
        if isinstance(error, ReplyError):
            return ServerUnfit(
                f"{where} answers with an error: {said}",
                "those are the server's own words; look at its log",
            )
        return ServerUnfit(
            f"{where} answers with what is not understood ({said})",
            f"is it {self.manifest.name} that listens there, of a version that the plugin knows?",
        )

    def _unite(self, context: Context, deployed: Deployed) -> None:
        places = deployed.places
        limit = max(context.options.ready_seconds, self.ready_floor_seconds)
        last: Exception | None = None
        for _ in context.attempts(limit, every_seconds=0.1):
            self._hold_all_alive(deployed)
            try:
                self.join(places, self.ask_seconds)
            except UNREADABLE as error:
                last = error
                continue
            self._await_union(context, deployed, places)
            return
        raise NotReady(
            f"the nodes of {self.manifest.name} could not be joined in {limit:g} s: {last}",
            "their logs tell more",
            [line for node in deployed.nodes for line in node.body.log_tail(5)],
        ) from last

    def _up(self, deployed: Deployed) -> list[Place]:
        """Where nodes are that somebody may count on: own ones that are not broken on purpose, and
        those of other machines that answer.
        """
        broken = {node.place.number for node in deployed.nodes if node.down or node.paused}
        own = {node.place.number for node in deployed.nodes}
        found = []
        for place in deployed.places:
            if place.number not in own:
                try:
                    self.version_served(place.address, self.ask_seconds)
                except UNREADABLE:
                    continue
            if place.number not in broken:
                found.append(place)
        return found

    def _await_union(
        self,
        context: Context,
        deployed: Deployed,
        up: Sequence[Place],
        at_least_seconds: float = 0.0,
    ) -> None:
        limit = max(context.options.ready_seconds, self.ready_floor_seconds, at_least_seconds)
        missing: str | None = None
        for _ in context.attempts(limit, every_seconds=0.1):
            self._hold_all_alive(deployed)
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


def asked_addresses(context: Context, deployed: Deployed) -> tuple[Address, ...]:
    """The same, for questions that describe: what servers of somebody else's refuse is noted."""
    found = addresses_of(context, deployed)
    if deployed.nodes:
        return found
    return tuple(each._replace(refusals=deployed.refusals) for each in found)


def own_numbers(context: Context) -> tuple[int, ...]:
    """Numbers of the nodes that this machine has."""
    whole = tuple(range(1, context.target.topology.nodes + 1))
    return whole if context.own_nodes is None else context.own_nodes


def database_of(target: Target) -> int:
    """The logical database that a target's records are in; 0 where databases have names."""
    number = target.driver_options.get(DATABASE, 0)
    return number if isinstance(number, int) else 0


def addresses_of(context: Context, deployed: Deployed) -> tuple[Address, ...]:
    """Where clients reach the system, with what it wants to see of them."""
    known = {place.address.endpoint: place.address for place in deployed.places}
    shown = context.credentials()
    name = str(context.target.driver_options.get(SERVER_NAME, ""))
    if shown is not None and shown.tls_server_name:
        name = shown.tls_server_name
    found = []
    for endpoint in deployed.endpoints:
        if endpoint in known:
            found.append(known[endpoint])
            continue
        parts = parts_of(endpoint)
        found.append(
            Address(
                parts.host,
                parts.port,
                shown,
                tls=parts.kind == "tls",
                path=parts.path,
                resolved=context.hosts.get(parts.host, ()),
                server_name=name or certified_name(context.target, parts.host),
                database=database_of(context.target),
                accounts=str(context.target.driver_options.get(AUTH_SOURCE, "")),
            )
        )
    return tuple(found)
