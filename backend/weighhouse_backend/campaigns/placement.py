"""Which agents may take a run together, and what each does of it. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.facts import PolicyStatement
from weighhouse_protocol.load import ClosedLoad, OpenLoad, Share
from weighhouse_protocol.placement import Placement
from weighhouse_protocol.provisioner import PROVISION
from weighhouse_protocol.target import Target

from weighhouse_backend.experiments.estimates import limit_seconds

ANY_PLUGIN = "*"
Role = Literal["server", "driver"]


@dataclass(frozen=True)
class Need:
    """What a run asks of its gang."""

    target: Target
    load: ClosedLoad | OpenLoad
    labels: Mapping[str, str]
    """Of every agent."""
    limit_seconds: float
    placement: Placement = field(default_factory=Placement)
    load_clients: int = 0
    """Clients that fill the table before."""

    @property
    def servers(self) -> int:
        """Machines that hold nodes: none for a system that is there already."""
        if self.target.deployment == "external":
            return 0
        return min(self.placement.servers.machines, self.target.topology.nodes)

    @property
    def drivers(self) -> int:
        """Machines that make load; a system inside the driver has one."""
        return 1 if self.target.deployment == "in_process" else self.placement.drivers.machines

    @property
    def apart(self) -> str:
        """Whether drivers and servers are on different machines."""
        inside = self.target.deployment in {"in_process", "external"}
        return "no" if inside else self.placement.apart

    def labels_of(self, role: Role) -> dict[str, str]:
        """Labels that an agent in a role must carry."""
        own = self.placement.servers if role == "server" else self.placement.drivers
        return {**self.labels, **own.labels}

    def words(self, role: Role, count: int) -> str:
        """What it asks for in a role, for people: `3 agents with role server and label role=db`."""
        agents = "1 agent" if count == 1 else f"{count} agents"
        labels = [f"{name}={value}" for name, value in sorted(self.labels_of(role).items())]
        kinds = ", ".join(dict.fromkeys((self.target.system, self.target.tool or "")))
        found = f"{agents} with role {role} and plugin {kinds.rstrip(', ')}"
        return f"{found}, label {', '.join(labels)}" if labels else found


@dataclass(frozen=True)
class Offer:
    """What an agent has, as it said when it opened its session."""

    roles: frozenset[str]
    labels: Mapping[str, Any]
    deployments: Mapping[str, Iterable[str]]
    """Plugin → deployments; a load tool has none."""
    policy: PolicyStatement
    versions: Mapping[str, str] = field(default_factory=dict)
    """Plugin → its version."""
    waiting: frozenset[str] = frozenset()
    """Plugins that it has, whose manifests wait until somebody accepts them in the project."""


@dataclass(frozen=True)
class Spot:
    """A free slot of an agent."""

    agent_id: UUID
    slot: str
    offer: Offer = field(compare=False)
    """Not looked at when spots are compared: a fleet's are compared often."""
    kind: str = field(default="", compare=False)
    """Kind of the agent's machine as it is now."""


@dataclass(frozen=True)
class Part:
    """What one member does."""

    spot: Spot
    roles: tuple[Role, ...]
    nodes: tuple[int, ...]
    """Numbers of the nodes on its machine, from 1."""
    share: Share | None


def fits(offer: Offer, need: Need, roles: Collection[Role]) -> bool:
    """Whether an agent has the roles, labels, plugins and deployment that a part needs; and
    the plugin in the version that the target names, if it names one.
    """
    external = need.target.deployment == "external"
    asked = set(roles) - ({"server"} if external else set())
    return (
        asked <= offer.roles
        and offer.labels.get(PROVISION) == need.labels.get(PROVISION)
        and all(
            offer.labels.get(name) == value
            for role in roles
            for name, value in need.labels_of(role).items()
        )
        and need.target.plugin_version in {"any", offer.versions.get(need.target.system)}
        and need.target.deployment in set(offer.deployments.get(need.target.system, ()))
        and (
            "driver" not in asked
            or need.target.tool is None
            or need.target.tool in offer.deployments
        )
    )


def allows(policy: PolicyStatement, need: Need) -> bool:
    """Whether an agent's own policy, as it stated it, lets a run through.

    The agent checks for itself and refuses; this only spares an attempt where another agent would
    take the run.
    """
    load = need.load
    plugins = {need.target.system, need.target.tool or need.target.system}
    clients = load.clients if isinstance(load, ClosedLoad) else load.connections
    clients = max(clients, need.load_clients)
    rate = load.rate_per_second if isinstance(load, OpenLoad) else None
    return (
        (ANY_PLUGIN in policy.plugins or plugins <= set(policy.plugins))
        and need.target.deployment in policy.deployments
        and need.limit_seconds <= policy.max_run_seconds
        and (policy.max_clients is None or clients <= policy.max_clients)
        and (policy.max_rate_per_second is None or (rate or 0.0) <= policy.max_rate_per_second)
    )


def willing(spots: Iterable[Spot], need: Need) -> list[Spot]:
    """Those whose agents' own policies let a run through."""
    return [spot for spot in spots if allows(spot.offer.policy, need)]


