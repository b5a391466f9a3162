"""The verbs `network` and `heal`: a node's network is made worse, and well again.

What is meant by what a node sends: packets that leave one of its ends, which are its client address
and where other nodes reach it, and packets of connections that it opened to another node's end. On
a machine where all nodes and clients share the loopback interface, nothing else tells them apart,
and nothing else is touched.
"""

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weighhouse_protocol.faults import NetworkConditions
from weighhouse_protocol.percent import percent

from weighhouse_sdk.errors import DeployFailed, TargetInvalid
from weighhouse_sdk.machine import launch
from weighhouse_sdk.machine.network.peers import (
    Opened,
    dissolve,
    gather,
    hierarchy,
    home_of,
    opened,
)
from weighhouse_sdk.machine.network.rules import Rules, RuleSet, goes_to, leaves, numbered
from weighhouse_sdk.machine.network.traffic_control import Shaping, refuse_other_interfaces
from weighhouse_sdk.machine.network.ways import DELAYER, GROUPS, Tools, ways
from weighhouse_sdk.machine.nodes import Node
from weighhouse_sdk.machine.process import Command, Processes, ServerProcess
from weighhouse_sdk.machine.programs import locate_program
from weighhouse_sdk.machine.remains import Leftover
from weighhouse_sdk.wire import Address

DELAYER_SECONDS = 5.0
"""How long the program that delays packets may take to let go what it holds."""


@dataclass(frozen=True)
class Ends:
    """Where a node is reached, addresses in numbers."""

    node: Node
    client: Address
    peers: tuple[Address, ...] = ()
    """Where clients never come."""

    @classmethod
    def of(cls, node: Node, peers: Sequence[Address]) -> "Ends":
        """Of a node, with what `Questions.peer_ends` says of it.

        :raises DeployFailed: when one has no IPv4 address.
        """
        client = numbered(node.place.address)
        ends = dict.fromkeys(map(numbered, peers))
        return cls(node, client, tuple(end for end in ends if end != client))

    @property
    def all(self) -> tuple[Address, ...]:
        """Clients' and peers'."""
        return (self.client, *self.peers)


