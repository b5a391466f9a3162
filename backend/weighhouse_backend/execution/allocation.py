"""Gives queued runs to gangs of free agents."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from weighhouse_protocol.experiment import Experiment as Document
from weighhouse_protocol.machine_kinds import first_alike
from weighhouse_protocol.provisioner import PROVISION

from weighhouse_backend.campaigns.documents import measured_document
from weighhouse_backend.campaigns.feasibility import spots_of
from weighhouse_backend.campaigns.outbox import Outbox
from weighhouse_backend.campaigns.placement import (
    Need,
    Part,
    Spot,
    gang,
    lacking,
    need_of,
    willing,
)
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.execution.blocks import BlockService, Earlier
from weighhouse_backend.execution.fair_share import Shares
from weighhouse_backend.execution.machine_time import shares_lately
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.quotas.guard import QuotaGuard
from weighhouse_backend.runs.attempt_repository import GangRepository
from weighhouse_backend.runs.models import Attempt, AttemptMember, Campaign, Cell, Run
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import (
    AttemptStatus,
    CampaignStatus,
    CancelMode,
    MemberStatus,
    RunStatus,
)

log = structlog.get_logger(__name__)

TOLD_EACH, TURN = datetime.timedelta(seconds=30), datetime.timedelta(seconds=3)
"""How often a campaign is told what it waits for while no machine is free, by turns so long."""
LOOK_AHEAD = 200
"""Queued runs of a campaign looked at, when the first do not fit any free agent."""
REASON_LENGTH = 500
NO_MACHINE = (
    "no machine is lent to this project: enrol one in it, or ask who maintains a machine's project "
    "to lend it, on the page of the machine"
)


@dataclass
class _Round:
    """What is left to give out within one transaction; everything is read once."""

    shares: Shares
    """What projects used of machines lately, and are given now."""
    spots: dict[UUID, list[Spot]] = field(default_factory=dict)
    """Project → all slots of its agents that may take work, busy ones too."""
    busy: set[tuple[UUID, str]] = field(default_factory=set)
    documents: dict[UUID, Document] = field(default_factory=dict)
    queued: dict[UUID, list[tuple[Run, Cell]]] = field(default_factory=dict)
    begun: dict[UUID, dict[int, list[AttemptMember]]] = field(default_factory=dict)
    """Campaign → its blocks that have begun → their members."""
    earlier: dict[UUID, Earlier] = field(default_factory=dict)
    """Campaign → what its blocks were on until now."""
    given: list[Attempt] = field(default_factory=list)

    def free(self, spots: Sequence[Spot]) -> list[Spot]:
        """Those of some slots that nothing occupies."""
        return [spot for spot in spots if (spot.agent_id, spot.slot) not in self.busy]


@dataclass(frozen=True)
class _Choice:
    """What a run gets, or whom it waits for."""

    parts: list[Part] | None = None
    waits_for: str | None = None


@dataclass(frozen=True)
class Allocator:
    """Makes attempts: a queued run, the gang of free agents that can do it, a fence number."""

    session: Session
    repository: CampaignRepository
    gangs: GangRepository
    blocks: BlockService
    transitions: Transitions
    outbox: Outbox
    fleet: FleetService
    experiments: ExperimentService
    quotas: QuotaGuard
    clock: Clock

    def allocate(self) -> list[Attempt]:
        """Give out as many queued runs as there are free agents for: a gang whole or not at all.

        The project that used the fewest machine-seconds lately comes first; within it the
        campaign with the highest priority, then the oldest. A campaign's runs go in their planned
        order; a block stays on the machines it began on, and different blocks may go to different
        machines at the same time.

        Where a quota bounds how many runs are under way, the others wait and say so.

        Looks for waiting work before it looks at agents, and locks only those it gives work.
        Never waits: what another allocator holds is passed over, and the next call finds it. A
        campaign that cannot be read is set aside with the reason. Agents are woken after the
        commit.

        :returns: the new attempts.
        """
        waiting = list(self.repository.waiting_campaigns())
        if not waiting:
            return []
        turn = _Round(
            shares=shares_lately(self.session, self.clock.now()), busy=self.gangs.busy_slots()
        )
        in_turn = turn.shares.in_turn(waiting)
        while in_turn:
            given = self._serve(turn, in_turn[0])
            in_turn = turn.shares.in_turn(in_turn) if given else in_turn[1:]
        return turn.given

    def _serve(self, turn: _Round, campaign: Campaign) -> bool:
        try:
            spots = self._spots(turn, campaign.project_id)
            if spots and not turn.free(spots) and not self._looks_again(campaign):
                return False  # nothing can be given out: only what it waits for could be told
            with self.session.begin_nested():
                return self._give_next(turn, campaign, spots)
        except SQLAlchemyError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, everybody else goes on
            reason = f"{type(error).__name__}: {error}"[:REASON_LENGTH]
            log.warning("campaign_set_aside", campaign_id=str(campaign.id), reason=reason)
            held = self.repository.lock_campaign(campaign.id, skip_locked=True)
            if held is not None:
                held.set_aside = reason
            return False

    def _looks_again(self, campaign: Campaign) -> bool:
        """Whether it is a campaign's turn to be told what it waits for, while no machine of its
        project is free: hundreds that wait are not all read each time somebody looks.
        """
        now = self.clock.now()
        turns = round(TOLD_EACH / TURN)
        of_now = int(now.timestamp() / TURN.total_seconds())
        return now - campaign.created_at < TOLD_EACH or of_now % turns == campaign.id.int % turns

    def _give_next(self, turn: _Round, campaign: Campaign, spots: list[Spot]) -> bool:
        full = self.quotas.why_waiting(campaign.project_id)
        if full is not None:
            self._tell_waiting(campaign, full or campaign.waiting_for)
            return False
        document = self._document(turn, campaign)
        queued = turn.queued.get(campaign.id)
        if queued is None:
            queued = list(self.repository.queued_runs(campaign.id, LOOK_AHEAD))
            turn.queued[campaign.id] = queued
        made = campaign.labels.get(PROVISION)
        if made and not any(spot.offer.labels.get(PROVISION) == made for spot in spots):
            return False  # whoever makes them says what it waits for
        free = turn.free(spots)
        begun = turn.begun.get(campaign.id)
        if begun is None:
            begun = turn.begun[campaign.id] = self.blocks.begun(campaign.id)
            turn.earlier[campaign.id] = self.blocks.earlier(campaign.id)
        earlier = turn.earlier[campaign.id]
        first_wait: str | None = None
        tried: set[tuple[UUID, int | None]] = set()
        for run, cell in queued if free or not spots else queued[:1]:
            key = (cell.id, run.block if run.block in begun else None)
            if key in tried:
                continue  # what did not fit does not fit in another repetition
            tried.add(key)
            known = begun.get(run.block, ())
            choice = self._choose(campaign, run, document, cell, known, earlier, spots, free)
            if choice.parts is not None:
                return self._give(turn, campaign, run, _need(document, cell), choice.parts)
            first_wait = first_wait or choice.waits_for
        if not spots and not self.fleet.enrolled(campaign.project_id):
            first_wait = NO_MACHINE
        self._tell_waiting(campaign, first_wait)
        return False

    def _choose(
        self,
        campaign: Campaign,
        run: Run,
        document: Document,
        cell: Cell,
        begun: Sequence[AttemptMember],
        earlier: Earlier,
        spots: Sequence[Spot],
        free: Sequence[Spot],
    ) -> _Choice:
        need = _need(document, cell)
        others = _block_needs(document, cell)
        if begun:
            return self._go_on(campaign, run, need, begun, spots, free)
        if gang(able := willing(spots, need), need) is not None:
            # Who would refuse it is left to other runs, also while the others are at work.
            spots, free = able, willing(free, need)
        free = earlier.like_before(campaign.environment, free, spots)
        parts = gang(free, need, others)
        if parts is None and gang(spots, need, others) is None:
            parts = gang(free, need)  # no gang can do all sides: each goes where it can
        return _Choice(parts, None if parts else lacking(spots, need))

    def _go_on(
        self,
        campaign: Campaign,
        run: Run,
        need: Need,
        begun: Sequence[AttemptMember],
        spots: Sequence[Spot],
        free: Sequence[Spot],
    ) -> _Choice:
        """Where a block that has begun goes on: on its machines, or on successors alike."""
        order = {member.agent_id: place for place, member in enumerate(begun)}
        own = sorted(
            (spot for spot in free if spot.agent_id in order), key=lambda s: order[s.agent_id]
        )
        parts = gang(own, need)
        if parts is not None:
            return _Choice(parts)
        alive = [spot for spot in spots if spot.agent_id in order]
        if gang(alive, need) is not None:
            names = sorted({member.agent_name for member in begun})
            return _Choice(waits_for=f"waits for {', '.join(names)}, where its block began")
        if all(
            self.blocks.is_there(agent_id) for agent_id in order
        ):  # they never could: this side is measured elsewhere, and a finding says so
            parts = gang(free, need)
            return _Choice(parts, None if parts else lacking(spots, need))
        return self._succeed(campaign, run, need, begun, spots, free)

    def _succeed(
        self,
        campaign: Campaign,
        run: Run,
        need: Need,
        begun: Sequence[AttemptMember],
        spots: Sequence[Spot],
        free: Sequence[Spot],
    ) -> _Choice:
        """Machines of a block are lost: go on with others of their kind, else begin it again."""
        gone = [member for member in begun if not self.blocks.is_there(member.agent_id)]
        own = {member.agent_id for member in begun}
        kinds = [member.fingerprint for member in gone if member.fingerprint]

        def stands_in(spot: Spot) -> bool:
            return spot.agent_id in own or first_alike(spot.kind, kinds) is not None

        parts = gang([spot for spot in free if stands_in(spot)], need)
        if parts is not None:
            return _Choice(parts)
        if gang([spot for spot in spots if stands_in(spot)], need) is not None:
            return _Choice(waits_for="waits for a machine like the one that was lost")
        parts = gang(free, need)
        if parts is None:
            return _Choice(waits_for=lacking(spots, need))
        lost = ", ".join(sorted({member.agent_name for member in gone}))
        if not self.blocks.begin_again(campaign, run.block, lost):
            return _Choice(waits_for="waits until what its block measured is settled")
        return _Choice(parts)

    def _give(
        self, turn: _Round, waiting: Campaign, run: Run, need: Need, parts: Sequence[Part]
    ) -> bool:
        ids = sorted({part.spot.agent_id for part in parts})
        agents = {agent.id: agent for agent in self.fleet.lock_free(ids)}
        # Asked again under the agents' locks: whoever gave one of them work before has committed.
        occupied = self.gangs.busy_slots(ids)
        turn.busy |= occupied
        if len(agents) < len(ids) or any(_slot(part) in occupied for part in parts):
            turn.busy |= {_slot(part) for part in parts if part.spot.agent_id not in agents}
            return len(agents) == len(ids)
        campaign = self.repository.lock_campaign(waiting.id, skip_locked=True)
        if campaign is None or campaign.paused or campaign.cancel_requested_at is not None:
            return False
        if not self.repository.lock_queued(run.id):
            turn.queued.pop(campaign.id, None)
            return False
        attempt = self._attempt(run, need, len(parts))
        for index, part in enumerate(parts):
            member = _member(attempt, index, part, agents[part.spot.agent_id])
            self.session.add(member)
            self.outbox.wake_agent(member.agent_id)
        campaign.environment = agents[parts[0].spot.agent_id].fingerprint
        campaign.waiting_for = None
        self.transitions.run(campaign, run, RunStatus.ALLOCATED)
        turn.given.append(attempt)
        turn.busy |= {_slot(part) for part in parts}
        turn.queued.pop(campaign.id, None)
        turn.begun.pop(campaign.id, None)
        turn.shares.charge(run.project_id, len(parts), run.estimated_seconds)
        return True

    def _attempt(self, run: Run, need: Need, members: int) -> Attempt:
        run.attempts_count += 1
        attempt = Attempt(
            id=new_id(),
            project_id=run.project_id,
            run_id=run.id,
            number=run.attempts_count,
            status=AttemptStatus.PREPARING,
            members_count=members,
            limit_seconds=need.limit_seconds,
            releases={},
            offered_at=self.clock.now(),
        )
        self.session.add(attempt)
        self.session.flush()
        return attempt

    def _tell_waiting(self, campaign: Campaign, text: str | None) -> None:
        if campaign.waiting_for == text:
            return
        held = self.repository.lock_campaign(campaign.id, skip_locked=True)
        if held is not None and held.status in {CampaignStatus.QUEUED, CampaignStatus.RUNNING}:
            held.waiting_for = text
            self.outbox.campaign(held)

    def _document(self, turn: _Round, campaign: Campaign) -> Document:
        document = turn.documents.get(campaign.id)
        if document is None:
            document = _at_home(measured_document(self.experiments, campaign), campaign)
            turn.documents[campaign.id] = document
        return document

    def _spots(self, turn: _Round, project_id: UUID) -> list[Spot]:
        spots = turn.spots.get(project_id)
        if spots is None:
            spots = turn.spots[project_id] = spots_of(
                self.fleet.candidates(project_id), self.fleet.plugins_in_force(project_id)
            )
        return spots


def _at_home(document: Document, campaign: Campaign) -> Document:
    """The document with the label of the machines that were made for the campaign, if any were."""
    made = campaign.labels.get(PROVISION)
    if made is None:
        return document
    labels = {**document.placement.labels, PROVISION: made}
    placement = document.placement.model_copy(update={"labels": labels})
    return document.model_copy(update={"placement": placement})


def _member(attempt: Attempt, index: int, part: Part, agent: Agent) -> AttemptMember:
    return AttemptMember(
        attempt_id=attempt.id,
        index=index,
        project_id=attempt.project_id,
        agent_id=agent.id,
        agent_name=agent.name,
        slot=part.spot.slot,
        roles=list(part.roles),
        nodes=list(part.nodes),
        share=None if part.share is None else part.share.model_dump(mode="json"),
        address=part.spot.offer.policy.address,
        machine_id=agent.facts.get("machine_id"),
        fingerprint=agent.fingerprint,
        status=MemberStatus.OFFERED,
        cancel=CancelMode.NONE,
        progress=0.0,
        events_stored=0,
        log_offsets={},
        arrivals={},
        offered_at=attempt.offered_at,
    )


def _slot(part: Part) -> tuple[UUID, str]:
    return part.spot.agent_id, part.spot.slot


def _need(document: Document, cell: Cell) -> Need:
    return need_of(document, cell.target_index, cell.workload_index, cell.load_index)


def _block_needs(document: Document, cell: Cell) -> list[Need]:
    """What the other sides of a cell's block need."""
    return [
        need_of(document, target, cell.workload_index, cell.load_index)
        for target in range(len(document.targets))
        if target != cell.target_index
    ]
