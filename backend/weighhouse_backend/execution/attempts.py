"""Attempts as their members see them: claim, start, heartbeat, completion."""

import datetime
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.report import (
    AttemptState,
    Completion,
    CompletionAnswer,
    Heartbeat,
    HeartbeatAnswer,
)

from weighhouse_backend.campaigns.documents import measured_document
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.execution.gangs import GangService, awaits_result
from weighhouse_backend.execution.orders import Work, attempt_token, order_of
from weighhouse_backend.execution.shared_data import Earlier, on_the_same_system
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.errors import AgentRefused
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.runs.attempt_repository import GangRepository, Held
from weighhouse_backend.runs.errors import AttemptNotYours, AttemptTokenInvalid, EventsMissing
from weighhouse_backend.runs.instants import microseconds
from weighhouse_backend.runs.models import WHOLE_MACHINE, AttemptMember, Cell
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import (
    LIVE_ATTEMPTS,
    LIVE_MEMBERS,
    AttemptStatus,
    MemberStatus,
    RunStatus,
)

SEEN_SHARE = 3
"""A heartbeat notes on the agent's row that it called when a third of what it may stay silent is
over; the member's row notes each."""

CLAIM_ABANDONED = "the agent asked for new work without having begun this"


@dataclass(frozen=True)
class AttemptService:
    """What a member does with its attempt.

    Each call is one transaction; every one may be repeated after a lost answer. A member is told
    by its index; 0 is an agent that works alone.
    """

    session: Session
    repository: CampaignRepository
    gangs: GangRepository
    gang: GangService
    transitions: Transitions
    experiments: ExperimentService
    fleet: FleetService
    clock: Clock

    def claim(
        self, agent: Agent, claim_id: UUID, agent_token: str, slot: str = WHOLE_MACHINE
    ) -> AttemptOrder | None:
        """Take up what was offered to a slot of an agent.

        :param claim_id: made by the agent; the same one gets the same order, token included.
        :param agent_token: the agent's bearer token, from which the attempt's follows.
        :returns: None when nothing is offered now.
        """
        self.session.flush()  # the agent's row is locked before the campaign's
        earlier = self.gangs.claimed_as(agent.id, claim_id)
        if earlier is not None:
            return self._repeated(earlier, agent_token)
        known = self.gangs.live_member_of(agent.id, slot)
        held = self.gangs.hold(known.attempt_id) if known else None
        if known is None or held is None:
            return None
        member = held.members[known.index]
        if member.claim_id == claim_id:  # the same claim got through while this one waited
            return self._order(held, member, agent_token)
        if member.status == MemberStatus.CLAIMED:
            self.gang.lose(
                held,
                member,
                CLAIM_ABANDONED,
                "the agent was restarted between claim and start; see its log",
            )
            return None
        if member.status != MemberStatus.OFFERED or not self._still_serves(held, member, agent):
            return None
        now = self.clock.now()
        member.claim_id = claim_id
        member.claimed_at = now
        member.heartbeat_at = now
        self.transitions.member(member, MemberStatus.CLAIMED)
        self.transitions.begin(held.campaign)
        return self._order(held, member, agent_token)

    def authenticate(self, attempt_id: UUID, token: str) -> AttemptMember:
        """The member of a bearer token, which is good for its attempt alone.

        :raises AttemptTokenInvalid: when it is another's, or none.
        :raises AgentRefused: when the member's agent was revoked.
        """
        member = self.gangs.member_by_token(attempt_id, token_hash(token))
        if member is None:
            raise AttemptTokenInvalid
        if self.fleet.agent(member.agent_id).revoked_at is not None:
            raise AgentRefused
        return member

    def start(self, attempt_id: UUID, fence: int, member: int = 0) -> None:
        """The agent begins.

        :raises AttemptNotYours: when the attempt has ended or its run went on without it.
        """
        self.fleet.touch(self._known(attempt_id, member).agent_id)
        held, own = self._hold(attempt_id, fence, member)
        own.heartbeat_at = self.clock.now()
        if own.status == MemberStatus.RUNNING:
            return
        if not self.gang.take_up(held, own):
            raise AttemptNotYours(f"attempt {held.attempt.number} is {held.attempt.status}")

    def heartbeat(
        self,
        attempt_id: UUID,
        beat: Heartbeat,
        member: int = 0,
        received_at: datetime.datetime | None = None,
    ) -> HeartbeatAnswer:
        """The agent is alive: the lease is renewed. A lost attempt is taken up again if its run
        still waits.

        Touches the member's row alone, unless the run moves with it.

        :param received_at: when the call came; default: now.
        :returns: whether to go on, to stop gracefully, or to stop at once; and when the server
            took and answered the call, from which the agent learns how far its clock is off.
        :raises AttemptNotYours: when the fence is another attempt's.
        """
        received_at = received_at or self.clock.now()
        known = self._known(attempt_id, member)
        self._note_seen(known, beat)
        moves = known.status == MemberStatus.LOST or (
            known.status == MemberStatus.RUNNING and known.phase != beat.phase
        )
        if moves:
            held, own = self._hold(attempt_id, beat.fence, member)
            if own.status == MemberStatus.LOST:
                self.gang.take_up(held, own)
            if own.status == MemberStatus.RUNNING and own.index == self._leading(held):
                self.transitions.phase(held.campaign, held.run, beat.phase)
        else:
            own = self.gangs.lock_member(attempt_id, member)
            self._check_fence(own, beat.fence)
        if own.status in {*LIVE_MEMBERS, MemberStatus.LOST}:
            self._note(own, beat, received_at)  # what has ended stays as it was, and is answered
        attempt = self.gangs.attempt(attempt_id)
        run = None if attempt is None else self.repository.run(attempt.run_id)
        campaign = None if run is None else self.repository.campaign(run.campaign_id)
        if run is None or campaign is None:
            raise AttemptTokenInvalid
        return HeartbeatAnswer(
            cancel=self.gang.cancel_of(campaign, run, own),
            received_at_us=microseconds(received_at),
            answered_at_us=microseconds(self.clock.now()),
        )

    def complete(
        self, attempt_id: UUID, completion: Completion, member: int = 0
    ) -> CompletionAnswer:
        """The agent is done, and everything it measured is stored.

        A database that failed is a result; a failure of the infrastructure is tried again, twice.
        The late result of a lost attempt counts when no other attempt has given one, even when the
        run was given up meanwhile.

        :raises AttemptNotYours: when the fence is another attempt's.
        :raises EventsMissing: while events of the member are missing; send them, then repeat.
        """
        self.fleet.touch(self._known(attempt_id, member).agent_id, spool_bytes=0)
        held, own = self._hold(attempt_id, completion.fence, member)
        if own.status == MemberStatus.SUPERSEDED:
            return CompletionAnswer(result="superseded")
        if own.status not in {*LIVE_MEMBERS, MemberStatus.LOST}:
            return CompletionAnswer(result="already_accepted")
        if own.events_stored < completion.events_count:
            raise EventsMissing(
                f"{own.events_stored} of {completion.events_count} events are stored"
            )
        undecided = {*LIVE_ATTEMPTS, AttemptStatus.LOST}
        if held.attempt.status in undecided and not awaits_result(held.campaign, held.run):
            self.transitions.supersede(held.attempt)
            return CompletionAnswer(result="superseded")
        own.progress = 1.0
        self.gang.conclude(held, own, completion)
        return CompletionAnswer(result="accepted")

    def state(self, attempt_id: UUID, member: int = 0) -> AttemptState:
        """What the server has of a member's work, for an agent that was restarted."""
        own = self._known(attempt_id, member)
        attempt = self.gangs.attempt(attempt_id)
        run = self.repository.run(attempt.run_id) if attempt else None
        campaign = self.repository.campaign(run.campaign_id) if run else None
        if attempt is None or run is None or campaign is None:
            raise AttemptTokenInvalid
        return AttemptState(
            attempt_id=str(attempt.id),
            status=own.status,
            next_sequence=own.events_stored,
            log_offsets=own.log_offsets,
            cancel=self.gang.cancel_of(campaign, run, own),
        )

    def _known(self, attempt_id: UUID, index: int) -> AttemptMember:
        member = self.gangs.member(attempt_id, index)
        if member is None:
            raise AttemptTokenInvalid
        return member

    def _hold(self, attempt_id: UUID, fence: int, index: int) -> tuple[Held, AttemptMember]:
        held = self.gangs.hold(attempt_id)
        if held is None:
            raise AttemptTokenInvalid
        if held.attempt.number != fence:
            raise AttemptNotYours(f"the fence is {held.attempt.number}, not {fence}")
        return held, held.members[index]

    def _check_fence(self, member: AttemptMember, fence: int) -> None:
        attempt = self.gangs.attempt(member.attempt_id)
        if attempt is None or attempt.number != fence:
            raise AttemptNotYours(f"the fence is not {fence}")

    def _note_seen(self, member: AttemptMember, beat: Heartbeat) -> None:
        agent = self.fleet.agent(member.agent_id)
        if agent.revoked_at is not None:
            raise AgentRefused
        silence = datetime.timedelta(seconds=self.fleet.settings.lease_seconds / SEEN_SHARE)
        late = agent.seen_at is None or self.clock.now() - agent.seen_at >= silence
        if late or agent.spool_bytes != beat.spool_bytes:
            self.fleet.touch(agent.id, spool_bytes=beat.spool_bytes)

    def _still_serves(self, held: Held, member: AttemptMember, agent: Agent) -> bool:
        """Whether an agent may carry out what was offered to it; else the offer is lost: meanwhile
        it may have begun anew with a manifest that nobody accepted.
        """
        document = measured_document(self.experiments, held.campaign)
        target = document.targets[self.repository.cell(held.run.cell_id).target_index]
        plugins = {target.system} | ({target.tool} if target.tool else set())
        serves = self.fleet.serves(agent, held.run.project_id, plugins)
        if not serves:
            self.gang.lose(
                held,
                member,
                "the machine is not lent to the project any more, or has this plugin with a "
                "manifest that is not in force there",
                "lend the machine, accept the manifest, which waits on the page Systems, or give "
                "the machine the plugin back as it was",
            )
        return serves

    def _note(self, own: AttemptMember, beat: Heartbeat, received_at: datetime.datetime) -> None:
        own.heartbeat_at = received_at
        own.progress = beat.progress
        if own.status == MemberStatus.RUNNING:
            own.phase = beat.phase
        if beat.clock is not None:
            own.clock_offset_us = beat.clock.offset_us
            own.clock_error_us = beat.clock.error_us

    def _leading(self, held: Held) -> int:
        """The member whose phases are the run's, as people see them: the first driver."""
        drivers = [member.index for member in held.members if member.share is not None]
        return min(drivers, default=0)

    def _repeated(self, member: AttemptMember, agent_token: str) -> AttemptOrder | None:
        held = self.gangs.hold(member.attempt_id)
        if held is None or held.members[member.index].status not in LIVE_MEMBERS:
            return None
        return self._order(held, held.members[member.index], agent_token)

    def _order(self, held: Held, member: AttemptMember, agent_token: str) -> AttemptOrder:
        token = attempt_token(agent_token, member.attempt_id, member.claim_id)
        member.token_hash = token_hash(token)
        document = measured_document(self.experiments, held.campaign)
        cell = self.repository.cell(held.run.cell_id)
        work = Work(
            document=document,
            cell=cell,
            run=held.run,
            attempt=held.attempt,
            members=held.members,
            earlier=self._earlier(held, document, cell),
        )
        return order_of(work, member, token)

    def _earlier(self, held: Held, document: Experiment, cell: Cell) -> Earlier | None:
        """Who wrote last to the external system that an attempt is about to be made on."""
        if document.targets[cell.target_index].deployment != "external":
            return None
        targets = on_the_same_system(document.targets, cell.target_index)
        found = self.gangs.latest_before(held.attempt, held.campaign.id, targets)
        if found is None:
            return None
        attempt, run, of = found
        ended_well = {RunStatus.SETTLING, RunStatus.COMPLETED}
        return Earlier(
            document.targets[of.target_index],
            document.workloads[of.workload_index],
            attempt.status == AttemptStatus.COMPLETED and run.status in ended_well,
        )
