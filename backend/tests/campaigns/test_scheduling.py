"""Schedules whose date has come: one campaign a date, whatever was missed."""

import datetime
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from sqlalchemy import select
from weighhouse_backend.campaigns.models import Campaign
from weighhouse_backend.campaigns.states import Verdict
from weighhouse_backend.experiments.schemas import ScheduleWrite
from weighhouse_testing.world import World

DAY = 86_400


def schedule(world: World, experiment_id: UUID, cron: str = "30 2 * * *") -> None:
    with world.transaction() as feature:
        experiment = feature.experiments.get(experiment_id)
        wanted = ScheduleWrite(cron=cron, time_zone="Europe/Vienna")
        feature.scheduling.schedules.put(world.caller, experiment, wanted)


def start_due(world: World) -> int:
    with world.transaction() as feature:
        started = feature.scheduling.start_due()
        return sum(one.project_id == world.project_id for one in started)


def campaigns(world: World, experiment_id: UUID) -> list[Campaign]:
    with world.sessions() as session:
        query = select(Campaign).where(Campaign.experiment_id == experiment_id)
        return list(session.scalars(query.order_by(Campaign.number)))


def end(world: World, campaign: Campaign) -> None:
    with world.transaction() as feature:
        feature.campaigns.cancel(world.caller, campaign.id)


def test_nothing_starts_before_its_date(world: World) -> None:
    schedule(world, world.experiment())

    assert start_due(world) == 0


def test_a_date_starts_one_campaign_however_many_look(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    world.clock.at = datetime.datetime(2026, 11, 21, 1, 31, tzinfo=datetime.UTC)

    with ThreadPoolExecutor(4) as pool:
        started = list(pool.map(lambda _: start_due(world), range(8)))

    assert sum(started) == 1
    made = campaigns(world, experiment_id)[0]
    assert (made.trigger, made.requested_by) == ("schedule", "Mia")
    assert made.scheduled_for == datetime.datetime(2026, 11, 21, 1, 30, tzinfo=datetime.UTC)
    with world.transaction() as feature:
        card = feature.experiments.summary(feature.experiments.get(experiment_id))
    assert card.schedule is not None
    assert card.schedule.next_at == made.scheduled_for + datetime.timedelta(days=1)


def test_dates_missed_while_nobody_looked_count_as_one(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    world.clock.forward(5 * DAY)

    assert start_due(world) == 1
    end(world, campaigns(world, experiment_id)[0])
    assert start_due(world) == 0


def test_a_campaign_still_under_way_lets_a_date_pass(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    world.clock.forward(DAY)
    assert start_due(world) == 1
    world.clock.forward(DAY)

    assert start_due(world) == 0
    end(world, campaigns(world, experiment_id)[0])
    world.clock.forward(DAY)
    assert start_due(world) == 1


def test_an_experiment_that_cannot_start_keeps_no_other_from_starting(world: World) -> None:
    broken, good = world.experiment(), world.experiment()
    for experiment_id in (broken, good):
        schedule(world, experiment_id)
    with world.transaction() as feature:
        revision = feature.experiments.revision(broken, 1)
        targets = [{**target, "system": "gone"} for target in revision.document["targets"]]
        revision.document = {**revision.document, "targets": targets}
    world.clock.forward(DAY)

    assert start_due(world) == 1
    assert campaigns(world, broken) == []
    assert len(campaigns(world, good)) == 1


def test_a_disabled_schedule_starts_nothing(world: World) -> None:
    experiment_id = world.experiment()
    with world.transaction() as feature:
        wanted = ScheduleWrite(cron="* * * * *", time_zone="UTC", enabled=False)
        experiment = feature.experiments.get(experiment_id)
        feature.scheduling.schedules.put(world.caller, experiment, wanted)
    world.clock.forward(DAY)

    assert start_due(world) == 0


def test_the_next_campaign_is_compared_with_the_last_completed(world: World) -> None:
    agent = world.agent()
    experiment_id = world.experiment(repetitions=1)
    schedule(world, experiment_id)
    world.clock.forward(DAY)
    start_due(world)
    first = campaigns(world, experiment_id)[0]
    with world.transaction() as feature:
        feature.fleet.authenticate(world.tokens[agent])
    world.finish_everything(agent)
    with world.transaction() as feature:
        feature.campaigns.set_verdict(first.id, Verdict.NO_BASELINE)
    world.clock.forward(DAY)

    assert start_due(world) == 1
    assert campaigns(world, experiment_id)[1].base_campaign_id == first.id
