"""What tests of schedules are written in."""

import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select
from weighhouse_backend.campaigns.due_schedules import SchedulingService
from weighhouse_backend.campaigns.due_schedules import start_due as start_all
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.experiments.schemas import OccurrenceRead, ScheduleRead, ScheduleWrite
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.kit.pages import PageQuery
from weighhouse_backend.kit.services import Services
from weighhouse_backend.kit.unit_of_work import Transactions, chosen_of
from weighhouse_backend.runs.models import Campaign
from weighhouse_testing.world import World

DAY = 86_400
NIGHT = datetime.datetime(2026, 11, 21, 1, 30, tzinfo=datetime.UTC)
"""The first date of `schedule`; later ones follow a day apart."""


def schedule(
    world: World, experiment_id: UUID, cron: str = "30 2 * * *", **wanted: Any
) -> ScheduleRead:
    with world.transaction() as services:
        experiment = services.get(ExperimentService).get(experiment_id)
        body = ScheduleWrite(cron=cron, time_zone="Europe/Vienna", **wanted)
        return services.get(SchedulingService).schedules.put(world.caller, experiment, body)


def shown(world: World, experiment_id: UUID) -> ScheduleRead:
    with world.transaction() as services:
        return services.get(SchedulingService).schedules.get(
            services.get(ExperimentService).get(experiment_id)
        )


def scheduling(begin: Transactions[Services]) -> Transactions[SchedulingService]:
    return chosen_of(begin, lambda services: services.get(SchedulingService))


def start_due(world: World) -> int:
    """Campaigns of this world that were started; other tests' worlds stand in the same tables."""
    return sum(
        one.project_id == world.project_id for one in start_all(scheduling(world.transaction))
    )


def campaigns(world: World, experiment_id: UUID) -> list[Campaign]:
    with world.sessions() as session:
        query = select(Campaign).where(Campaign.experiment_id == experiment_id)
        return list(session.scalars(query.order_by(Campaign.number)))


def occurrences(world: World, experiment_id: UUID) -> list[OccurrenceRead]:
    """Oldest first."""
    with world.transaction() as services:
        log = services.get(SchedulingService).schedules.occurrences
        return log.listed(experiment_id, PageQuery(limit=200)).items[::-1]


def outcomes(world: World, experiment_id: UUID) -> list[str]:
    return [one.outcome for one in occurrences(world, experiment_id)]


def end(world: World, campaign: Campaign) -> None:
    with world.transaction() as services:
        services.get(CampaignService).cancel(world.caller, campaign.id)


def at(world: World, date: datetime.datetime) -> None:
    """A minute past a date."""
    world.clock.at = date + datetime.timedelta(minutes=1)


def spoil(world: World, experiment_id: UUID, **changed: Any) -> None:
    """Change the stored document behind the platform's back."""
    with world.transaction() as services:
        revision = services.get(ExperimentService).revision(experiment_id, 1)
        revision.document = {**revision.document, **changed}
