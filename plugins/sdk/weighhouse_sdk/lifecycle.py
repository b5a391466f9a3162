"""The verbs of a plugin.

A plugin is an object without state: what one verb learns, it returns, and the caller hands it to
the next. The order is `check_target`, `check_host`, `deploy`, `wait_ready`, `find_nodes`,
`describe`, then `sample` and `memory` as often as wanted, `stop`, `clean_up`. Every verb is
idempotent, obeys the context's deadline and cancel, prints nothing, and raises a `PluginError` with
a hint. `stop` and `clean_up` work after any failure, `clean_up` even in another process after a
crash.

A system whose nodes are spread over several machines is set up by one plugin on each of them, each
with a context that says which nodes are its own. Each calls `reserve`, and is told what all others
reserved; each calls `deploy` with that, and `wait_ready`; when all have, one of them calls `unite`.
What a plugin does after that, it does to its own nodes: `sample`, `memory`, `fault`, `stop`.
"""

import inspect
import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.compatibility.targets import system_errors
from weighhouse_protocol.counts import NodeCounts
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.report import Setting
from weighhouse_protocol.target import Target

from weighhouse_sdk.announced import Announced
from weighhouse_sdk.capacity import capacity
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import BinaryMissing, TargetInvalid, VersionMissing
from weighhouse_sdk.machine.access import closed_folders
from weighhouse_sdk.machine.nodes import Body, Node
from weighhouse_sdk.machine.remains import Leftover
from weighhouse_sdk.places import NodeAddress, Place
from weighhouse_sdk.rebalance import Transfer
from weighhouse_sdk.replies import Refusals


@dataclass(frozen=True)
class Installed:
    """A version of the system on this machine."""

    executable: Path
    version: str


@dataclass(frozen=True)
class Deployed:
    """What `deploy` set up."""

    endpoints: tuple[str, ...]
    """Where clients reach the system: all nodes in order, those of other machines too."""
    version: str
    commands: tuple[str, ...] = ()
    """Command lines used, quoted as for a shell, secrets masked."""
    nodes: tuple[Node, ...] = ()
    """The nodes that this machine has; none when the system lives in the driver, or was there
    before."""
    places: tuple[Place, ...] = ()
    """Where all of the system's nodes live, in order, those of other machines too."""
    vendor_settings: Mapping[str, str] | None = None
    """Effective configuration of this version as its vendor ships it, by name."""
    refusals: Refusals = field(default_factory=Refusals)
    """What servers that were there before refused to tell; verbs add to it as they ask."""

    @property
    def whole(self) -> bool:
        """Whether all of the system's nodes are this machine's."""
        return len(self.nodes) == len(self.places)

    @property
    def processes(self) -> tuple[Body, ...]:
        """What runs the nodes."""
        return tuple(node.body for node in self.nodes)

    def ended_by_itself(self) -> Body | None:
        """What runs the first node that has ended and was not asked to; None: all is well."""
        return next((node.body for node in self.nodes if node.ended_by_itself), None)


@dataclass(frozen=True)
class Ready:
    """The system serves."""

    seconds: float
    """From the start of waiting until it answered."""


@dataclass(frozen=True)
class Description:
    """What was really set up, asked of the system itself."""

    version: str
    settings: tuple[Setting, ...]
    """The effective configuration, by name; what differs from the vendor's default says why."""
    commands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sample:
    """One look at the system while it works."""

    at_us: int
    cpu_seconds: float | None = None
    """Processor time since its start; `sampling.cpu_percent` makes a rate of two samples."""
    resident_bytes: int | None = None
    disk_bytes: int | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    """The system's own, by name."""
    transfers: Mapping[str, Transfer] = field(default_factory=dict)
    """Data that goes from node to node so that each has its share, by the system's own names of
    the transfers: those under way, and those before that it still tells of."""
    settled: bool = True
    """Whether every node told its transfers that belongs to the system."""


@dataclass(frozen=True)
class MemoryUse:
    """Memory of the system at a moment."""

    resident_bytes: int | None = None
    """What the operating system gave it; None: no process to ask."""
    used_bytes: int | None = None
    """What the system says it uses for data."""
    disk_bytes: int | None = None
    records: int | None = None
    """What the system says it holds, copies aside; None: it does not tell."""


@dataclass(frozen=True)
class FaultDone:
    """What became of a verb against a node."""

    label: str
    """For the timeline, for example `node 2: killed`."""
    way: str = ""
    """How it was done, where there are several ways: `netem`, `pfifo and a queue`, …"""


@dataclass(frozen=True)
class Stopped:
    """How the system's processes ended."""

    exit_codes: tuple[int | None, ...] = ()
    """Negative for a signal; None: had ended before, its parent is gone."""
    killed: bool = False
    """Whether SIGTERM was not enough."""


