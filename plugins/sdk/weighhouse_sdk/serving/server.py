"""The shared half of plugins whose system is a server: one process, or several on this machine."""

import contextlib
import subprocess
from collections.abc import Mapping, Sequence

from weighhouse_protocol.counts import NodeCounts
from weighhouse_protocol.faults import Fault

from weighhouse_sdk.configuration import (
    as_found,
    explained,
    reported_names,
    setting_word,
    system_names,
)
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import DeployFailed, SystemFailed
from weighhouse_sdk.lifecycle import (
    CleanedUp,
    Deployed,
    Description,
    FaultDone,
    Installed,
    MemoryUse,
    Ready,
    Sample,
    Stopped,
)
from weighhouse_sdk.machine.network.network_faults import Ends, described
from weighhouse_sdk.machine.nodes import Node
from weighhouse_sdk.machine.resource_usage import disk_usage
from weighhouse_sdk.places import NodeAddress
from weighhouse_sdk.rebalance import Streamed, together
from weighhouse_sdk.serving import node_faults
from weighhouse_sdk.serving.exit_report import how_ended, last_words, told_by
from weighhouse_sdk.serving.questions import UNTOLD
from weighhouse_sdk.serving.replacement import Replacing
from weighhouse_sdk.serving.startup import EXTERNAL, UNREADABLE, asked_addresses, own_numbers
from weighhouse_sdk.wire import Address

VERSION_SECONDS = 10.0
SAMPLE_SECONDS = 0.5
"""How long a server may take over a question while it is measured: a busy one must not hold up
the sampling."""


