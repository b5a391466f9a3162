"""An agent as people see it. Pure."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from uuid import UUID

from weighhouse_backend.catalog.service import Bringer, Offered
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.schemas import AgentRead, AgentStatus, PluginOnAgent
from weighhouse_backend.fleet.software import REFUSED, UNDER_WAY, AgentSoftware
from weighhouse_backend.kit.etags import etag
from weighhouse_backend.kit.schemas import read_of

Offers = Mapping[tuple[UUID, str], Offered]
"""Agent and plugin → what the agent has."""


def shown(
    agent: Agent,
    status: AgentStatus,
    run_id: UUID | None,
    offers: Offers,
    software: AgentSoftware,
    silent_seconds: float | None = None,
) -> AgentRead:
    """An agent.

    :param run_id: what it is at.
    :param software: how its program stands.
    :param offers: of agents that work for the same projects.
    :param silent_seconds: since something was heard of it, where it ought to be heard of.
    """
    return read_of(
        AgentRead,
        agent,
        status=status,
        no_work=no_work(agent, status, software, silent_seconds),
        software=software,
        current_run_id=run_id,
        last_heartbeat_at=agent.seen_at,
        plugins=_plugins(agent, offers),
    )


def no_work(
    agent: Agent,
    status: AgentStatus,
    software: AgentSoftware,
    silent_seconds: float | None = None,
) -> str | None:
    """Why an agent is given no work now, in words; None: it would be."""
    if status == "revoked":
        return "it was revoked; enrol it again with a new registration token"
    if agent.process_id is None or agent.seen_at is None:
        return "its program was never started: `weighhouse agent start`"
    software_says = _told_of_software(agent, software)
    if software_says is not None:
        return software_says
    if status == "unreachable":
        if silent_seconds is not None:
            heard = f"for {silent_seconds:.0f} s, though it is at work"
        else:
            heard = f"since {agent.seen_at:%Y-%m-%d %H:%M} UTC"
        return f"nothing was heard of it {heard}"
    if agent.draining:
        return "it drains: a maintainer asked for it"
    unlent = agent.lent_to is not None and not agent.lent_to
    return "it is lent to no project" if unlent else agent.resting


def _told_of_software(agent: Agent, software: AgentSoftware) -> str | None:
    update = software.update
    if update is not None and update.state in UNDER_WAY:
        return f"it is being brought up from {update.before} to {update.version}"
    if software.standing in REFUSED:
        return (
            f"its version {agent.agent_version} is not one that this platform "
            f"({software.platform_version}) works with: it takes the last two minor versions"
        )
    return None


def tag_of(agent: Agent) -> str:
    """Entity tag of what people change of an agent."""
    content = json.dumps([agent.labels, texts(agent.lent_to)], sort_keys=True)
    return etag(hashlib.sha256(content.encode()).hexdigest()[:16])


def bringer_of(agent: Agent) -> Bringer:
    """An agent, as one that brings manifests."""
    return Bringer(agent.id, agent.organization_id, agent.project_id, agent.lent_to, agent.trusted)


def texts(ids: Sequence[UUID] | None) -> list[str] | None:
    """Ids as JSON has them."""
    return None if ids is None else [str(one) for one in ids]


def _plugins(agent: Agent, offers: Offers) -> list[PluginOnAgent]:
    versions = {**dict.fromkeys(agent.set_aside, ""), **agent.plugins}
    found = []
    for plugin_id, version in sorted(versions.items()):
        offer = offers.get((agent.id, plugin_id))
        found.append(
            PluginOnAgent(
                id=plugin_id,
                version=str(version),
                digest=offer.digest if offer else None,
                differs=offer is not None and offer.differs,
                set_aside=agent.set_aside.get(plugin_id),
                waits_in=list(offer.waits_in) if offer else [],
            )
        )
    return found
