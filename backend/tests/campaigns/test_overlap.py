"""What becomes of a date while the campaign before it is under way."""

import datetime
from collections.abc import Callable

from sqlalchemy import text
from sqlalchemy.orm import Session
from weighhouse_backend.campaigns.due_schedules import SchedulingService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.service import FleetService
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
    spoil,
    start_due,
)
from .served import Tenant


def test_a_campaign_still_under_way_lets_a_date_pass(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id)
    at(world, NIGHT)
    assert start_due(world) == 1
    world.clock.forward(DAY)

    assert start_due(world) == 0
    first = campaigns(world, experiment_id)[0]
    skipped = occurrences(world, experiment_id)[-1]
    assert skipped.outcome == "skipped"
    assert skipped.other_campaign is not None
    assert skipped.other_campaign.id == first.id
    assert f"№ {first.number}" in skipped.reason
    end(world, first)
    world.clock.forward(DAY)
    assert start_due(world) == 1


def test_a_campaign_somebody_started_by_hand_is_in_nobodys_way(world: World) -> None:
    experiment_id = world.experiment()
    world.campaign_of(experiment_id)
    schedule(world, experiment_id)
    at(world, NIGHT)

    assert start_due(world) == 1


def test_a_date_waits_for_the_end_of_the_campaign_before_it(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id, overlap="queue")
    at(world, NIGHT)
    start_due(world)
    world.clock.forward(DAY)
    assert start_due(world) == 0
    assert outcomes(world, experiment_id) == ["started", "waiting"]
    world.clock.forward(3600)
    assert start_due(world) == 0

    end(world, campaigns(world, experiment_id)[0])
    assert start_due(world) == 1
    assert start_due(world) == 0

    second = campaigns(world, experiment_id)[1]
    assert second.scheduled_for == NIGHT + datetime.timedelta(days=1)
    became = occurrences(world, experiment_id)[1]
    assert (became.outcome, became.campaign and became.campaign.id) == ("started", second.id)
    assert "waited" in became.reason


def test_one_date_waits_at_most_the_latest(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id, overlap="queue")
    at(world, NIGHT)
    start_due(world)
    for _ in range(3):
        world.clock.forward(DAY)
        start_due(world)

    assert outcomes(world, experiment_id) == ["started", "skipped", "skipped", "waiting"]
    assert "later date" in occurrences(world, experiment_id)[1].reason
    end(world, campaigns(world, experiment_id)[0])
    world.clock.forward(DAY)
    assert start_due(world) == 1, "the date that has come goes before the one that waits"
    assert outcomes(world, experiment_id)[3:] == ["skipped", "started"]


def test_who_switches_off_or_removes_a_schedule_lets_nothing_wait(world: World) -> None:
    for remove in (False, True):
        experiment_id = world.experiment()
        schedule(world, experiment_id, overlap="queue")
        at(world, world.clock.at.replace(hour=1, minute=30) + datetime.timedelta(days=1))
        start_due(world)
        world.clock.forward(DAY)
        start_due(world)
        assert outcomes(world, experiment_id)[-1] == "waiting"

        if remove:
            with world.transaction() as services:
                experiment = services.get(ExperimentService).get(experiment_id)
                services.get(SchedulingService).schedules.delete(world.caller, experiment)
        else:
            schedule(world, experiment_id, enabled=False)
        end(world, campaigns(world, experiment_id)[0])

        assert start_due(world) == 0
        assert occurrences(world, experiment_id)[-1].outcome == "skipped"


def test_a_later_date_replaces_the_campaign_under_way_in_good_order(world: World) -> None:
    agent = world.agent()
    experiment_id = world.experiment(repetitions=1)
    schedule(world, experiment_id, overlap="replace")
    at(world, NIGHT)
    start_due(world)
    with world.transaction() as services:
        services.get(FleetService).authenticate(world.tokens[agent])
    order = world.take(agent)
    world.clock.forward(DAY)

    assert start_due(world) == 1

    first, second = campaigns(world, experiment_id)
    assert world.beat(order) == "graceful"
    assert world.end(order, "cancelled") == "accepted"
    assert world.campaign(first.id).status == "cancelled"
    assert world.campaign(second.id).status == "queued"
    replaced, started = occurrences(world, experiment_id)
    assert (replaced.outcome, started.outcome) == ("replaced", "started")
    assert replaced.other_campaign is not None
    assert replaced.other_campaign.id == second.id
    assert started.other_campaign is not None
    assert started.other_campaign.id == first.id


def test_nothing_is_cancelled_for_a_campaign_that_cannot_start(world: World) -> None:
    experiment_id = world.experiment()
    schedule(world, experiment_id, overlap="replace")
    at(world, NIGHT)
    start_due(world)
    spoil(world, experiment_id, targets="none")
    world.clock.forward(DAY)

    assert start_due(world) == 0
    [first] = campaigns(world, experiment_id)
    assert (first.status, first.cancel_requested_at) == ("queued", None)
    assert outcomes(world, experiment_id) == ["started", "failed"]


def test_what_became_of_dates_is_told_over_http_and_to_nobody_else(
    new_tenant: Callable[[], Tenant],
) -> None:
    tenant, theirs = new_tenant(), new_tenant()
    world = tenant.world
    experiment_id = world.experiment()
    path = f"/api/v1/experiments/{experiment_id}/schedule"
    wanted = {"cron": "* * * * *", "time_zone": "UTC", "overlap": "replace", "missed": "report"}
    made = tenant.request("PUT", path, json=wanted).json()
    assert (made["overlap"], made["missed"], made["problem"]) == ("replace", "report", None)
    with world.transaction() as services:
        back = (
            "UPDATE schedules SET next_at = next_at - interval '3 hours' WHERE experiment_id = :e"
        )
        services.get(Session).execute(text(back), {"e": experiment_id})

    assert start_due(world) == 1

    first = tenant.request("GET", f"{path}/occurrences?limit=1").json()
    [started] = first["items"]
    [missed] = tenant.request(
        "GET", f"{path}/occurrences", params={"cursor": first["next_cursor"]}
    ).json()["items"]
    assert (started["outcome"], missed["outcome"]) == ("started", "missed")
    assert missed["dates_count"] >= 179
    campaign = tenant.request("GET", f"/api/v1/campaigns/{started['campaign']['id']}").json()
    assert campaign["number"] == started["campaign"]["number"]
    assert campaign["scheduled_for"] == started["scheduled_for"]
    assert theirs.request("GET", f"{path}/occurrences").status_code == 404
    assert tenant.request("DELETE", path).status_code == 204
    assert len(tenant.request("GET", f"{path}/occurrences").json()["items"]) == 2, "it stays"


def test_a_policy_there_is_not_is_refused_by_field(tenant: Tenant) -> None:
    path = f"/api/v1/experiments/{tenant.world.experiment()}/schedule"
    wanted = {"cron": "* * * * *", "time_zone": "UTC", "overlap": "both"}

    answer = tenant.request("PUT", path, json=wanted)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "overlap"
