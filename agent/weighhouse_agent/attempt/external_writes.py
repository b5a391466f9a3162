"""Holds what an order would write to a system that somebody else runs against the policy."""

from weighhouse_protocol.chain_links import links_of
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.records import writes

from weighhouse_agent.machine.policy import Policy, PolicyRefused


def check_writes(policy: Policy, order: AttemptOrder) -> None:
    """Refuse orders that write more to an external system than `external` of the policy lets them.

    :raises PolicyRefused: naming the workload, and the key of the policy.
    """
    if order.target.deployment != "external" or policy.external == "all":
        return
    for link in links_of(order):
        loads = any(phase.kind == "load" for phase in link.phases)
        if not loads and not writes(link.workload, link.load):
            continue
        name = link.workload.name
        if policy.external == "read":
            what, mend = ("loads records", "data: keep") if loads else ("writes", "reads alone")
            raise _refusal(f"workload `{name}`, which {what}", "read", mend)
        if link.workload.key_prefix is None:
            what = f"workload `{name}`, which writes keys without a key_prefix"
            raise _refusal(what, "prefix", "a key_prefix")


def _refusal(what: str, allowed: str, mend: str) -> PolicyRefused:
    return PolicyRefused(
        f"this machine's policy does not accept {what}, to an external system; external: {allowed}",
        f"ask for {mend}; the operator of the machine may change `external` in the agent's "
        "policy.toml, or let the run go to another agent",
    )
