"""Schedules whose date has come: one campaign a date, whatever was missed or is broken."""

import dataclasses
import datetime
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session
from weighhouse_backend.campaigns.due_schedules import SchedulingService
from weighhouse_backend.campaigns.due_schedules import start_due as start_all
from weighhouse_backend.experiments.occurrences import HandedOut
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.kit.services import Services
from weighhouse_backend.runs.models import Campaign
from weighhouse_testing.world import World

from .schedules import (
    DAY,
    NIGHT,
    at,
    campaigns,
    end,
    occurrences,
    outcomes,
    schedule,
    scheduling,
    shown,
    spoil,
    start_due,
)


def test_nothing_starts_before_its_date(world: World) -> None:
    schedule(world, world.experiment())

    assert start_due(world) == 0


def test_a_date_starts_one_campaign_however_many_look(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    at(world, NIGHT)

    with ThreadPoolExecutor(4) as pool:
        started = list(pool.map(lambda _: start_due(world), range(8)))

    assert sum(started) == 1
    made = campaigns(world, experiment_id)[0]
    assert (made.trigger, made.requested_by) == ("schedule", "Mia")
    assert made.scheduled_for == NIGHT
    with world.transaction() as services:
        card = services.get(ExperimentService).summary(
            services.get(ExperimentService).get(experiment_id)
        )
    assert card.schedule is not None
    assert card.schedule.next_at == made.scheduled_for + datetime.timedelta(days=1)
    [became] = occurrences(world, experiment_id)
    assert (became.outcome, became.reason, became.scheduled_for) == ("started", "", NIGHT)
    assert became.campaign is not None
    assert (became.campaign.id, became.campaign.number) == (made.id, made.number)


def test_of_dates_missed_while_the_platform_was_down_the_latest_is_made_up_for(
    world: World,
) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    world.clock.at = NIGHT + datetime.timedelta(days=4, hours=3)

    assert start_due(world) == 1
    assert start_due(world) == 0
    [made] = campaigns(world, experiment_id)
    assert made.scheduled_for == NIGHT + datetime.timedelta(days=4)
    missed, late = occurrences(world, experiment_id)
    assert (missed.outcome, missed.dates_count) == ("missed", 4)
    assert (missed.first_at, missed.scheduled_for) == (NIGHT, NIGHT + datetime.timedelta(days=3))
    assert "not running" in missed.reason
    assert (late.outcome, late.reason) == ("started", "late: 3 h 0 min after its date")


def test_missed_dates_are_only_reported_when_that_is_wanted(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id, missed="report")
    world.clock.at = NIGHT + datetime.timedelta(days=4, hours=3)

    assert start_due(world) == 0
    [missed] = occurrences(world, experiment_id)
    assert (missed.outcome, missed.dates_count) == ("missed", 5)
    at(world, NIGHT + datetime.timedelta(days=5))
    assert start_due(world) == 1
    assert occurrences(world, experiment_id)[-1].reason == ""


def test_a_date_that_is_on_time_starts_though_missed_ones_are_only_reported(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id, missed="report")
    at(world, NIGHT + datetime.timedelta(days=2))

    assert start_due(world) == 1
    assert outcomes(world, experiment_id) == ["missed", "started"]


def test_the_late_date_of_the_night_of_the_change_is_the_one_that_was_set(world: World) -> None:
    # The night of 2027-03-28 has no 02:30 in Vienna; the date is right after the gap.
    world.clock.at = datetime.datetime(2027, 3, 27, 12, 0, tzinfo=datetime.UTC)
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    world.clock.at = datetime.datetime(2027, 3, 28, 9, 0, tzinfo=datetime.UTC)

    assert start_due(world) == 1
    [made] = campaigns(world, experiment_id)
    assert made.scheduled_for == datetime.datetime(2027, 3, 28, 1, 0, tzinfo=datetime.UTC)
    assert shown(world, experiment_id).next[0] == datetime.datetime(
        2027, 3, 29, 0, 30, tzinfo=datetime.UTC
    )


def test_the_hour_that_comes_twice_starts_once(world: World) -> None:
    world.clock.at = datetime.datetime(2027, 10, 30, 12, 0, tzinfo=datetime.UTC)
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    started = 0
    for minute in range(0, 180, 10):
        world.clock.at = datetime.datetime(2027, 10, 31, minute // 60, minute % 60,
                                           tzinfo=datetime.UTC)  # fmt: skip
        started += start_due(world)
        for campaign in campaigns(world, experiment_id):
            end(world, campaign)

    assert started == 1
    assert outcomes(world, experiment_id) == ["started"]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"targets": [{"name": "a", "system": "gone"}]}, "gone"),
        ({"targets": "none"}, "experiment cannot be read: targets"),
        ({"repetitions": {"no": "number"}}, "repetitions"),
    ],
)
def test_an_experiment_that_cannot_start_keeps_no_other_from_starting(
    world: World, wrong: dict[str, Any], told: str
) -> None:
    broken, good = world.experiment(), world.experiment()
    for experiment_id in (broken, good):
        schedule(world, experiment_id)
    spoil(world, broken, **wrong)
    at(world, NIGHT)

    assert start_due(world) == 1
    assert campaigns(world, broken) == []
    assert len(campaigns(world, good)) == 1
    [failed] = occurrences(world, broken)
    assert failed.outcome == "failed"
    assert told in failed.reason
    assert shown(world, broken).problem == failed.reason
    with world.transaction() as services:
        card = (
            services.get(ExperimentService)
            .summary(services.get(ExperimentService).get(broken))
            .schedule
        )
    assert card is not None
    assert card.problem == failed.reason
    assert card.next_at == NIGHT + datetime.timedelta(days=1), "it is tried again"