class Network:
    """What one context does to the network; everything of it is on record below `network/` in its
    directory before it exists, and bears a name made of that directory.

    :param directory: the context's own.
    :param processes: the context's; they run the program that delays packets.
    :param search_path: where iptables and tc are looked for, as in PATH.
    """

    def __init__(self, directory: Path, processes: Processes, search_path: str) -> None:
        self._processes = processes
        self._records = directory / "network"
        self._scratch = directory / "scratch" / "network"
        self._digest = hashlib.sha256(str(directory).encode()).hexdigest()[:12]
        self._search_path = search_path
        self._rules = Rules(Tools(search_path), self._digest)
        self._shaping = Shaping(Tools(search_path))

    def worsen(
        self,
        wanted: NetworkConditions,
        own: Ends,
        others: Sequence[Ends],
        far: Sequence[Address] = (),
    ) -> str:
        """Make a node's network as it is wanted; what was made of it before is replaced.

        :param own: the node's ends; `others`: those of all other nodes on this machine.
        :param far: where nodes of other machines are reached. Who is cut off from such a node is
            cut off from clients on its machine too: nothing tells them apart from here.
        :returns: the way it was done.
        :raises TargetInvalid: when there is nobody to be cut off from.
        :raises DeployFailed: when this machine has no way to do it; then the network is well.
        """
        if wanted.partition and not (others or far):
            raise TargetInvalid(
                [("faults", "partition: there is no other node to be cut off from")]
            )
        offered = ways(self._search_path)
        offered.check(wanted)
        netem = offered.uses_netem(wanted) and bool(wanted.delay_ms or wanted.loss_percent)
        name = str(own.node.place.number)
        before, held_before = self._class_of(name), own.node.delayer
        held: ServerProcess | None = None
        self._record(name, before)
        said: list[str] = []
        try:
            far = tuple(dict.fromkeys(map(numbered, far)))
            groups = self._groups([own, *others]) if others or far else {}
            treatment: list[str] = []
            given: str | None = None
            if wanted.loss_percent and not netem:
                treatment.append(_loss(wanted.loss_percent))
                said.append("loss by iptables statistic")
            if netem or wanted.bandwidth_mbit is not None:
                given = self._shape(name, wanted, own, netem=netem)
                said += ["delay and loss by tc netem"] if netem else []
                said += ["bandwidth by tc htb"] if wanted.bandwidth_mbit is not None else []
            if wanted.delay_ms and not netem:
                held, queue = self._delay(name, wanted, held_before)
                treatment.append(f"-j NFQUEUE --queue-num {queue} --queue-bypass")
                said.append(f"delay by {DELAYER} (NFQUEUE)")
            drops: list[str] = []
            if wanted.partition:
                drops = self._between(own, others, groups) if others else []
                drops += apart_from(own, far, groups)
                said.append("partition by iptables DROP")
            sent = _sent(own, others, groups) + _opened_to(own, far, groups)
            self._rules.put(name, RuleSet(drops, sent, given, treatment))
        except Exception:
            with contextlib.suppress(DeployFailed):
                self._take_back(name)
            _end(held)
            held = None
            raise
        finally:
            own.node.delayer = held
            _end(held_before)
        if before and not (netem or wanted.bandwidth_mbit is not None):
            self._shaping.remove(before)
            self._record(name, None)
        if others and not groups:
            said.append(f"connections it opens later are not touched ({self._no_groups()})")
        return ", ".join(said)

    def heal(self, node: Node) -> bool:
        """Take a node's conditions back, whoever made them. Idempotent.

        :returns: whether there were any.
        :raises DeployFailed: when one would not go; its record stays.
        """
        name = str(node.place.number)
        there = self._record_of(name).exists()
        if there:
            self._take_back(name)
        _end(node.delayer)
        node.delayer = None
        return there

    def enrol(self, node: Node) -> None:
        """Take a process that was started anew for what its node's conditions were made for."""
        group = self._recorded_groups().get(str(node.place.number))
        if group is not None:
            with contextlib.suppress(OSError):
                gather(node.body.pid, group)

    def leftovers(self) -> tuple[Leftover, ...]:
        """Nodes of this context whose network somebody has made worse, from the records on disk
        and the rules' names.
        """
        return tuple(
            Leftover(f"network of node {name}", kind="network rule") for name in self._there()
        )

    def remove_leftovers(self, grace_seconds: float) -> tuple[Leftover, ...]:
        """Take back all that `leftovers` finds; then forget the records.

        :raises DeployFailed: when something would not go; its record stays.
        """
        del grace_seconds
        found = self.leftovers()
        for name in self._there():
            self._take_back(name)
        shutil.rmtree(self._records, ignore_errors=True)
        return found

    # inside

    def _shape(self, name: str, wanted: NetworkConditions, own: Ends, *, netem: bool) -> str:
        for end in own.all:
            refuse_other_interfaces(end.host)
        given = self._class_of(name) or self._shaping.free(own.client.port)
        self._record(name, given)
        words = [*(["delay", f"{round(wanted.delay_ms * 1000)}us"] if wanted.delay_ms else [])]
        words += ["loss", f"{wanted.loss_percent:g}%"] if wanted.loss_percent else []
        self._shaping.put(given, wanted.bandwidth_mbit, words if netem else ())
        return given

    def _delay(
        self, name: str, wanted: NetworkConditions, old: ServerProcess | None
    ) -> tuple[ServerProcess, int]:
        first = f"netdelay-{name}"
        microseconds = (round(value * 1000) for value in (wanted.delay_ms, wanted.jitter_ms))
        process = self._processes.start(
            Command(
                name=f"{first}-next" if old is not None and old.name == first else first,
                arguments=(str(locate_program(DELAYER)), *map(str, microseconds)),
                directory=self._scratch,
            ),
            stdin=True,
            stdout=True,
        )
        line = process.stdout.readline() if process.stdout is not None else b""
        word, _, queue = line.decode("ascii", errors="replace").strip().partition(" ")
        if word != "queue" or not queue.isdigit():
            process.stop(0)
            raise DeployFailed(
                f"{DELAYER} has got no packet queue",
                "network faults need root and a kernel with NFQUEUE",
                process.log_tail(),
            )
        return process, int(queue)

    def _between(self, own: Ends, others: Sequence[Ends], groups: Mapping[str, str]) -> list[str]:
        """Matches of everything that passes between a node and the others, either way."""
        clients = {each.client.host for each in (own, *others)}
        apart = [end for end in own.peers if end.port or end.host not in clients]
        if not (groups or (own.peers and not any(end.port for end in own.peers))):
            raise DeployFailed(
                "this machine cannot cut a node off that shares its address with others:"
                f" {self._no_groups()}",
                "mount the control groups of version 2, or give each node an address of its own",
            )
        found = [match(end) for end in apart for match in (leaves, goes_to)]
        for other in others:
            for one, two in ((own, other), (other, own)):
                found += _opening(one, two, groups)
                for each in opened(one.node.body.pid, two.all):
                    found += [_exactly(each), _exactly(Opened(each.other, each.own))]
        return found

    def _groups(self, nodes: Sequence[Ends]) -> dict[str, str]:
        """Put each node into a group of its own; node → its group, as iptables has it. Empty when
        this machine has no such groups.
        """
        mount = hierarchy()
        if mount is None or not ways(self._search_path).has(GROUPS):
            return {}
        groups = self._recorded_groups()
        for each in nodes:
            name = str(each.node.place.number)
            group = f"weighhouse-net-{self._digest}-{name}"
            home = mount / home_of(each.node.body.pid).lstrip("/")
            groups.setdefault(name, home / group)
        kept = {name: str(path) for name, path in groups.items()}
        launch.record(self._records / "groups.json", {"groups": kept})
        try:
            for each in nodes:
                gather(each.node.body.pid, groups[str(each.node.place.number)])
        except OSError:
            self._dissolve()
            return {}
        return {name: str(path.relative_to(mount)) for name, path in groups.items()}

    def _no_groups(self) -> str:
        return ways(self._search_path).lacking.get(GROUPS, "no control groups of version 2")

    def _recorded_groups(self) -> dict[str, Path]:
        try:
            text = (self._records / "groups.json").read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        return {str(name): Path(path) for name, path in json.loads(text)["groups"].items()}

    def _dissolve(self) -> None:
        for path in self._recorded_groups().values():
            # Whatever a record says: nothing that is not named as ours is touched.
            if path.name.startswith(f"weighhouse-net-{self._digest}-"):
                try:
                    dissolve(path)
                except OSError as error:
                    raise DeployFailed(
                        f"the control group {path} cannot be removed: {error.strerror}",
                        "end the processes in it, then remove its directory",
                    ) from error
        (self._records / "groups.json").unlink(missing_ok=True)

    def _record_of(self, name: str) -> Path:
        return self._records / f"node-{name}.json"

    def _record(self, name: str, given: str | None) -> None:
        self._records.mkdir(parents=True, exist_ok=True)
        launch.record(self._record_of(name), {"class": given})

    def _class_of(self, name: str) -> str | None:
        """The class of traffic made for a node, by its record, else by its rules."""
        path = self._record_of(name)
        if path.exists():
            given = json.loads(path.read_text(encoding="utf-8"))["class"]
            return None if given is None else str(given)
        return self._rules.class_of(name)

    def _there(self) -> Iterator[str]:
        recorded = [path.stem.removeprefix("node-") for path in self._records.glob("node-*.json")]
        return iter(sorted({*recorded, *self._rules.names()}, key=int))

    def _take_back(self, name: str) -> None:
        given = self._class_of(name)
        self._rules.remove(name)
        if given is not None:
            self._shaping.remove(given)
        self._record_of(name).unlink(missing_ok=True)
        if not any(self._records.glob("node-*.json")):
            self._dissolve()
            shutil.rmtree(self._records, ignore_errors=True)


