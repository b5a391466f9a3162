"""What agents offer, and whether those that are enrolled could ever carry out what an experiment
places.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

import structlog
from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.facts import PolicyStatement

from weighhouse_backend.campaigns.placement import Offer, Spot, lacking, need_of
from weighhouse_backend.fleet.models import Agent

log = structlog.get_logger(__name__)


def never_possible(document: Experiment, spots: Sequence[Spot]) -> list[FieldError]:
    """What no gang of agents could do, whoever of them is free or reachable.

    :param spots: all slots of all agents that are enrolled; none: agents may yet come.
    :returns: one error a target.
    """
    if not spots:
        return []
    errors = []
    for index, target in enumerate(document.targets):
        words = lacking(spots, need_of(document, index, 0, 0))
        if words is not None:
            errors.append(
                FieldError(
                    path="placement",
                    message=f"{target.name}: no agents could do this: {words}",
                    expected="labels and machines as the agents have them, or more agents",
                )
            )
    return errors


def offer_of(agent: Agent, in_force: frozenset[str]) -> Offer:
    """What an agent has.

    :param in_force: plugins that it may be given work of.
    """
    return Offer(
        roles=frozenset(agent.roles),
        labels=agent.labels,
        deployments={name: has for name, has in agent.deployments.items() if name in in_force},
        policy=PolicyStatement.as_kept(agent.policy),
        versions=agent.plugins,
        waiting=frozenset(agent.deployments) - in_force,
    )


def spots_of(agents: Sequence[Agent], in_force: Mapping[UUID, frozenset[str]]) -> list[Spot]:
    """All slots of agents; one whose policy cannot be read has none.

    :param in_force: agent → plugins that it may be given work of.
    """
    found = []
    for agent in agents:
        try:
            offer = offer_of(agent, in_force.get(agent.id, frozenset()))
        except ValueError as error:
            log.warning("agent_passed_over", agent=agent.name, reason=str(error))
            continue
        found += [
            Spot(agent.id, slot.name, offer, agent.fingerprint) for slot in offer.policy.slots
        ]
    return found
