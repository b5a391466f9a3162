"""Starts campaigns of schedules whose date has come."""

from dataclasses import dataclass

import structlog
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.models import Campaign
from weighhouse_backend.campaigns.repository import CampaignRepository
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.states import Trigger
from weighhouse_backend.experiments.schedules import DueSchedule, ScheduleService
from weighhouse_backend.kit.problems import Problem

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class SchedulingService:
    """Turns due dates into campaigns; a date gives one campaign, however often this is called."""

    session: Session
    repository: CampaignRepository
    schedules: ScheduleService
    campaigns: CampaignService

    def start_due(self) -> list[Campaign]:
        """Start a campaign for each schedule that is due.

        A schedule whose last campaign is still under way waits for its next date; one whose
        experiment cannot be started is logged, and does not keep the others from starting.
        """
        started = []
        for due in self.schedules.take_due():
            campaign = self._start(due)
            if campaign is not None:
                started.append(campaign)
        return started

    def _start(self, due: DueSchedule) -> Campaign | None:
        experiment = due.experiment
        if self.repository.open_scheduled(experiment.id):
            log.warning("schedule_skipped", experiment=experiment.slug, reason="still under way")
            return None
        try:
            with self.session.begin_nested():
                return self.campaigns.start(
                    experiment,
                    trigger=Trigger.SCHEDULE,
                    requested_by=due.schedule.created_by,
                    base=self.repository.latest_completed(experiment.id),
                    scheduled_for=due.due_at,
                )
        except Problem as problem:
            log.warning("schedule_skipped", experiment=experiment.slug, reason=str(problem))
            return None
