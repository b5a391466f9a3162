"""Nodes of somebody else's system that its servers name: each is held against the policy."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from weighhouse_sdk.announced import known_by, reached, told_of
from weighhouse_sdk.context import Context
from weighhouse_sdk.lifecycle import Deployed, Plugin

from weighhouse_agent.machine.policy import Policy, PolicyRefused, check_endpoint, hosts_of


class Found(NamedTuple):
    """A system whose nodes are known."""

    deployed: Deployed
    """With the nodes that are asked in the place of the endpoints that were written."""
    endpoints: tuple[str, ...]
    """Of the driver."""
    address_map: Mapping[str, str]
    """The same."""
    hosts: Mapping[str, tuple[str, ...]]
    words: str


def find_nodes(
    plugin: Plugin, context: Context, policy: Policy, deployed: Deployed
) -> Found | None:
    """Ask a system for its other nodes; None: it names none.

    :raises PolicyRefused: when one is reached where the policy lets nobody go.
    :raises PluginError: when the system is not as the target says.
    """
    nodes = plugin.find_nodes(context, deployed)
    if not nodes:
        return None
    checked = []
    for each, end in zip(nodes, reached(context.target, nodes), strict=True):
        try:
            checked.append(check_endpoint(policy, end))
        except PolicyRefused as error:
            raise PolicyRefused(
                f"the system's servers name a node {each.place}: {error.message}",
                f"{error.hint}; or say by `address_map` where that node is reached from here",
            ) from error
    ends = tuple(str(each.endpoint) for each in checked)
    spread = plugin.manifest.topology.by_client(context.target)
    known = known_by(context.target, nodes, ends, spread=spread)
    return Found(
        replace(deployed, endpoints=known.asked),
        known.loaded,
        known.address_map,
        hosts_of(checked),
        told_of(nodes, ends),
    )
