"""In an archived project nothing new is measured, all is there, and schedules stand still."""

import datetime

from sqlalchemy.orm import Session
from weighhouse_backend.campaigns.due_schedules import SchedulingService
from weighhouse_backend.campaigns.schemas import RepeatsWanted
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity.models import Project
from weighhouse_backend.membership.projects import ProjectService
from weighhouse_testing.world import World

from .schedules import DAY, NIGHT, at, campaigns, occurrences, outcomes, schedule, shown, start_due
from .served import Tenant


def set_archived(world: World, *, archived: bool) -> None:
    """As an owner does."""
    with world.transaction() as services:
        owner = world.owner
        projects = ProjectService(services.get(Session), world.clock)
        (projects.archive if archived else projects.restore)(owner, world.project_id)


def night(number: int) -> datetime.datetime:
    return NIGHT + datetime.timedelta(seconds=number * DAY)


def test_no_campaign_starts_and_the_refusal_says_how_to_mend(tenant: Tenant) -> None:
    world = tenant.world
    before = tenant.request(
        "POST", "/api/v1/campaigns", json={"experiment_id": str(world.experiment())}
    )
    set_archived(world, archived=True)
    refused = tenant.request(
        "POST", "/api/v1/campaigns", json={"experiment_id": str(world.experiment())}
    )
    assert refused.status_code == 409
    assert refused.json()["type"].endswith("project-archived")
    assert "weighhouse project restore" in refused.json()["detail"]
    seen = tenant.request("GET", f"/api/v1/campaigns/{before.json()['id']}")
    assert seen.status_code == 200, "what is there is read as before"
    assert len(tenant.request("GET", "/api/v1/campaigns").json()["items"]) == 1
    set_archived(world, archived=False)
    again = tenant.request(
        "POST", "/api/v1/campaigns", json={"experiment_id": str(world.experiment())}
    )
    assert again.status_code == 201


def test_nothing_is_tried_again_and_no_repeat_is_added(tenant: Tenant) -> None:
    world = tenant.world
    campaign = world.start()
    set_archived(world, archived=True)
    for path, body in (
        ("retry-failed", None), ("repeats", RepeatsWanted(count=1).model_dump())
    ):  # fmt: skip
        refused = tenant.request("POST", f"/api/v1/campaigns/{campaign}/{path}", json=body)
        assert refused.json()["type"].endswith("project-archived"), path


def test_what_is_under_way_goes_on_to_its_end(world: World) -> None:
    agent = world.agent()
    world.start(repetitions=1)
    set_archived(world, archived=True)
    order = world.take(agent)
    assert world.end(order) == "accepted"
    assert world.take(agent) is not None


def test_dates_that_pass_meanwhile_start_nothing_and_are_not_made_up_for(world: World) -> None:
    world.clock.at = NIGHT - datetime.timedelta(hours=1)
    experiment = world.experiment()
    schedule(world, experiment, missed="run_late")
    set_archived(world, archived=True)
    for number in range(3):
        at(world, night(number))
        assert start_due(world) == 0
    assert outcomes(world, experiment) == [], "it stands still"
    still = shown(world, experiment)
    assert (still.next, "stands still" in str(still.problem)) == ([], True)
    with world.transaction() as services:
        listed = (
            services.get(ExperimentService)
            .summary(services.get(ExperimentService).get(experiment))
            .schedule
        )
        assert listed is not None
        assert (listed.next_at, listed.problem) == (None, still.problem)
    with world.transaction() as services:
        assert world.project_id not in services.get(SchedulingService).schedules.projects()
    set_archived(world, archived=False)
    assert start_due(world) == 0
    (passed,) = occurrences(world, experiment)
    assert (passed.outcome, passed.dates_count) == ("missed", 3)
    assert passed.reason == "the project was archived"
    assert shown(world, experiment).next[0] == night(3)
    with world.transaction() as services:
        told = {
            one.experiment_id for one in services.get(SchedulingService).schedules.not_started()
        }
    assert experiment not in told, "nobody is alarmed by what was meant"
    at(world, night(3))
    assert start_due(world) == 1
    assert len(campaigns(world, experiment)) == 1


def test_a_date_that_waits_is_given_up(world: World) -> None:
    world.clock.at = NIGHT - datetime.timedelta(hours=1)
    experiment = world.experiment()
    schedule(world, experiment, overlap="queue")
    for number in range(2):
        at(world, night(number))
        start_due(world)
    assert outcomes(world, experiment) == ["started", "waiting"]
    set_archived(world, archived=True)
    (first,) = campaigns(world, experiment)
    with world.transaction() as services:
        services.get(CampaignService).cancel(world.caller, first.id)
    assert start_due(world) == 0
    set_archived(world, archived=False)
    assert start_due(world) == 0
    last = occurrences(world, experiment)[-1]
    assert (last.outcome, last.reason) == ("skipped", "the project was archived")


def test_the_projects_other_rows_are_untouched(world: World) -> None:
    campaign = world.start()
    set_archived(world, archived=True)
    with world.sessions() as session:
        project = session.get_one(Project, world.project_id)
        assert project.archived_by == "Olga"
        assert project.restored_at is None
    with world.transaction() as services:
        assert services.get(CampaignService).get(campaign).status == "queued"