@dataclass(frozen=True)
class CleanedUp:
    """What was removed."""

    ended: tuple[Leftover, ...] = ()
    """What was still there outside the directories: processes, containers, …"""
    removed: tuple[Path, ...] = ()


class Plugin(ABC):
    """One system. Subclass it, and name the instance in the entry-point group
    `weighhouse.plugins`.

    :param manifest: what `plugin.toml` says; `registry.packaged_manifest` reads it.
    """

    orderly_exit_codes: ClassVar[frozenset[int]] = frozenset({0})
    """How the system's processes end when they are asked to and do so in order."""
    gauges_marked: ClassVar[Mapping[str, str]] = {}
    """Metric → NAME: the timeline gets `NAME_began` when it rises above 0, `NAME_ended` when it is
    0 again. For work that the system does by itself: `compaction`, `snapshot`."""
    counters_marked: ClassVar[Mapping[str, str]] = {}
    """Metric → NAME: the timeline gets `NAME` when it begins to grow, and again when it grows
    after it was still for some samples."""
    kept_files: ClassVar[tuple[str, ...]] = ()
    """Patterns (`*.conf`) of names of files below the data directory that become the run's files
    when the system has ended: its configuration, its own log. None that holds data or a secret."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest

    @property
    def manifest(self) -> Manifest:
        """What `plugin.toml` says, with the folder's README.md as documentation."""
        return self._manifest

    @abstractmethod
    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        """The versions on this machine, best first; starts no server.

        :raises BinaryMissing: when there is none, with the Debian package that brings it.
        """

    def check_host(self, target: Target, options: HostOptions) -> Installed:
        """Choose the version that the target asks for.

        :raises BinaryMissing: when the system is not installed.
        :raises VersionMissing: when it is, in other versions.
        """
        found = self.find_versions(options)
        for installed in found:
            if target.version in ("any", installed.version):
                return installed
        raise VersionMissing(
            found[0].executable.name, target.version, [each.version for each in found]
        )

    def check_target(self, target: Target, machine: Mapping[str, int] | None = None) -> None:
        """Hold the target against the manifest, as the platform does where it is written. What a
        system cannot do is the manifest's to say: a plugin that refuses more by code of its own
        refuses what was accepted.

        :param machine: what it is to run on has, as `Context.machine` tells; None: this one.
        :raises TargetInvalid: with every problem and its path.
        """
        known = capacity(target) if machine is None else machine
        TargetInvalid.raise_for(system_errors(target, self.manifest, known=known))

    def check_here(self, context: Context) -> None:
        """`check_target` of a context's target, with what its machine has.

        :raises TargetInvalid: as there.
        """
        # A plugin from before asks of the target alone.
        knows = "machine" in inspect.signature(self.check_target).parameters
        self.check_target(context.target, *((context.machine,) if knows else ()))

    def check_spread(self, context: Context) -> None:
        """Hold against the manifest that a machine is to have some of the nodes only.

        :raises TargetInvalid: when this system's nodes have to be on one machine.
        """
        own, nodes = context.own_nodes, context.target.topology.nodes
        if own is not None and len(own) < nodes and not self.manifest.topology.spread:
            reason = f"the nodes of {self.manifest.name} cannot be on several machines"
            raise TargetInvalid([("placement.servers.machines", f"{reason}: use 1")])

    def reserve(self, context: Context) -> tuple[NodeAddress, ...]:
        """Hold ports for the nodes that `context.own_nodes` names, until `deploy` starts them;
        called again, the same ones. None when the system has no nodes to be started.

        :raises TargetInvalid: when the nodes are to be spread, and this system's cannot be.
        :raises DeployFailed: when there is no port, or a node would live where peers cannot reach
            it.
        """
        self.check_spread(context)
        return ()

    @abstractmethod
    def deploy(self, context: Context, peers: tuple[NodeAddress, ...] = ()) -> Deployed:
        """Set the system up and start it; does not wait for it. A clean directory is its
        beginning: data of an earlier deployment in this context is removed first.

        :param peers: what was reserved for all nodes of the system, this machine's among them, in
            order; empty: this machine has all nodes.
        :raises TargetInvalid, BinaryMissing, VersionMissing, DeployFailed:
        """

    @abstractmethod
    def wait_ready(self, context: Context, deployed: Deployed) -> Ready:
        """Wait until the system truly serves, which is more than an open port. Of a system that is
        spread over machines, wait for the nodes that are here, each by itself: `unite` waits for
        the system.

        :raises NotReady: with the last lines of the system's own log.
        """

    def unite(self, context: Context, deployed: Deployed) -> Ready:  # noqa: ARG002 - of use to systems with nodes
        """Make one system of the nodes of all machines, and wait until it serves. Called on one
        machine alone, after `wait_ready` has returned on all; nothing is left to do where one
        machine has all nodes.

        :raises NotReady: naming what is still missing.
        """
        return Ready(0.0)

    def find_nodes(self, context: Context, deployed: Deployed) -> tuple[Announced, ...]:
        """The nodes of a system that was there before, as its servers name them; none: as written.

        :raises DeployFailed: when the target says that it is laid out otherwise.
        """
        del context, deployed
        return ()

    @abstractmethod
    def describe(self, context: Context, deployed: Deployed) -> Description:
        """Ask the system for its version and effective configuration.

        :raises SystemFailed: when it does not answer.
        """

    def as_ordered(self, context: Context, deployed: Deployed) -> frozenset[str]:  # noqa: ARG002 - of use to subclasses
        """Settings of `describe` that the system itself does not tell: they stand there as they
        were ordered, on its command line or in its configuration file. Default: none.

        :raises SystemFailed: when it does not answer.
        """
        return frozenset()

    @abstractmethod
    def sample(self, context: Context, deployed: Deployed, driver_pid: int | None = None) -> Sample:
        """Look at processor, memory, disk and the system's own metrics; costs a millisecond or
        two. What cannot be had is None, not guessed.

        :param driver_pid: the driver's process, for systems that live in it.
        """

    @abstractmethod
    def memory(
        self, context: Context, deployed: Deployed, driver_pid: int | None = None
    ) -> MemoryUse:
        """Memory now: called before the load, after it, and after the measurement."""

    def counts(self, context: Context, deployed: Deployed) -> tuple[NodeCounts, ...]:
        """What those nodes here that tell counted of their own work; raises nothing."""
        del context, deployed
        return ()

    def fault(
        self,
        context: Context,  # noqa: ARG002 - of use to systems with nodes
        deployed: Deployed,  # noqa: ARG002 - as above
        fault: Fault,
    ) -> FaultDone:
        """Do something to a node on purpose; returns when it is done: after `start` and
        `restart` the node serves again. What is so already stays so.

        :raises TargetInvalid: when the system or the node is not there for it.
        :raises DeployFailed: when the machine has no way to do it.
        :raises NotReady: when a node does not come back.
        """
        raise TargetInvalid(
            [
                (
                    "faults",
                    f"{fault.verb}: {self.manifest.name} has no nodes that this could be done to",
                )
            ]
        )

    def stop(self, context: Context, deployed: Deployed) -> Stopped:
        """End the system: SIGTERM, then SIGKILL after `options.stop_seconds`. Obeys neither
        deadline nor cancel, for it is what follows them.
        """
        codes: list[int | None] = []
        killed = False
        for process in reversed(deployed.processes):
            ended = process.stop(context.options.stop_seconds)
            codes.append(ended.exit_code)
            killed = killed or ended.killed
        return Stopped(tuple(codes), killed)

    def leftovers(self, context: Context) -> tuple[Leftover, ...]:
        """What of this context is still there: processes, containers, control groups, networks
        that are not healed, from the records on disk and the names of what is there.
        """
        return context.leftovers()

    def clean_up(self, context: Context) -> CleanedUp:
        """Remove all that `deploy` made: processes, containers and the like, then data. Logs stay.
        Works in another process after a crash; touches nothing that is not this context's.
        """
        ended = context.remove_leftovers()
        removed = []
        for directory in (context.data_directory, context.scratch_directory):
            if directory.exists():
                shutil.rmtree(directory)
                removed.append(directory)
        return CleanedUp(ended, tuple(removed))

    # for the driver

    def endpoints(self, deployed: Deployed) -> tuple[str, ...]:
        """What goes into `target.endpoints` of the driver's order."""
        return deployed.endpoints

    def driver_options(self, target: Target) -> dict[str, Scalar]:
        """What goes into `target.options` of the driver's order."""
        return dict(target.driver_options)

    def driver_files(self, context: Context) -> dict[str, Scalar]:
        """Options of the driver beside those, which name files that `deploy` makes on this machine;
        asked before it does, too. Default: none.

        :raises TargetInvalid: when the driver would need files of another machine.
        """
        del context
        return {}

    def executable(self, name: str, options: HostOptions) -> Path:
        """:raises BinaryMissing: naming the Debian package of the manifest's `packages`."""
        found = shutil.which(name, path=options.search_path)
        if found is None:
            package = self.manifest.packages.get(name, "")
            raise BinaryMissing(name, package, closed=closed_folders(options.search_path))
        return Path(found)
