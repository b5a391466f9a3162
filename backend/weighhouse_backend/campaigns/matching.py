"""Which agent may take which run. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from weighhouse_protocol.facts import PolicyStatement
from weighhouse_protocol.load import ClosedLoad, OpenLoad
from weighhouse_protocol.target import Target

ANY_PLUGIN = "*"


@dataclass(frozen=True)
class Need:
    """What a run asks of an agent."""

    target: Target
    load: ClosedLoad | OpenLoad
    labels: Mapping[str, str]
    limit_seconds: float


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


def can(offer: Offer, need: Need) -> bool:
    """Whether an agent has the roles, labels, plugins and deployment a run needs, and the plugin
    in the version that the target names, if it names one.

    A system that is deployed shares the driver's machine, so one agent has to be in both roles.
    """
    external = need.target.deployment == "external"
    roles = {"driver"} if external else {"driver", "server"}
    return (
        roles <= offer.roles
        and all(offer.labels.get(name) == value for name, value in need.labels.items())
        and need.target.plugin_version in {"any", offer.versions.get(need.target.system)}
        and need.target.deployment in set(offer.deployments.get(need.target.system, ()))
        and (need.target.tool is None or need.target.tool in offer.deployments)
    )


def allows(policy: PolicyStatement, need: Need) -> bool:
    """Whether an agent's own policy, as it stated it, lets a run through.

    The agent checks for itself and refuses; this only spares an attempt where another agent would
    take the run.
    """
    load = need.load
    plugins = {need.target.system, need.target.tool or need.target.system}
    clients = load.clients if isinstance(load, ClosedLoad) else load.connections
    rate = load.rate_per_second if isinstance(load, OpenLoad) else None
    return (
        (ANY_PLUGIN in policy.plugins or plugins <= set(policy.plugins))
        and need.target.deployment in policy.deployments
        and need.limit_seconds <= policy.max_run_seconds
        and (policy.max_clients is None or clients <= policy.max_clients)
        and (policy.max_rate_per_second is None or (rate or 0.0) <= policy.max_rate_per_second)
    )