def test_a_schedule_is_well_again_once_a_date_started(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    with world.transaction() as services:
        targets = services.get(ExperimentService).revision(experiment_id, 1).document["targets"]
    spoil(world, experiment_id, targets="none")
    at(world, NIGHT)
    start_due(world)
    assert shown(world, experiment_id).problem
    spoil(world, experiment_id, targets=targets)
    world.clock.forward(DAY)

    assert start_due(world) == 1
    assert shown(world, experiment_id).problem is None


def test_a_schedule_without_dates_is_set_aside_until_it_is_set_again(world: World) -> None:
    broken, good = world.experiment(), world.experiment()
    for experiment_id in (broken, good):
        schedule(world, experiment_id)
    with world.transaction() as services:
        spoiled = text("UPDATE schedules SET time_zone = 'Europe/Nowhere' WHERE experiment_id = :e")
        services.get(Session).execute(spoiled, {"e": broken})
    at(world, NIGHT)

    assert start_due(world) == 1
    assert start_due(world) == 0
    aside = shown(world, broken)
    assert aside.next == []
    assert aside.problem is not None
    assert aside.problem.startswith("set aside")
    assert "Europe/Nowhere" in aside.problem
    again = schedule(world, broken)
    assert again.problem is None
    world.clock.forward(DAY)
    end(world, campaigns(world, good)[0])
    assert start_due(world) == 2


class Broken:
    """The services over a transaction of a world, one schedule of which raises."""

    def __init__(self, world: World, experiment_id: UUID, error: Exception) -> None:
        self.world, self.experiment_id, self.error = world, experiment_id, error

    @contextmanager
    def transaction(self) -> Iterator[Services]:
        with self.world.transaction() as services:
            service = services.get(SchedulingService)
            whole = service.attend

            def attend(experiment_id: UUID) -> Campaign | None:
                if experiment_id == self.experiment_id:
                    raise self.error
                return whole(experiment_id)

            object.__setattr__(service, "attend", attend)
            yield services


def test_whatever_one_schedule_raises_it_is_set_aside_and_the_others_go_on(world: World) -> None:
    broken, good = world.experiment(), world.experiment()
    for experiment_id in (broken, good):
        schedule(world, experiment_id)
    at(world, NIGHT)

    start_all(scheduling(Broken(world, broken, ZeroDivisionError("by nothing")).transaction))

    assert len(campaigns(world, good)) == 1
    assert "ZeroDivisionError: by nothing" in (shown(world, broken).problem or "")
    assert start_due(world) == 0


def test_when_the_database_falters_the_next_turn_tries_again(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    at(world, NIGHT)
    falters = OperationalError("SELECT", {}, Exception("lock timeout"))

    start_all(scheduling(Broken(world, experiment_id, falters).transaction))

    assert shown(world, experiment_id).problem is None
    assert start_due(world) == 1


def test_dates_that_passed_while_it_was_switched_off_are_recorded_and_not_made_up_for(
    world: World,
) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    schedule(world, experiment_id, enabled=False)
    world.clock.at = NIGHT + datetime.timedelta(days=2, hours=3)
    assert start_due(world) == 0
    assert occurrences(world, experiment_id) == []

    schedule(world, experiment_id)

    assert start_due(world) == 0
    [missed] = occurrences(world, experiment_id)
    assert (missed.outcome, missed.dates_count) == ("missed", 3)
    assert "switched off" in missed.reason


def test_old_occurrences_are_forgotten(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    for days in range(8):
        with world.transaction() as services:
            service = services.get(SchedulingService).schedules
            log = dataclasses.replace(service.occurrences, kept=5)
            row = service.repository.lock_schedule(experiment_id)
            assert row is not None
            date = NIGHT + datetime.timedelta(days=days)
            log.failed(HandedOut(row, date), ValueError("no"))

    kept = occurrences(world, experiment_id)
    assert [one.scheduled_for for one in kept] == [
        NIGHT + datetime.timedelta(days=days) for days in range(3, 8)
    ]


def test_a_disabled_schedule_starts_nothing(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id, "* * * * *", enabled=False)
    world.clock.forward(DAY)

    assert start_due(world) == 0


def test_a_scheduled_campaign_is_compared_with_those_that_passed(world: World) -> None:
    """Which they are is seen when it is settled: a base chosen at its start could still regress."""
    experiment_id = world.experiment(repetitions=1)
    schedule(world, experiment_id)
    at(world, NIGHT)

    assert start_due(world) == 1
    (campaign,) = campaigns(world, experiment_id)
    assert (campaign.base, campaign.base_campaign_id) == ("pooled", None)