def described(wanted: NetworkConditions) -> str:
    """The conditions in words, for a timeline."""
    words = []
    if wanted.delay_ms:
        jitter = f" ± {wanted.jitter_ms:g} ms" if wanted.jitter_ms else ""
        words.append(f"delay {wanted.delay_ms:g} ms{jitter}")
    if wanted.loss_percent:
        words.append(f"loss {percent(wanted.loss_percent / 100, None)}")
    if wanted.bandwidth_mbit is not None:
        words.append(f"{wanted.bandwidth_mbit:g} Mbit/s")
    if wanted.partition:
        words.append("cut off from the other nodes")
    return ", ".join(words)


def _loss(percent: float) -> str:
    if percent >= 100:  # noqa: PLR2004 - all of it
        return "-j DROP"
    return f"-m statistic --mode random --probability {percent / 100:.9f} -j DROP"


def _sent(own: Ends, others: Sequence[Ends], groups: Mapping[str, str]) -> list[str]:
    found = [leaves(end) for end in own.all]
    for other in others:
        found += _opening(own, other, groups)
        found += [_exactly(each) for each in opened(own.node.body.pid, other.all)]
    return found


def apart_from(own: Ends, far: Sequence[Address], groups: Mapping[str, str]) -> list[str]:
    """Matches of everything that passes between a node and those of other machines, either way.

    :param far: where these are reached, in numbers.
    """
    hosts = dict.fromkeys(end.host for end in far)
    found = [
        match
        for end in own.all
        for host in hosts
        for match in (f"{leaves(end)} -d {host}", f"{goes_to(end)} -s {host}")
    ]
    found += [_exactly(Opened(each.other, each.own)) for each in opened(own.node.body.pid, far)]
    if str(own.node.place.number) not in groups:
        # Then nothing tells who of this machine opens a connection to them.
        found += [f"{goes_to(end)} -s {own.client.host}" for end in far]
    return found + _opened_to(own, far, groups)


def _opened_to(own: Ends, far: Sequence[Address], groups: Mapping[str, str]) -> list[str]:
    """Matches of what a node sends on connections that it opened, or will, to other machines."""
    group = groups.get(str(own.node.place.number))
    found = [f"{goes_to(end)} -m cgroup --path {group}" for end in far] if group else []
    return found + [_exactly(each) for each in opened(own.node.body.pid, far)]


def _opening(one: Ends, two: Ends, groups: Mapping[str, str]) -> list[str]:
    """Matches of what a node sends on connections that it opens to another from now on."""
    group = groups.get(str(one.node.place.number))
    if group is None:
        return []
    return [f"{goes_to(end)} -m cgroup --path {group}" for end in two.all]


def _exactly(each: Opened) -> str:
    own, other = each.own, each.other
    return f"-s {own.host} -d {other.host} -p tcp --sport {own.port} --dport {other.port}"


def _end(delayer: ServerProcess | None) -> None:
    """It lets go what it holds before it ends."""
    if delayer is not None:
        delayer.stop(DELAYER_SECONDS)
