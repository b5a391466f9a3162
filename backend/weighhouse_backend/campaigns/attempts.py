"""Attempts as their agents see them: claim, start, heartbeat, completion."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic_core import to_jsonable_python
from sqlalchemy.orm import Session
from weighhouse_protocol.load import Phase
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.report import (
    AttemptState,
    Completion,
    CompletionAnswer,
    Failure,
    Heartbeat,
    HeartbeatAnswer,
    RunPhase,
)

from weighhouse_backend.campaigns.errors import AttemptNotYours, AttemptTokenInvalid, EventsMissing
from weighhouse_backend.campaigns.models import Attempt, Campaign, Run
from weighhouse_backend.campaigns.repository import CampaignRepository, Held
from weighhouse_backend.campaigns.states import (
    FINISHED_RUNS,
    LIVE_ATTEMPTS,
    AttemptStatus,
    CancelMode,
    RunStatus,
)
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.clock import Clock

TOKEN_PREFIX = "wht_"  # noqa: S105 - the readable part of a token
HARD_LIMIT_SECONDS = 60.0
"""A run may take its own limit and this much more."""

CLAIM_ABANDONED = Failure(
    kind="infrastructure",
    message="the agent asked for new work without having begun this",
    hint="the agent was restarted between claim and start; see its log",
)


@dataclass(frozen=True)
class AttemptService:
    """What an agent does with an attempt, and what results need of it.

    Each call is one transaction; every one may be repeated after a lost answer.
    """

    session: Session
    repository: CampaignRepository
    transitions: Transitions
    experiments: ExperimentService
    fleet: FleetService
    clock: Clock

    # Agents

    def claim(self, agent: Agent, claim_id: UUID, agent_token: str) -> AttemptOrder | None:
        """Take up what was offered to an agent.

        :param claim_id: made by the agent; the same one gets the same order, token included.
        :param agent_token: the agent's bearer token, from which the attempt's follows.
        :returns: None when nothing is offered now.
        """
        self.session.flush()  # the agent's row is locked before the campaign's
        earlier = self.repository.claimed_as(agent.id, claim_id)
        if earlier is not None:
            return self._repeated(earlier, agent_token)
        known = self.repository.live_attempt_of(agent.id)
        held = self.repository.hold(known.id) if known else None
        if held is None:
            return None
        attempt = held.attempt
        if attempt.claim_id == claim_id:  # the same claim got through while this one waited
            return self._order(held.campaign, held.run, attempt, agent_token)
        if attempt.status == AttemptStatus.CLAIMED:
            self._abandon(held)
            return None
        if attempt.status != AttemptStatus.OFFERED:
            return None
        now = self.clock.now()
        attempt.claim_id = claim_id
        attempt.claimed_at = now
        attempt.heartbeat_at = now
        self.transitions.attempt(attempt, AttemptStatus.CLAIMED)
        self.transitions.begin(held.campaign)
        return self._order(held.campaign, held.run, attempt, agent_token)

    def authenticate(self, attempt_id: UUID, token: str) -> Attempt:
        """The attempt of a bearer token, which is good for this attempt alone.

        :raises AttemptTokenInvalid: when it is another's, or none.
        """
        attempt = self.repository.attempt(attempt_id)
        known = attempt.token_hash if attempt else None
        if attempt is None or known is None or not hmac.compare_digest(known, token_hash(token)):
            raise AttemptTokenInvalid
        return attempt

    def start(self, attempt_id: UUID, fence: int) -> None:
        """The agent begins.

        :raises AttemptNotYours: when the attempt has ended or its run went on without it.
        """
        self.fleet.touch(self._agent_of(attempt_id))
        held = self._hold(attempt_id, fence)
        held.attempt.heartbeat_at = self.clock.now()
        if held.attempt.status == AttemptStatus.RUNNING:
            return
        if not self._take_up(held):
            raise AttemptNotYours(f"attempt {held.attempt.number} is {held.attempt.status}")

    def heartbeat(self, attempt_id: UUID, beat: Heartbeat) -> HeartbeatAnswer:
        """The agent is alive: the lease is renewed. A lost attempt is taken up again if its run
        still waits.

        :returns: whether to go on, to stop gracefully, or to stop at once.
        :raises AttemptNotYours: when the fence is another attempt's.
        """
        self.fleet.touch(self._agent_of(attempt_id), spool_bytes=beat.spool_bytes)
        held = self._hold(attempt_id, beat.fence)
        attempt = held.attempt
        attempt.heartbeat_at = self.clock.now()
        attempt.progress = beat.progress
        if attempt.status == AttemptStatus.LOST:
            self._take_up(held)
        if attempt.status == AttemptStatus.RUNNING:
            attempt.phase = beat.phase
            self.transitions.phase(held.campaign, held.run, beat.phase)
        return HeartbeatAnswer(cancel=self._cancel_of(held.run, attempt))

    def complete(self, attempt_id: UUID, completion: Completion) -> CompletionAnswer:
        """The agent is done, and everything it measured is stored.

        A database that failed is a result; a failure of the infrastructure is tried again, twice.
        The late result of a lost attempt counts when no other attempt has given one.

        :raises AttemptNotYours: when the fence is another attempt's.
        :raises EventsMissing: while events of the attempt are missing; send them, then repeat.
        """
        self.fleet.touch(self._agent_of(attempt_id), spool_bytes=0)
        held = self._hold(attempt_id, completion.fence)
        attempt, run = held.attempt, held.run
        if attempt.status == AttemptStatus.SUPERSEDED:
            return CompletionAnswer(result="superseded")
        if attempt.status not in {*LIVE_ATTEMPTS, AttemptStatus.LOST}:
            return CompletionAnswer(result="already_accepted")
        if attempt.events_stored < completion.events_count:
            raise EventsMissing(
                f"{attempt.events_stored} of {completion.events_count} events are stored"
            )
        if run.status in FINISHED_RUNS or run.status == RunStatus.SETTLING:
            self.transitions.attempt(attempt, AttemptStatus.SUPERSEDED)
            return CompletionAnswer(result="superseded")
        attempt.progress = 1.0
        self._conclude(held, completion)
        return CompletionAnswer(result="accepted")

    def state(self, attempt_id: UUID) -> AttemptState:
        """What the server has of an attempt, for an agent that was restarted."""
        attempt = self.repository.attempt(attempt_id)
        run = self.repository.run(attempt.run_id) if attempt else None
        if attempt is None or run is None:
            raise AttemptTokenInvalid
        return AttemptState(
            attempt_id=str(attempt.id),
            status=attempt.status,
            next_sequence=attempt.events_stored,
            log_offsets=attempt.log_offsets,
            cancel=self._cancel_of(run, attempt),
        )

    # Results

    def open_batch(self, attempt_id: UUID, phase: RunPhase | None = None) -> Attempt:
        """Lock an attempt to store events of it; the first thing of a batch's transaction.

        Store what has a sequence from `attempt.events_stored` on, then call `advance`.

        :param phase: the run's phase after the batch, when it tells one.
        """
        if phase is None:
            return self.repository.lock_attempt(attempt_id)
        held = self.repository.hold(attempt_id)
        if held is None:
            raise AttemptTokenInvalid
        if held.attempt.status == AttemptStatus.RUNNING:
            held.attempt.phase = phase
            self.transitions.phase(held.campaign, held.run, phase)
        return held.attempt

    def advance(self, attempt: Attempt, next_sequence: int) -> None:
        """Note that every event below a sequence is stored; `attempt` comes from `open_batch`."""
        attempt.events_stored = max(attempt.events_stored, next_sequence)

    def advance_log(self, attempt: Attempt, stream: str, offset: int) -> None:
        """Note how much of a log is stored; `attempt` comes from `open_batch`."""
        attempt.log_offsets = {**attempt.log_offsets, stream: offset}

    def tell_live(self, attempt: Attempt, sample: Mapping[str, Any]) -> None:
        """Tell a live sample of an attempt to whoever watches now; it is not kept.

        :param sample: `{run_id, at, throughput, p50_us, p99_us, phase, elapsed_seconds}`.
        """
        run = self.repository.run(attempt.run_id)
        if run is not None and attempt.status == AttemptStatus.RUNNING:
            self.transitions.outbox.live(run.campaign_id, to_jsonable_python(dict(sample)))

    # Within

    def _agent_of(self, attempt_id: UUID) -> UUID:
        attempt = self.repository.attempt(attempt_id)
        if attempt is None:
            raise AttemptTokenInvalid
        return attempt.agent_id

    def _hold(self, attempt_id: UUID, fence: int) -> Held:
        held = self.repository.hold(attempt_id)
        if held is None:
            raise AttemptTokenInvalid
        if held.attempt.number != fence:
            raise AttemptNotYours(f"the fence is {held.attempt.number}, not {fence}")
        return held

    def _take_up(self, held: Held) -> bool:
        """Make a claimed or lost attempt the running one, if its run has no other at work."""
        campaign, run, attempt = held.campaign, held.run, held.attempt
        if attempt.status not in {AttemptStatus.CLAIMED, AttemptStatus.LOST}:
            return False
        if campaign.cancel_requested_at is not None and attempt.status == AttemptStatus.LOST:
            return False
        if run.status not in {RunStatus.QUEUED, RunStatus.ALLOCATED}:
            return False
        others = [
            other
            for other in self.repository.live_attempts(run.id, locked=True)
            if other.id != attempt.id
        ]
        if any(other.status != AttemptStatus.OFFERED for other in others):
            return False
        occupant = self.repository.live_attempt_of(attempt.agent_id)
        if occupant is not None and occupant.id != attempt.id and occupant not in others:
            return False
        if attempt.status == AttemptStatus.LOST:
            run.infrastructure_failures = max(run.infrastructure_failures - 1, 0)
        self.transitions.supersede_others(run, attempt)
        self.session.flush()
        self.transitions.attempt(attempt, AttemptStatus.RUNNING)
        self.transitions.begin(campaign)
        self.transitions.run(campaign, run, RunStatus.RUNNING)
        return True

    def _conclude(self, held: Held, completion: Completion) -> None:
        campaign, run, attempt = held.campaign, held.run, held.attempt
        moves = self.transitions
        if completion.outcome == "completed":
            if attempt.status == AttemptStatus.CLAIMED:
                moves.attempt(attempt, AttemptStatus.RUNNING)
            run.result_attempt_id = attempt.id
            run.started_at = run.started_at or attempt.started_at
            moves.attempt(attempt, AttemptStatus.COMPLETED)
            moves.supersede_others(run, attempt)
            moves.run(campaign, run, RunStatus.SETTLING)
            return
        failure = completion.failure or Failure(
            kind="infrastructure", message=f"the agent reported {completion.outcome} without why"
        )
        cancelled = completion.outcome == "cancelled" or failure.kind == "cancelled"
        if cancelled and campaign.cancel_requested_at is not None:
            moves.attempt(attempt, AttemptStatus.CANCELLED, failure)
            moves.run(campaign, run, RunStatus.CANCELLED)
            return
        late = attempt.status == AttemptStatus.LOST
        if cancelled or failure.kind == "infrastructure":
            moves.attempt(attempt, AttemptStatus.FAILED, failure)
            if not late:  # a lost attempt was counted, and its run queued, when it was lost
                moves.try_again(
                    campaign, run, failure.model_copy(update={"kind": "infrastructure"})
                )
            return
        run.result_attempt_id = attempt.id
        moves.attempt(attempt, AttemptStatus.FAILED, failure)
        moves.supersede_others(run, attempt)
        moves.run(campaign, run, RunStatus.FAILED, failure)

    def _abandon(self, held: Held) -> None:
        self.transitions.attempt(held.attempt, AttemptStatus.LOST, CLAIM_ABANDONED)
        self.transitions.try_again(held.campaign, held.run, CLAIM_ABANDONED)

    def _cancel_of(self, run: Run, attempt: Attempt) -> CancelMode:
        if attempt.status in LIVE_ATTEMPTS:
            return CancelMode(attempt.cancel)
        if attempt.status == AttemptStatus.LOST and run.status not in FINISHED_RUNS:
            return CancelMode.NONE  # its result may still count
        return CancelMode.KILL

    def _repeated(self, attempt: Attempt, agent_token: str) -> AttemptOrder | None:
        held = self.repository.hold(attempt.id)
        if held is None or held.attempt.status not in LIVE_ATTEMPTS:
            return None
        return self._order(held.campaign, held.run, held.attempt, agent_token)

    def _order(
        self, campaign: Campaign, run: Run, attempt: Attempt, agent_token: str
    ) -> AttemptOrder:
        token = attempt_token(agent_token, attempt.id, attempt.claim_id)
        attempt.token_hash = token_hash(token)
        document = self.experiments.document(campaign.revision_id)
        cell = self.repository.cell(run.cell_id)
        phases = document.phases
        plan = [Phase(kind="load", clients=phases.load_clients)]
        if phases.warmup_seconds > 0:
            plan.append(Phase(kind="warmup", duration_seconds=phases.warmup_seconds))
        plan.append(
            Phase(
                kind="measure",
                duration_seconds=phases.measure_seconds,
                operation_count=phases.measure_operations,
            )
        )
        return AttemptOrder(
            manifest_digest=cell.manifest_digest,
            attempt_id=attempt.id,
            run_id=run.id,
            campaign_id=campaign.id,
            fence=attempt.number,
            attempt_token=token,
            target=document.targets[cell.target_index],
            workload=document.workloads[cell.workload_index],
            load=document.load_levels[cell.load_index],
            phases=tuple(plan),
            interval_seconds=phases.interval_seconds,
            seed=run.seed,
            faults=document.faults,
            sample_seconds=min(1.0, phases.interval_seconds),
            limit_seconds=attempt.limit_seconds,
        )


def attempt_token(agent_token: str, attempt_id: UUID, claim_id: UUID | None) -> str:
    """The token of an attempt: follows from the agent's own, so that a repeated claim gets the
    same one although only its hash is kept (HMAC-SHA-256, RFC 2104).
    """
    message = f"{attempt_id}:{claim_id}".encode()
    digest = hmac.new(agent_token.encode(), message, hashlib.sha256).hexdigest()
    return TOKEN_PREFIX + digest
