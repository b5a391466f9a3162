"""Starts campaigns of schedules whose date has come."""

import datetime
from dataclasses import dataclass
from uuid import UUID

import structlog
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session
from weighhouse_protocol.text import numbered

from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.experiments.models import Overlap
from weighhouse_backend.experiments.occurrences import HandedOut, NamedCampaign
from weighhouse_backend.experiments.schedules import ScheduleService
from weighhouse_backend.kit.unit_of_work import Transactions
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import Trigger

log = structlog.get_logger(__name__)

AT_ONCE = 20
"""Schedules looked after in one turn, which must end in its time; the rest follow in the next."""


@dataclass(frozen=True)
class SchedulingService:
    """Turns due dates into campaigns; a date gives one campaign, however often this is called."""

    session: Session
    repository: CampaignRepository
    schedules: ScheduleService
    campaigns: CampaignService

    def pending(self) -> list[UUID]:
        """Experiments with a date that has come, or one that need not wait any longer.

        For `attend`, each in a transaction of its own.
        """
        due = self.schedules.due(AT_ONCE)
        waiting = self.schedules.waiting()
        under_way = {one.experiment_id for one in self.repository.open_scheduled(waiting)}
        free = [one for one in waiting if one not in under_way]
        return list(dict.fromkeys([*due, *free]))[:AT_ONCE]

    def attend(self, experiment_id: UUID) -> Campaign | None:
        """Do what is due by one schedule, and record it.

        What cannot be started is recorded with its reason, and tried again at its next date.

        :returns: the campaign that was started, if one was.
        """
        taken = self.schedules.take(experiment_id)
        if taken is None:
            return None
        under_way = self.repository.open_scheduled([experiment_id])
        if taken.date is None:
            if taken.waiting is None or under_way:
                return None
            return self._start(taken.waiting, [], "waited for the campaign before it")
        if taken.waiting is not None and taken.waiting.waited is not None:
            reason = "a later date came while it waited"
            self.schedules.occurrences.drop(taken.waiting.waited, reason)
        overlap = taken.date.schedule.overlap
        if not under_way or overlap == Overlap.REPLACE:
            return self._start(taken.date, list(under_way))
        other = _named(under_way[-1])
        reason = f"campaign {numbered(other.number)} was still under way"
        if overlap == Overlap.QUEUE:
            self.schedules.occurrences.waits(taken.date, reason, other)
        else:
            self.schedules.occurrences.skipped(taken.date, reason, other)
        return None

    def _start(
        self, date: HandedOut, in_the_way: list[Campaign], reason: str = ""
    ) -> Campaign | None:
        schedule = date.schedule
        try:
            # When it cannot start, nothing makes way for it either.
            with self.session.begin_nested():
                cancelled = self.campaigns.make_way(in_the_way, schedule.created_by)
                experiment = self.campaigns.experiments.get(schedule.experiment_id)
                campaign = self.campaigns.start(
                    experiment,
                    trigger=Trigger.SCHEDULE,
                    requested_by=schedule.created_by,
                    scheduled_for=date.at,
                )
        except OperationalError:
            raise  # the database, not the schedule: the next turn tries again
        except Exception as error:  # noqa: BLE001 - whatever it is, the other schedules go on
            log.warning(
                "schedule_failed", experiment=str(schedule.experiment_id), reason=str(error)
            )
            self.schedules.occurrences.failed(date, error)
            return None
        started, replaced = _named(campaign), _named(cancelled[-1]) if cancelled else None
        if replaced is not None:
            reason = f"campaign {numbered(replaced.number)} was cancelled for it"
            places = [one.id for one in cancelled]
            self.schedules.occurrences.took_its_place(places, date, started)
        elif date.is_late:
            reason = f"late: {_minutes(campaign.created_at - date.at)} after its date"
        self.schedules.occurrences.started(date, started, reason, replaced)
        return campaign


def start_due(transaction: Transactions[SchedulingService]) -> list[Campaign]:
    """Look after every schedule that needs it, each in a transaction of its own.

    One that cannot be looked after is set aside with the reason, and keeps no other from starting.

    :param transaction: begins one.
    :returns: the campaigns that were started.
    """
    started = []
    with transaction() as service:
        pending = service.pending()
    for experiment_id in pending:
        try:
            with transaction() as service:
                campaign = service.attend(experiment_id)
        except OperationalError as error:
            log.warning("schedule_postponed", experiment=str(experiment_id), reason=str(error))
            continue
        except Exception as error:
            log.exception("schedule_set_aside", experiment=str(experiment_id))
            with transaction() as service:
                service.schedules.set_aside(experiment_id, error)
            continue
        if campaign is not None:
            started.append(campaign)
    return started


def _named(campaign: Campaign) -> NamedCampaign:
    return NamedCampaign(campaign.id, campaign.number)


def _minutes(length: datetime.timedelta) -> str:
    minutes = round(length.total_seconds() / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"  # noqa: PLR2004