class ServerPlugin(Replacing):
    """Servers with a directory of their own each, listening on TCP ports of the machine; or, as an
    `external` deployment, servers that somebody else set up.

    The vendor's defaults are not retyped here: `deploy` starts the same program for a moment
    without any parameter and asks it.
    """

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
        except subprocess.CalledProcessError as error:
            said = (error.stdout + error.stderr).decode("utf-8", errors="replace").splitlines()
            raise DeployFailed(
                f"{executable} --version ended with {error.returncode}: {told_by(said)}",
                "start it by hand, and mend what it says; or install the program again",
                said[-20:],
            ) from error
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

    def deploy(self, context: Context, peers: tuple[NodeAddress, ...] = ()) -> Deployed:
        """Ask the program for its vendor's defaults, then start it as the target wants it."""
        self.check_here(context)
        if context.target.deployment == EXTERNAL:
            return Deployed(endpoints=context.target.endpoints, version="unknown")
        installed = self.check_host(context.target, context.options)
        super().clean_up(context)  # Ports that were reserved are held for what follows.
        vendor = self._vendor_settings(context, installed)
        context.check()
        reserved = self.reserve(context)
        places = self._places(context, peers or reserved)
        nodes: list[Node] = []
        for place in (each for each in places if each.number in own_numbers(context)):
            reservation = context.ports.take(place.number, *place.address[:2])
            body = self._start(context, installed.executable, place, reservation)
            nodes.append(Node(place, body))
        return Deployed(
            endpoints=tuple(place.address.endpoint for place in places),
            version=installed.version,
            commands=tuple(node.body.line for node in nodes),
            nodes=tuple(nodes),
            places=places,
            vendor_settings=vendor,
        )

    def wait_ready(self, context: Context, deployed: Deployed) -> Ready:
        """Wait until each node that is here answers, the answer comes from the very process
        started, and, where all are here, the nodes are one system.
        """
        begun_at = context.clock.monotonic()
        if not deployed.nodes:
            self._await_external(context, deployed)
        for node in deployed.nodes:
            self._await(context, node.body, node.place)
        if deployed.nodes and deployed.whole:
            self.unite(context, deployed)
        self._check_version(context, deployed, asked_addresses(context, deployed)[0])
        return Ready(context.clock.monotonic() - begun_at)

    def unite(self, context: Context, deployed: Deployed) -> Ready:
        """Join the nodes of all machines, and wait until each sees a whole system."""
        begun_at = context.clock.monotonic()
        if len(deployed.places) > 1:
            self._unite(context, deployed)
        return Ready(context.clock.monotonic() - begun_at)

    def describe(self, context: Context, deployed: Deployed) -> Description:
        """Ask the running servers for their configuration; what is not the same on all nodes is
        told of each.
        """
        context.check()
        addresses = asked_addresses(context, deployed)
        try:
            version = deployed.version
            if not deployed.nodes or version == UNTOLD:
                version = self.version_served(addresses[0], self.ask_seconds)
            found = [
                self._masked(context, self.settings(each, self.ask_seconds)) for each in addresses
            ]
        except UNREADABLE as error:
            raise self._failed(deployed, error) from error
        names, together = system_names(self.manifest), _together(found)
        own = reported_names(self.manifest, context.target.settings)
        for name, told_as in own.items():  # Of what it does not report stands what was ordered.
            together.setdefault(told_as, setting_word(context.target.settings[name]))
        told = as_found(together)
        if context.target.deployment != EXTERNAL:
            told = explained(
                together,
                deployed.vendor_settings or {},
                by_experiment={*(names[each] for each in context.target.parameters), *own.values()},
                by_plugin=self.chosen.keys(),
                places=self.places.keys(),
            )
        return Description(
            version=version,
            settings=(*told, *self._kept(context, deployed)),
            commands=deployed.commands,
        )

    def as_ordered(self, context: Context, deployed: Deployed) -> frozenset[str]:
        """Settings of parameters that the servers, asked once more, do not have."""
        try:
            told = [
                self.settings(each, self.ask_seconds) for each in asked_addresses(context, deployed)
            ]
        except UNREADABLE as error:
            raise self._failed(deployed, error) from error
        names = system_names(self.manifest).values()
        return frozenset(name for name in names if not all(name in each for each in told))

    def sample(
        self,
        context: Context,
        deployed: Deployed,
        driver_pid: int | None = None,  # noqa: ARG002 - the system has processes of its own
    ) -> Sample:
        """The servers' own processes, as forks share their pages; metrics, unless one is too busy.
        Of several nodes the sums, and each one's metrics under `node N `.
        """
        if not deployed.nodes:
            metrics: dict[str, float] = {}
            for number, address in enumerate(asked_addresses(context, deployed), 1):
                metrics |= self._metrics(number, len(deployed.endpoints), address)
            return Sample(at_us=context.clock.now_us(), metrics=metrics)
        usages, metrics, settled = [], {}, True
        told: list[Streamed] = []
        for node in deployed.nodes:
            usage = node.body.usage()
            if usage is None and not node.down:
                raise self._failed(deployed, None)
            if usage is not None:
                usages.append(usage)
            if not (node.down or node.paused):
                place = node.place
                metrics |= self._metrics(place.number, len(deployed.places), place.address)
            if not node.left:
                streams = self._streams(node)
                settled = settled and streams is not None
                told += streams or ()
        return Sample(
            at_us=context.clock.now_us(),
            cpu_seconds=sum(usage.cpu_seconds for usage in usages),
            resident_bytes=sum(usage.resident_bytes for usage in usages),
            disk_bytes=disk_usage(context.data_directory),
            metrics=metrics,
            transfers=together(told),
            settled=settled,
        )

    def memory(
        self,
        context: Context,
        deployed: Deployed,
        driver_pid: int | None = None,  # noqa: ARG002 - as above
    ) -> MemoryUse:
        """Resident memory by the operating system, used memory by the servers; of several nodes
        the sums, of those that are up.
        """
        up = [node for node in deployed.nodes if not (node.down or node.paused)]
        asked = (
            [node.place.address for node in up]
            if deployed.nodes
            else asked_addresses(context, deployed)
        )
        try:
            metrics = [self.kept.told(self.metrics(each, self.ask_seconds)) for each in asked]
        except UNREADABLE as error:
            raise self._failed(deployed, error) from error
        used = [each for each in map(self.used_bytes, metrics) if each is not None]
        held = [each for each in map(self.records_held, metrics) if each is not None]
        usages = [node.body.usage() for node in deployed.nodes]
        return MemoryUse(
            resident_bytes=sum(usage.resident_bytes for usage in usages if usage)
            if any(usages)
            else None,
            used_bytes=sum(used) if used and len(used) == len(asked) else None,
            disk_bytes=disk_usage(context.data_directory) if deployed.nodes else None,
            records=sum(held) if held and len(held) == len(asked) else None,
        )

    def counts(self, context: Context, deployed: Deployed) -> tuple[NodeCounts, ...]:
        """Of each node that is up, all asked one after the other."""
        if self.manifest.counts is None:
            return ()
        up = [node for node in deployed.nodes if not (node.down or node.paused)]
        asked = [(node.place.address, str(node.body.pid)) for node in up]
        if not deployed.nodes:
            asked = [(address, "") for address in asked_addresses(context, deployed)]
        found = []
        for address, process in asked:
            with contextlib.suppress(*UNREADABLE):
                told = self.counted(address, SAMPLE_SECONDS)
                if told is not None:
                    # Not each system tells of what began its counters.
                    life = f"{told.life} {process}".strip()
                    found.append(told.model_copy(update={"life": life}))
        return tuple(found)

    def fault(self, context: Context, deployed: Deployed, fault: Fault) -> FaultDone:
        """Carry a verb out against one of the nodes."""
        node = node_faults.node_of(self.manifest, deployed.nodes, fault)
        if fault.verb in node_faults.NETWORK:
            return self._disturb(context, deployed, node, fault)
        if fault.verb == "restart":
            node_faults.carry_out(node, "stop", context.options.stop_seconds)
        if fault.verb in ("start", "restart"):
            return self._bring_back(context, deployed, node)
        if fault.verb == "replace":
            return self._replace(context, deployed, node)
        if fault.verb == "remove":
            return self._remove(context, deployed, node)
        return node_faults.carry_out(node, fault.verb, context.options.stop_seconds)

    def stop(self, context: Context, deployed: Deployed) -> Stopped:
        """Heal the network and end the nodes, the latter in any case."""
        try:
            for node in deployed.nodes:
                context.network.heal(node)
        finally:
            stopped = super().stop(context, deployed)
        return stopped

    def clean_up(self, context: Context) -> CleanedUp:
        """Also give up ports that no node was started for."""
        context.ports.release()
        return super().clean_up(context)

    # inside

    def _masked(self, context: Context, settings: Mapping[str, str]) -> Mapping[str, str]:
        shown = context.credentials()
        if shown is None:
            return settings
        return {name: shown.masked(value) for name, value in settings.items()}

    def _disturb(self, context: Context, deployed: Deployed, node: Node, fault: Fault) -> FaultDone:
        network, name = context.network, f"node {node.place.number}"
        if fault.network is None:
            healed = network.heal(node)
            return FaultDone(f"{name}: network {'is well again' if healed else 'was well already'}")
        ends = [Ends.of(each, self.peer_ends(each.place)) for each in deployed.nodes]
        own = ends.pop(deployed.nodes.index(node))
        here = {each.place.number for each in deployed.nodes}
        far = [
            end
            for place in deployed.places
            if place.number not in here
            for end in (place.address, *self.peer_ends(place))
        ]
        way = network.worsen(fault.network, own, ends, far)
        return FaultDone(f"{name}: {described(fault.network)}", way)

    def _metrics(self, number: int, count: int, address: Address) -> dict[str, float]:
        prefix = f"node {number} " if count > 1 else ""
        with contextlib.suppress(*UNREADABLE):
            found = self.kept.told(self.metrics(address, SAMPLE_SECONDS))
            return {f"{prefix}{name}": value for name, value in found.items()}
        return {}

    def _streams(self, node: Node) -> Sequence[Streamed] | None:
        """None: it does not answer."""
        if node.place.alone:
            return ()
        # One that leaves is down already, and tells for as long as it is there.
        if node.body.exit_code is None and not node.paused:
            with contextlib.suppress(*UNREADABLE):
                return self.streams(node.place.address, SAMPLE_SECONDS)
        return None

    def _failed(self, deployed: Deployed, error: Exception | None) -> SystemFailed:
        nodes = deployed.nodes
        ended = next((each for each in nodes if each.ended_by_itself), None)
        what = f"does not answer: {error}" if ended is None else how_ended(ended.body)
        shown = ended or (nodes[0] if nodes else None)
        return SystemFailed(
            f"{self.manifest.name} {what}",
            "its last lines may tell why; a system that fails under load is a result",
            last_words(shown.body, shown.place.directory) if shown else (),
        )


def _together(found: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """One configuration of several nodes': where they differ, the values in order of the nodes."""
    whole = {}
    for name in dict.fromkeys(name for each in found for name in each):
        values = [each.get(name, "unset") for each in found]
        whole[name] = values[0] if len(set(values)) == 1 else ", ".join(values)
    return whole
