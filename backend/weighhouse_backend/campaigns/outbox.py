"""What people watch, written in the transaction that changes it; Redis only wakes the readers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.schemas import FailureRead, RunEvent
from weighhouse_backend.campaigns.views import CampaignViews
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.events import Events
from weighhouse_backend.runs.models import Campaign, CampaignEvent, Run
from weighhouse_backend.runs.states import RunStatus

AGENT_CHANNELS = "agent:"
"""What the channels of agents' long polls begin with."""


def campaign_channel(campaign_id: UUID) -> str:
    """Where wake-ups and live samples of a campaign are published."""
    return f"campaign:{campaign_id}"


def agent_channel(agent_id: UUID) -> str:
    """Where an agent's long poll is woken."""
    return f"{AGENT_CHANNELS}{agent_id}"


def gang_channel(attempt_id: UUID) -> str:
    """Where members that wait at a barrier are woken."""
    return f"gang:{attempt_id}"


def run_event(run: Run) -> RunEvent:
    """How a run stands, as the stream tells it."""
    return RunEvent(
        run_id=run.id,
        cell_id=run.cell_id,
        status=RunStatus(run.status),
        phase=run.phase,
        failure=FailureRead.model_validate(run.failure) if run.failure else None,
    )


@dataclass(frozen=True)
class Outbox:
    """Writes a campaign's events.

    The campaign has to be locked: that is what makes its events visible in the order of their ids,
    so that a reader who goes on from the last id it saw misses none.
    """

    session: Session
    views: CampaignViews
    events: Events
    clock: Clock

    def campaign(self, campaign: Campaign) -> None:
        """Tell how a campaign stands."""
        summary = self.views.summaries([campaign])[0]
        self._write(campaign, ("campaign", summary.model_dump(mode="json")))

    def runs(self, campaign: Campaign, runs: Iterable[Run]) -> None:
        """Tell how some runs stand, an event each; the readers are woken once."""
        for_each = [("run", run_event(run).model_dump(mode="json")) for run in runs]
        self._write(campaign, *for_each)

    def progress(self, campaign: Campaign) -> None:
        """Tell how far a campaign is."""
        progress = self.views.progress(campaign)
        self._write(campaign, ("progress", progress.model_dump(mode="json")))

    def live(self, campaign_id: UUID, data: dict[str, Any]) -> None:
        """Tell a live sample to whoever watches now; it is not kept.

        :param data: `{run_id, at, throughput, p50_us, p99_us, phase, elapsed_seconds}`.
        """
        self.events.publish(campaign_channel(campaign_id), None, "live", data)

    def wake_agent(self, agent_id: UUID) -> None:
        """End an agent's long poll: there is something for it."""
        self.events.publish(agent_channel(agent_id), None, "offer", {})

    def wake_gang(self, attempt_id: UUID) -> None:
        """End the waiting at barriers: one is released, or the gang has ended."""
        self.events.publish(gang_channel(attempt_id), None, "gang", {})

    def _write(self, campaign: Campaign, *told: tuple[str, dict[str, Any]]) -> None:
        now = self.clock.now()
        events = [
            CampaignEvent(
                project_id=campaign.project_id,
                campaign_id=campaign.id,
                kind=kind,
                data=data,
                created_at=now,
            )
            for kind, data in told
        ]
        self.session.add_all(events)
        self.session.flush()
        if events:
            newest = events[-1]
            self.events.publish(campaign_channel(campaign.id), newest.id, newest.kind, {})
