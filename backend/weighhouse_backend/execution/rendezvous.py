"""Members meet at barriers: arrivals are noted, the last one releases all."""

import datetime
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.order import Arrival, BarrierState, barriers
from weighhouse_protocol.report import Failure

from weighhouse_backend.campaigns.documents import measured_document
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.execution.barriers import (
    CONNECTED,
    FORMED,
    LEAD_SECONDS,
    MEASURED,
    MICROSECONDS,
    begins_a_phase,
    missing,
)
from weighhouse_backend.execution.gangs import GangService
from weighhouse_backend.execution.orders import planned_phases
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.runs.attempt_repository import GangRepository, Held
from weighhouse_backend.runs.errors import AttemptNotYours, AttemptTokenInvalid, NoSuchBarrier
from weighhouse_backend.runs.instants import instant, microseconds
from weighhouse_backend.runs.models import Attempt, AttemptMember, Campaign
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import LIVE_ATTEMPTS, LIVE_MEMBERS, AttemptStatus

MOST_PAYLOAD_BYTES = 256 * 1024


@dataclass(frozen=True)
class RendezvousService:
    """Keeps the members of a gang in step. Each call is one transaction, and may be repeated."""

    repository: CampaignRepository
    gangs: GangRepository
    gang: GangService
    transitions: Transitions
    experiments: ExperimentService
    clock: Clock

    def arrive(
        self,
        attempt_id: UUID,
        name: str,
        arrival: Arrival,
        index: int,
        received_at: datetime.datetime | None = None,
    ) -> BarrierState:
        """A member is at a barrier.

        The first arrival of a member stays, with its payload. The last member's arrival releases
        the barrier: all payloads are told to all, and where a phase of the load begins, its
        instant is set a little ahead. A member whose clock is off by more than a phase keeps the
        gang from starting.

        :param received_at: when the call came, which may have been held open since; default: now.
        :returns: how the barrier stands, and whether to stop.
        :raises NoSuchBarrier: when the attempt's gang has no barrier of that name.
        :raises AttemptNotYours: when the fence is another attempt's.
        """
        received_at = received_at or self.clock.now()
        known = self.gangs.member(attempt_id, index)
        attempt = self.gangs.attempt(attempt_id)
        if known is None or attempt is None:
            raise AttemptTokenInvalid
        if attempt.number != arrival.fence:
            raise AttemptNotYours(f"the fence is {attempt.number}, not {arrival.fence}")
        run = self.repository.run(attempt.run_id)
        campaign = None if run is None else self.repository.campaign(run.campaign_id)
        if run is None or campaign is None:
            raise AttemptTokenInvalid
        self._require_barrier(campaign, attempt, name)
        if len(arrival.model_dump_json()) > MOST_PAYLOAD_BYTES:
            raise NoSuchBarrier(f"a payload may have {MOST_PAYLOAD_BYTES:,} bytes")
        if name not in known.arrivals:
            held = self.gangs.hold(attempt_id)
            if held is None:
                raise AttemptTokenInvalid
            self._note(held, held.members[index], name, arrival, microseconds(received_at))
        members = self.gangs.members(attempt_id)
        release = attempt.releases.get(name)
        return BarrierState(
            name=name,
            released=release is not None,
            begins_at_us=None if release is None else release.get("begins_at_us"),
            payloads={
                member.index: member.arrivals[name].get("payload", {})
                for member in members
                if name in member.arrivals
            },
            waiting_for=tuple(member.index for member in missing(members, name)),
            cancel=self.gang.cancel_of(campaign, run, known).value,
            received_at_us=microseconds(received_at),
            answered_at_us=microseconds(self.clock.now()),
        )

    def _require_barrier(self, campaign: Campaign, attempt: Attempt, name: str) -> None:
        if attempt.members_count == 1:
            raise NoSuchBarrier("an agent that works alone has nobody to wait for")
        document = measured_document(self.experiments, campaign)
        names = barriers(len(planned_phases(document.phases)))
        if name not in names:
            raise NoSuchBarrier(f"{name} is none of {', '.join(names)}")

    def _note(
        self, held: Held, member: AttemptMember, name: str, arrival: Arrival, received_us: int
    ) -> None:
        if name in member.arrivals or member.status not in LIVE_MEMBERS:
            return
        if held.attempt.status not in LIVE_ATTEMPTS:
            return
        member.arrivals = {
            **member.arrivals,
            name: {"at_us": received_us, "payload": arrival.payload},
        }
        member.heartbeat_at = instant(received_us)
        if member.clock_offset_us is None:
            member.clock_offset_us = received_us - arrival.sent_at_us
        if missing(held.members, name):
            return
        if begins_a_phase(name) and not self._clocks_agree(held):
            return
        self._release(held, name)

    def _release(self, held: Held, name: str) -> None:
        attempt, now = held.attempt, self.clock.now()
        release: dict[str, int] = {"at_us": microseconds(now)}
        if begins_a_phase(name):
            release["begins_at_us"] = microseconds(now) + round(LEAD_SECONDS * MICROSECONDS)
        attempt.releases = {**attempt.releases, name: release}
        if name == FORMED and attempt.status == AttemptStatus.PREPARING:
            self.transitions.attempt(attempt, AttemptStatus.READY)
        if name == CONNECTED:
            attempt.start_at = instant(release["begins_at_us"])
            if attempt.status == AttemptStatus.PREPARING:
                self.transitions.attempt(attempt, AttemptStatus.READY)
            self.transitions.attempt(attempt, AttemptStatus.RUNNING)
        if name == MEASURED:
            attempt.measured_at = now
        self.transitions.outbox.wake_gang(attempt.id)

    def _clocks_agree(self, held: Held) -> bool:
        """End the gang when a member's clock is off by more than a phase: what it measures could
        not be set beside what the others do.
        """
        document = measured_document(self.experiments, held.campaign)
        planned = (phase.duration_seconds for phase in planned_phases(document.phases))
        shortest = min(seconds for seconds in planned if seconds is not None)
        for member in held.members:
            offset = abs(member.clock_offset_us or 0) / MICROSECONDS
            if offset > shortest:
                failure = Failure(
                    kind="infrastructure",
                    message=f"the clock of agent {member.agent_name} (member {member.index}) is "
                    f"off by {offset:.1f} s, more than a phase of {shortest:g} s",
                    hint="let the machine's clock be set by NTP (timedatectl, chronyc tracking)",
                )
                self.gang.end(held, AttemptStatus.FAILED, failure)
                return False
        return True
