"""Runs of a chain: one attempt measures them all, and each gets its part of it.

The first run of a chain is given to an agent, as any other; those that follow wait beside it. When
the attempt has given its result, each of them gets an attempt of its own that holds its part, and
is settled as any other run. Until then nothing of it stands anywhere but with the first.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session
from weighhouse_protocol.report import Failure

from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.runs.models import Attempt, AttemptMember, Run
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import (
    AttemptStatus,
    CancelMode,
    MemberStatus,
    RunStatus,
)

NOT_MEASURED = Failure(
    kind="driver",
    message="The agent ended before it measured this phase of the chain.",
    hint="The agent may be older than chains of phases; update it, and try the failed runs again.",
)
TAKES_A_PART = frozenset({RunStatus.QUEUED, RunStatus.FAILED})
"""Runs that wait for their part; failed ones of an attempt that was lost, and came late."""


@dataclass(frozen=True)
class Share:
    """What the part of one run is given to: an attempt that exists, or one that was made now."""

    attempt_id: UUID
    project_id: UUID


@dataclass(frozen=True)
class ChainService:
    """Gives the runs of a chain their parts of one attempt."""

    session: Session
    repository: CampaignRepository
    transitions: Transitions

    def of(self, run: Run) -> Sequence[Run]:
        """All runs of the chain that a run is in, in the order they are measured; of none: only
        the run.
        """
        return self.repository.chain(run.leader_id or run.id)

    def awaits_parts(self, run_id: UUID) -> Run | None:
        """The first run of a chain, locked with its campaign, if its attempt has given a result
        that is not shared out yet.
        """
        if not self.repository.leads(run_id):
            return None
        held = self.repository.lock_run(run_id)
        if held is None or held[1].status != RunStatus.SETTLING:
            return None
        return held[1]

    def give_parts(
        self, leader: Run, begins: Sequence[datetime.datetime], index: int = 0
    ) -> list[Share]:
        """Make an attempt for each run that follows, and let it be settled.

        :param leader: locked, and settling.
        :param begins: when the phases after the first began; runs for which there is none fail.
        :param index: the member that measured.
        :returns: for each begin where its part goes, in their order.
        """
        campaign = self.repository.lock_campaign(leader.campaign_id)
        if campaign is None or leader.result_attempt_id is None:
            return []
        source = self.session.get_one(Attempt, leader.result_attempt_id)
        member = self.session.get_one(AttemptMember, (source.id, index))
        ended = leader.finished_at
        shares = []
        followers = self.repository.lock_followers(leader.id)
        for run, begin, end in zip(followers, begins, (*begins[1:], ended), strict=False):
            attempt = self._attempt(run, source, member, begin, end)
            shares.append(Share(attempt.id, attempt.project_id))
            if run.status in TAKES_A_PART:
                run.result_attempt_id = attempt.id
                self.transitions.run(campaign, run, RunStatus.SETTLING)
            run.started_at, run.finished_at = begin, end
        for run in followers[len(begins) :]:
            if run.status == RunStatus.QUEUED:
                self.transitions.run(campaign, run, RunStatus.FAILED, NOT_MEASURED)
        if begins and leader.started_at is not None:
            leader.finished_at = max(leader.started_at, begins[0])
        return shares

    def _attempt(
        self,
        run: Run,
        source: Attempt,
        member: AttemptMember,
        begin: datetime.datetime,
        end: datetime.datetime | None,
    ) -> Attempt:
        """An attempt that holds a part of another: nobody claimed it, and it took no machine of its
        own.
        """
        run.attempts_count += 1
        attempt = Attempt(
            id=new_id(),
            project_id=run.project_id,
            run_id=run.id,
            number=run.attempts_count,
            status=AttemptStatus.COMPLETED,
            members_count=1,
            limit_seconds=source.limit_seconds,
            releases={},
            offered_at=source.offered_at,
            started_at=begin,
            finished_at=end,
        )
        self.session.add(attempt)
        self.session.flush()
        self.session.add(
            AttemptMember(
                attempt_id=attempt.id,
                index=member.index,
                project_id=run.project_id,
                agent_id=member.agent_id,
                agent_name=member.agent_name,
                slot=member.slot,
                roles=list(member.roles),
                nodes=list(member.nodes),
                share=member.share,
                address=member.address,
                machine_id=member.machine_id,
                fingerprint=member.fingerprint,
                status=MemberStatus.COMPLETED,
                cancel=CancelMode.NONE,
                progress=1.0,
                events_stored=0,
                log_offsets={},
                arrivals={},
                clock_offset_us=member.clock_offset_us,
                clock_error_us=member.clock_error_us,
                offered_at=member.offered_at,
                started_at=begin,
                finished_at=end,
            )
        )
        self.session.flush()
        return attempt
