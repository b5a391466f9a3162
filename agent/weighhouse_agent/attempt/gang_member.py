"""Carries out one member's part of an attempt that several agents carry out together.

| barrier | a member with nodes | a member that makes load |
| --- | --- | --- |
| `placed` | has kept ports for its nodes, and tells them | |
| `up` | its nodes run, and know of all others | |
| `formed` | the lead has made one system of them, and tells where it answers | |
| `connected` | | its driver is connected, and held |
| `phase-N` | | its driver has ended the phase before |
| `measured` | | its driver has ended the last phase |

Who has nothing to do arrives at once. The releases of `connected` and `phase-N` tell when the next
phase begins, for all at the same instant, each by its own clock.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.compatibility.targets import is_reserved
from weighhouse_protocol.driver import DriverOrder, PhaseFinished
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.load import PhaseKind
from weighhouse_protocol.order import GangMember
from weighhouse_sdk.errors import PluginError, TargetInvalid
from weighhouse_sdk.lifecycle import Deployed, Description
from weighhouse_sdk.machine.locality import any_is_here
from weighhouse_sdk.machine.procfs import boot_id
from weighhouse_sdk.places import NodeAddress

from weighhouse_agent.attempt.barriers import Gate, Released
from weighhouse_agent.attempt.driver_plan import DriverPlan
from weighhouse_agent.attempt.ends import END_GRACE_SECONDS, ended_one, system_ended
from weighhouse_agent.attempt.execution import Execution
from weighhouse_agent.attempt.gangs import (
    US,
    check_clock,
    lead_of,
    own_member,
    shares_a_machine,
)
from weighhouse_agent.machine.policy import PolicyRefused, check_endpoint, check_host, hosts_of

COMMON = frozenset({"database", "not_ready"})
"""Failures of the system, which all members have in common."""
Payload = TypeVar("Payload", bound=BaseModel)


class PeerNotUnderstood(PluginError):
    """What another member told is not of the protocol."""


class VersionsDiffer(PluginError):
    """The nodes of one system are of two versions."""

    kind = "missing_binary"


class Spot(BaseModel):
    """Where a node is to live, as its member tells the others."""

    model_config = ConfigDict(frozen=True)

    host: str
    port: int
    peer_port: int | None = None


class Placed(BaseModel):
    """Payload of `placed`."""

    model_config = ConfigDict(frozen=True)

    nodes: dict[int, Spot] = Field(default_factory=dict)
    boot_id: str = ""
    """Of the member's machine; the same in all of its containers. Empty: not told."""


class Formed(BaseModel):
    """The lead's payload of `formed`."""

    model_config = ConfigDict(frozen=True)

    endpoints: tuple[str, ...] = Field(min_length=1)
    version: str
    driver_options: dict[str, Scalar] = Field(default_factory=dict)
    address_map: dict[str, str] = Field(default_factory=dict)
    """Of drivers: where nodes are reached that the system's servers name."""


