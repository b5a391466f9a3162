"""What an order says of the gang that this agent is a member of, and whether it may be one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from weighhouse_protocol.order import AttemptOrder, GangMember
from weighhouse_protocol.report import ClockOffset
from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.errors import PluginError

from weighhouse_agent.machine.policy import Policy, PolicyRefused, check_host

US = 1_000_000


class ClockApart(PluginError):
    """This machine's clock is so wrong that its part would not be of the common time."""

    kind = "infrastructure"


def is_gang(order: AttemptOrder) -> bool:
    """Whether there are others to keep step with; one member goes without barriers."""
    return len(order.gang) > 1


def own_member(order: AttemptOrder) -> GangMember:
    """This agent's part."""
    return next(each for each in order.gang if each.index == order.member)


def makes_load(order: AttemptOrder) -> bool:
    """Whether a driver is to work here."""
    return not is_gang(order) or own_member(order).share is not None


def lead_of(order: AttemptOrder) -> GangMember:
    """Who makes one system of the nodes: the first that has any, or the first of all when the
    system was there before.
    """
    return next((each for each in order.gang if each.nodes), order.gang[0])


def shares_a_machine(gang: Sequence[GangMember], boots: Mapping[int, str]) -> bool:
    """Whether a member makes load on a machine that another, or itself, has nodes on.

    :param boots: member → the boot of its machine, which no two machines share; where one did not
        tell, two with one address are on one machine.
    """

    def together(one: GangMember, other: GangMember) -> bool:
        known = boots.get(one.index), boots.get(other.index)
        return known[0] == known[1] if all(known) else one.address == other.address

    servers = [each for each in gang if each.nodes]
    drivers = [each for each in gang if each.share is not None]
    return any(together(*pair) for pair in product(servers, drivers))


def check_peers(policy: Policy, order: AttemptOrder) -> None:
    """Hold the machines of the other members against the networks that the policy allows.

    :raises PolicyRefused: naming the member, its address and the key of the policy.
    """
    for member in order.gang:
        if member.index == order.member:
            continue
        try:
            check_host(policy, member.address)
        except PolicyRefused as error:
            raise PolicyRefused(
                f"member {member.index} of the gang, agent `{member.agent_name}`: {error.message}",
                error.hint,
            ) from error


def options_among_peers(policy: Policy, order: AttemptOrder, options: HostOptions) -> HostOptions:
    """What plugins are told of the machine: nodes listen where the other members reach them.

    :raises PolicyRefused: when that is not the address that this machine's own policy tells.
    """
    if not is_gang(order) or not own_member(order).nodes:
        return options
    wanted, own = own_member(order).address, policy.statement().address
    if wanted != own:
        raise PolicyRefused(
            f"the platform has peers reach this machine at {wanted}, its policy says {own}",
            "restart the agent, so that the platform learns of the change",
        )
    check_host(policy, wanted)
    return replace(options, host=wanted)


def check_clock(order: AttemptOrder, clock: ClockOffset | None) -> None:
    """Hold this machine's clock against the platform's, before anything begins by it.

    :raises ClockApart: when it is off by more than the shortest phase lasts.
    """
    planned = (phase.duration_seconds for phase in order.phases)
    shortest = min((each for each in planned if each is not None), default=None)
    if clock is None or shortest is None:
        return
    if abs(clock.offset_us) - clock.error_us <= shortest * US:
        return
    how = "behind" if clock.offset_us > 0 else "ahead of"
    raise ClockApart(
        f"this machine's clock is {abs(clock.offset_us) / US:.1f} s {how} the platform's, which is "
        f"more than a phase of {shortest:g} s",
        "let chrony or systemd-timesyncd set it; `timedatectl` tells whether they do",
    )
