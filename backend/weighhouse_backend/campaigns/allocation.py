"""Gives queued runs to free agents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.orm import Session
from weighhouse_protocol.experiment import Experiment as Document
from weighhouse_protocol.facts import PolicyStatement
from weighhouse_protocol.load import Share

from weighhouse_backend.campaigns.gang_repository import GangRepository
from weighhouse_backend.campaigns.matching import Need, Offer, allows, can
from weighhouse_backend.campaigns.models import (
    WHOLE_MACHINE,
    Attempt,
    AttemptMember,
    Campaign,
    Cell,
    Run,
)
from weighhouse_backend.campaigns.outbox import Outbox
from weighhouse_backend.campaigns.repository import CampaignRepository
from weighhouse_backend.campaigns.states import (
    AttemptStatus,
    CancelMode,
    MemberStatus,
    RunStatus,
)
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.experiments.estimates import limit_seconds
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id

LOOK_AHEAD = 200
"""Queued runs of a campaign looked at, when the first do not fit any free agent."""

ALIVE = frozenset({"online", "busy"})


@dataclass
class _Round:
    """What is left to give out within one transaction."""

    free: list[Agent]
    running: dict[UUID, int]
    """Project → attempts under way."""
    documents: dict[UUID, Document] = field(default_factory=dict)
    given: list[Attempt] = field(default_factory=list)


@dataclass(frozen=True)
class Allocator:
    """Makes attempts: a queued run, a free agent that can do it, a fence number."""

    session: Session
    repository: CampaignRepository
    gangs: GangRepository
    transitions: Transitions
    outbox: Outbox
    fleet: FleetService
    experiments: ExperimentService
    clock: Clock

    def allocate(self) -> list[Attempt]:
        """Give out as many queued runs as there are free agents for.

        Campaigns with a higher priority come first; among equals the project with the fewest
        attempts under way; among its campaigns the oldest. A campaign's runs go in their planned
        order, each to the first agent that can do it; while a machine that the campaign was begun
        on is there, only machines alike take part, so that no side is measured on another one.

        Never waits: agents, campaigns and runs that another allocator holds are passed over, and
        the next call finds them. Agents are woken after the commit.

        :returns: the new attempts.
        """
        candidates = self.fleet.candidates()
        # Asked under the agents' locks: whoever gave one of them work before has committed.
        busy = {agent_id for agent_id, _ in self.gangs.busy_slots()}
        turn = _Round(
            free=[agent for agent in candidates if agent.id not in busy],
            running=self.gangs.running_by_project(),
        )
        waiting = list(self.repository.waiting_campaigns()) if turn.free else []
        while waiting and turn.free:
            waiting.sort(key=lambda c: (-c.priority, turn.running.get(c.project_id, 0)))
            campaign = waiting[0]
            if not self._give_next(turn, campaign):
                waiting.remove(campaign)
        return turn.given

    def _give_next(self, turn: _Round, waiting: Campaign) -> bool:
        agents = [agent for agent in turn.free if agent.project_id == waiting.project_id]
        if not agents:
            return False
        campaign = self.repository.lock_campaign(waiting.id, skip_locked=True)
        if campaign is None or campaign.paused or campaign.cancel_requested_at is not None:
            return False
        agents = self._alike(campaign, agents)
        document = turn.documents.get(campaign.revision_id)
        if document is None:
            document = self.experiments.document(campaign.revision_id)
            turn.documents[campaign.revision_id] = document
        for run, cell in self.repository.queued_runs(campaign.id, LOOK_AHEAD):
            need = need_of(document, cell, campaign.labels)
            agent = choose(agents, need)
            if agent is not None:
                turn.given.append(self._give(campaign, run, agent, need))
                turn.free.remove(agent)
                turn.running[run.project_id] = turn.running.get(run.project_id, 0) + 1
                return True
        return False

    def _alike(self, campaign: Campaign, agents: list[Agent]) -> list[Agent]:
        """Only machines like the one the campaign began on, while one of them is alive."""
        if campaign.environment is None:
            return agents
        used = (self.fleet.agent(one) for one in self.gangs.agents_used(campaign.id))
        alive = any(
            agent.fingerprint == campaign.environment
            and self.fleet.status(agent, busy=False) in ALIVE
            for agent in used
        )
        alike = [agent for agent in agents if agent.fingerprint == campaign.environment]
        return alike if alive or alike else agents

    def _give(self, campaign: Campaign, run: Run, agent: Agent, need: Need) -> Attempt:
        run.attempts_count += 1
        now = self.clock.now()
        attempt = Attempt(
            id=new_id(),
            project_id=run.project_id,
            run_id=run.id,
            number=run.attempts_count,
            status=AttemptStatus.PREPARING,
            members_count=1,
            limit_seconds=need.limit_seconds,
            offered_at=now,
        )
        external = need.target.deployment == "external"
        nodes = [] if external else list(range(1, need.target.topology.nodes + 1))
        member = AttemptMember(
            attempt_id=attempt.id,
            index=0,
            project_id=run.project_id,
            agent_id=agent.id,
            agent_name=agent.name,
            slot=WHOLE_MACHINE,
            roles=["driver"] if external else ["driver", "server"],
            nodes=nodes,
            share=Share().model_dump(mode="json"),
            address=PolicyStatement.model_validate(agent.policy).address,
            machine_id=agent.facts.get("machine_id"),
            fingerprint=agent.fingerprint,
            status=MemberStatus.OFFERED,
            cancel=CancelMode.NONE,
            progress=0.0,
            events_stored=0,
            log_offsets={},
            arrivals={},
            offered_at=now,
        )
        self.session.add(attempt)
        self.session.flush()
        self.session.add(member)
        campaign.environment = agent.fingerprint
        self.transitions.run(campaign, run, RunStatus.ALLOCATED)
        self.outbox.wake_agent(agent.id)
        return attempt


def need_of(document: Document, cell: Cell, labels: dict[str, str]) -> Need:
    """What a run of a cell asks of its agent."""
    return Need(
        target=document.targets[cell.target_index],
        load=document.load_levels[cell.load_index],
        labels=labels,
        limit_seconds=limit_seconds(document, document.workloads[cell.workload_index]),
    )


def choose(agents: Iterable[Agent], need: Need) -> Agent | None:
    """The first agent that can do a run, before others one whose policy lets it through."""
    able: Sequence[tuple[Agent, Offer]] = [
        (agent, offer) for agent in agents if can(offer := offer_of(agent), need)
    ]
    willing = [agent for agent, offer in able if allows(offer.policy, need)]
    return next(iter(willing), able[0][0] if able else None)


def offer_of(agent: Agent) -> Offer:
    """What an agent has."""
    return Offer(
        roles=frozenset(agent.roles),
        labels=agent.labels,
        deployments=agent.deployments,
        policy=PolicyStatement.model_validate(agent.policy),
        versions=agent.plugins,
    )