@dataclass
class GangExecution(Execution):
    """One member's part, in a process of its own.

    :param gate: where it waits for the other members.
    """

    gate: Gate = field(kw_only=True)
    _formed: Formed | None = None
    _boots: Mapping[int, str] = field(default_factory=dict)
    """Member → the boot of its machine."""
    _ready_after: float = 0.0
    """Seconds that the nodes here took."""
    _is_up: bool = False
    """Whether all nodes ran, so that trouble with the system may begin with any member."""
    _phases_over: int = 0
    """How many the driver here has ended."""

    @property
    def _own(self) -> GangMember:
        return own_member(self.order)

    @property
    def _leads(self) -> bool:
        return lead_of(self.order).index == self.order.member

    @property
    def _drives(self) -> bool:
        return self._own.share is not None

    def run(self) -> None:
        """As a whole, with others. What may be another member's failure is told as one of this
        one's only when nobody else has failed.
        """
        try:
            super().run()
        except PluginError as error:
            mine = self._dead or ended_one(self._deployed, END_GRACE_SECONDS)
            if self._is_up and error.kind in COMMON and mine is None:
                self.gate.doubt()
            raise

    # before the first phase

    def _check(self) -> None:
        if self.target.deployment == "in_process":
            name = self.plugin.manifest.name
            reason = f"{name} lives in the driver, which cannot be shared: use one machine"
            raise TargetInvalid([("placement", reason)])
        if self.order.fill_until is not None:
            reason = "what is filled is watched from one machine: servers and driver on it together"
            raise TargetInvalid([("placement", reason)])
        self._check_order()
        if self._drives:
            self._plan.check()

    def _deploy(self) -> None:
        self.context.check()
        places = self.plugin.reserve(self.context) if self._own.nodes else ()
        own = {
            each.number: Spot(host=each.host, port=each.port, peer_port=each.peer_port)
            for each in places
        }
        placed = self._pass("placed", Placed(nodes=own, boot_id=boot_id()))
        self._boots = {
            each.index: self._told(placed, each.index, Placed).boot_id for each in self.order.gang
        }
        if self._own.nodes:
            self._bring_up(self._peers(placed))
        elif self._leads:
            self._bring_up(())
        self._pass("up")
        self._is_up = True
        self._form()

    def _peers(self, placed: Released) -> tuple[NodeAddress, ...]:
        """Where all nodes are to live, in order.

        :raises PolicyRefused: when this machine's policy does not let it reach one.
        """
        found = {}
        for member in self.order.gang:
            for number, spot in self._told(placed, member.index, Placed).nodes.items():
                check_host(self.policy, spot.host)
                found[number] = NodeAddress(number, spot.host, spot.port, spot.peer_port)
        return tuple(each for _, each in sorted(found.items()))

    def _bring_up(self, peers: tuple[NodeAddress, ...]) -> None:
        deployed = self._deployed = self.plugin.deploy(self.context, peers)
        self._reporter.mark("deployed", deployed.version)
        self._ready_after = self.plugin.wait_ready(self.context, deployed).seconds

    def _form(self) -> None:
        """Make one system of the nodes, or wait until the lead has; then look at what is here."""
        deployed, payload = self._deployed, None
        if self._leads and deployed is not None:
            united = self.plugin.unite(self.context, deployed)
            self._reporter.mark("ready", f"after {self._ready_after + united.seconds:.3f} s")
            deployed = self._find(deployed)
            self._look_at(deployed)
            version = self._description.version if self._description else deployed.version
            payload = Formed(
                endpoints=self._endpoints or self.plugin.endpoints(deployed),
                address_map=self.target.address_map,
                version=version,
                driver_options=self.plugin.driver_options(self.target),
            )
        formed = self._told(self._pass("formed", payload), lead_of(self.order).index, Formed)
        self._formed = formed
        self._reach(formed.endpoints)
        mapped = {
            name: check_endpoint(self.policy, end) for name, end in formed.address_map.items()
        }
        self._map({name: str(each.endpoint) for name, each in mapped.items()})
        self._hosts = {**self._hosts, **hosts_of(mapped.values())}
        if deployed is not None and not self._leads:
            self._look_at(deployed)
            self._hold_version(formed.version)

    def _hold_version(self, wanted: str) -> None:
        found = self._description.version if self._description is not None else wanted
        if found != wanted:
            name = self.plugin.manifest.name
            raise VersionsDiffer(
                f"this machine has {name} {found}, the gang's lead {name} {wanted}",
                "install one version on all machines, or ask for it: `version` of the target",
            )

    # the phases

    def _measure(self) -> None:
        if self._drives:
            super()._measure()
            self._interrupted |= self._phases_over < len(self.order.phases)
        else:
            self._serve()
        if not self._interrupted:
            self._pass("measured")
        if self._faulting is not None:
            self._faulting.finish()

    def _serve(self) -> None:
        """Look at the nodes while others make the load."""
        self._watch(None)
        self._describe_target(None)
        for index, phase in enumerate(self.order.phases):
            begins_at_us = self._begin(index, self._pass(_begins(index)))
            self.gate.until(begins_at_us, abandon=self._look)
            self._enter(phase.kind)

    def _begin(self, index: int, released: Released) -> int:
        """All are there for a phase: see to what is done before it and at its instant.

        :returns: when it begins, by this machine's clock, unix µs.
        """
        now_us = self.context.clock.now_us()
        begins_at_us = released.begins_at_us or now_us
        if index and self.order.phases[index - 1].kind == "load":
            self._memory("after_load")
        if self.order.phases[index].kind == "measure" and self._faulting is not None:
            self._faulting.begin((begins_at_us - self.context.clock.now_us()) / US)
        return begins_at_us

    def _driver_order(self, plan: DriverPlan) -> tuple[str, DriverOrder]:
        told = self._formed.driver_options if self._formed is not None else {}
        if reserved := [name for name in told if is_reserved(name)]:
            raise PolicyRefused(
                f"the gang's lead may not set {', '.join(reserved)}: accounts and files are each"
                " agent's own",
                "agents of one version on all machines do not do this",
            )
        return plan.order_for(self._endpoints, self._hosts, told)

    def _driver_ready(self) -> None:
        self._go(0)

    def _phase_begun(self, phase: PhaseKind) -> None:
        self._enter(phase)

    def _phase_over(self, event: PhaseFinished) -> None:
        self._count(event)
        if event.interrupted:
            return
        self._phases_over += 1
        if self._phases_over < len(self.order.phases):
            self._go(self._phases_over)

    def _go(self, index: int) -> None:
        """Wait for all, and let the driver begin; a driver that has ended tells why by itself."""
        released = self._wait(_begins(index), abandon=self._driver_over)
        if released is not None and self._run is not None:
            self._run.go(index, self._begin(index, released))

    # waiting

    def _pass(self, name: str, payload: BaseModel | None = None) -> Released:
        released = self._wait(name, payload, abandon=self._look)
        if released is None:
            raise RuntimeError(f"`{name}` was left while there was nothing to leave it for")
        return released

    def _wait(
        self, name: str, payload: BaseModel | None = None, *, abandon: Callable[[], bool]
    ) -> Released | None:
        told: Mapping[str, JsonValue] = payload.model_dump(mode="json") if payload else {}
        released = self.gate.wait(name, told, abandon=abandon)
        if released is not None:
            check_clock(self.order, released.clock)
        return released

    def _look(self) -> bool:
        """Look whether to go on; nothing but an error says not to.

        :raises PluginError: when the system's part here has ended, or a fault could not be done.
        """
        # Once samples are taken, whoever takes them sees an end; asking twice would cost.
        sampled = self._sampler is not None
        dead = self._dead if sampled else ended_one(self._deployed)
        if dead is not None:
            raise system_ended(dead)
        if self._faulting is not None and self._faulting.failure is not None:
            raise self._faulting.failure
        return False

    def _driver_over(self) -> bool:
        return self._look() or (self._run is not None and self._run.ending)

    def _told(self, released: Released, member: int, kind: type[Payload]) -> Payload:
        try:
            return kind.model_validate(released.state.payloads.get(member, {}))
        except ValidationError as error:
            raise PeerNotUnderstood(
                f"what member {member} of the gang told at `{released.state.name}` is not "
                f"understood: {error}",
                "all agents of a gang must be of versions that fit",
            ) from error

    # what is told

    def _own_faults(self) -> tuple[Fault, ...]:
        return tuple(each for each in self.order.faults if each.node in self._own.nodes)

    def _set_up(self) -> Description | Deployed | None:
        if self._deployed is None and self._formed is not None:
            return Description(self._formed.version, ())
        return super()._set_up()

    def _co_located(self, endpoints: tuple[str, ...]) -> bool | None:
        if any(each.nodes for each in self.order.gang):
            return shares_a_machine(self.order.gang, self._boots)
        return any_is_here(endpoints) if self._drives else None


def _begins(index: int) -> str:
    """The barrier whose release begins a phase."""
    return "connected" if index == 0 else f"phase-{index}"