def gang(spots: Sequence[Spot], need: Need, also: Sequence[Need] = ()) -> list[Part] | None:
    """The members of a gang: all that a run needs, or None.

    Every member is another agent. Where machines may be shared, drivers share those of servers
    first, so that an experiment without a placement is one agent's. Agents whose policy lets the
    run through go before others; else the order of the spots decides.

    :param also: what other runs of the block need: a spot has to fit them, too.
    """
    willing = sorted(spots, key=lambda spot: not allows(spot.offer.policy, need))
    usable = {role: [spot for spot in willing if _fits_all(spot, role, need, also)]
              for role in ("server", "driver")}  # fmt: skip
    if need.apart != "no":
        found = _gang_apart(usable["server"], usable["driver"], need)
        if found is not None or need.apart == "required":
            return found
    return _gang_together(usable["server"], usable["driver"], need)


def _fits_all(spot: Spot, role: str, need: Need, also: Sequence[Need]) -> bool:
    part: Role = "server" if role == "server" else "driver"
    return all(fits(spot.offer, one, [part]) for one in (need, *also))


def _gang_together(
    servers: Sequence[Spot], drivers: Sequence[Spot], need: Need
) -> list[Part] | None:
    able = set(drivers)
    both = [spot for spot in servers if spot in able]
    order = [*both, *(spot for spot in servers if spot not in able)]
    holding = _one_an_agent(order, need.servers)
    taken = {spot.agent_id for spot in holding}
    sharing = [spot for spot in holding if spot in able][: need.drivers]
    others = [spot for spot in drivers if spot.agent_id not in taken]
    driving = [*sharing, *_one_an_agent(others, need.drivers - len(sharing))]
    return _parts(holding, driving, need)


def _gang_apart(servers: Sequence[Spot], drivers: Sequence[Spot], need: Need) -> list[Part] | None:
    # Those that can do one thing alone go first, so that the others are left for the rest.
    able, holders = set(drivers), set(servers)
    only = [spot for spot in servers if spot not in able]
    order = [*only, *(spot for spot in servers if spot in able)]
    holding = _one_an_agent(order, need.servers)
    taken = {spot.agent_id for spot in holding}
    left = [spot for spot in drivers if spot.agent_id not in taken]
    left.sort(key=lambda spot: spot in holders)
    return _parts(holding, _one_an_agent(left, need.drivers), need)


def _one_an_agent(spots: Iterable[Spot], count: int) -> list[Spot]:
    found: dict[UUID, Spot] = {}
    for spot in spots:
        if len(found) < count:
            found.setdefault(spot.agent_id, spot)
    return list(found.values())


def _parts(holding: Sequence[Spot], driving: Sequence[Spot], need: Need) -> list[Part] | None:
    if len(holding) < need.servers or len(driving) < need.drivers:
        return None
    spots = [*holding, *(spot for spot in driving if spot not in holding)]
    parts = []
    for spot in spots:
        roles: list[Role] = []
        if spot in driving:
            roles.append("driver")
        if spot in holding:
            roles.append("server")
        parts.append(
            Part(
                spot=spot,
                roles=tuple(roles),
                nodes=nodes_of(holding.index(spot), need) if spot in holding else (),
                share=Share(index=driving.index(spot), of=need.drivers)
                if spot in driving
                else None,
            )
        )
    return parts


def nodes_of(server: int, need: Need) -> tuple[int, ...]:
    """Nodes of the server machine number `server`, from 0: nodes are dealt in turn."""
    return tuple(range(server + 1, need.target.topology.nodes + 1, need.servers))


def need_of(document: Experiment, target: int, workload: int, load: int) -> Need:
    """What a run of a cell asks of its gang, by positions in the document."""
    return Need(
        target=document.targets[target],
        load=document.load_of(target, workload, load),
        labels=document.placement.labels,
        limit_seconds=limit_seconds(document, document.workloads[workload]),
        placement=document.placement,
        load_clients=document.phases.load_clients,
    )


def lacking(spots: Sequence[Spot], need: Need) -> str | None:
    """What agents lack for a run, in words; None when a gang can be made of them."""
    if gang(spots, need) is not None:
        return None
    counted = {
        role: len({spot.agent_id for spot in spots if _fits_all(spot, role, need, ())})
        for role in ("server", "driver")
    }
    for role, asked in (("server", need.servers), ("driver", need.drivers)):
        known: Role = "server" if role == "server" else "driver"
        if counted[role] < asked:
            there = "there is 1" if counted[role] == 1 else f"there are {counted[role]}"
            return f"you need {need.words(known, asked)}; {there}{_waiting(spots, need)}"
    together = "on machines of their own" if need.apart == "required" else "together"
    return (
        f"you need {need.words('server', need.servers)} and "
        f"{need.words('driver', need.drivers)}, {together}"
    )


def _waiting(spots: Sequence[Spot], need: Need) -> str:
    """How many agents would have the plugin, were its manifest accepted."""
    wanted = {need.target.system, need.target.tool}
    count = len({spot.agent_id for spot in spots if wanted & spot.offer.waiting})
    if count == 0:
        return ""
    return f"; {count} more once the manifest is accepted that waits under Systems"
