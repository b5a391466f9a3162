"""What did not take place: raised once while it goes on, over by itself, triaged like the rest."""

import datetime

import pytest
from weighhouse_backend.alerts.alert_reader import AlertReading
from weighhouse_backend.alerts.alert_repository import AlertFilter
from weighhouse_backend.alerts.alert_schemas import AlertUpdate
from weighhouse_backend.alerts.missed import MissedService
from weighhouse_backend.alerts.triage import TriageService
from weighhouse_backend.campaigns.due_schedules import SchedulingService
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.pages import PageQuery
from weighhouse_backend.runs.states import Verdict
from weighhouse_protocol.report import Failure
from weighhouse_testing.world import make_world

from backend.tests.campaigns.schedules import NIGHT, at, schedule, start_due
from backend.tests.notices.kept import notices_of, told

DAY = datetime.timedelta(days=1)
CRASH = Failure(kind="database", message="it crashed")


@pytest.fixture
def world(session_factory, settings):
    redis = make_redis(settings.redis_url)
    yield make_world(session_factory, settings, redis)
    redis.close()


def looked(world):
    """The world's alerts after a look, the oldest first."""
    with world.transaction() as services:
        services.get(MissedService).look()
    return shown(world)


def shown(world):
    with world.transaction() as services:
        reading = services.get(AlertReading)
        page = reading.listed(world.caller, PageQuery(limit=200), AlertFilter())
        return [reading.read(world.caller, one.id) for one in page.items[::-1]]


def triage(world, alert, **change):
    with world.transaction() as services:
        wanted = AlertUpdate.model_validate(change)
        services.get(TriageService).change(world.caller, alert.id, wanted, None)


def fail_all(world, agent):
    """Every run of what is queued fails on an agent, and its campaign ends."""
    while True:
        world.allocate()
        order = world.claim(agent)
        if order is None:
            break
        with world.transaction() as services:
            services.get(AttemptService).start(order.attempt_id, order.fence, order.member)
        world.end(order, "failed", CRASH)


def settle(world, campaign_id, verdict):
    with world.transaction() as services:
        services.get(CampaignService).set_verdict(campaign_id, verdict)


def test_dates_that_started_nothing_are_one_alert_until_one_starts(world):
    experiment_id = world.experiment()
    schedule(world, experiment_id, missed="report")
    assert looked(world) == []
    world.clock.at = NIGHT + 4 * DAY + datetime.timedelta(hours=3)
    assert start_due(world) == 0

    (alert,) = looked(world)
    assert (alert.kind, alert.state, alert.missed.times) == ("missed_run", "untriaged", 5)
    assert alert.title.endswith("was not started on 5 dates")
    assert alert.missed.first_at == NIGHT
    (again,) = looked(world)
    assert again.history == alert.history, "looking again changes nothing"
    assert told(world.sessions, world.project_id) == [("missed_run", alert.title)]

    at(world, NIGHT + 5 * DAY)
    assert start_due(world) == 1
    (over,) = looked(world)
    assert (over.state, over.ended_at) == ("fixed", world.clock.at)
    assert [line.kind for line in over.history] == ["ended", "raised"]
    assert over.history[0].actor is None
    assert "started a campaign again" in over.history[0].reason


def test_what_people_said_stays_and_the_next_time_is_another_alert(world):
    experiment_id = world.experiment()
    schedule(world, experiment_id, overlap="skip")
    at(world, NIGHT)
    assert start_due(world) == 1
    at(world, NIGHT + DAY)
    assert start_due(world) == 0, "the first one is still under way"
    (alert,) = looked(world)
    assert "still under way" in alert.missed.reason
    triage(world, alert, state="expected", note="it is slow")
    at(world, NIGHT + 2 * DAY)
    start_due(world)
    (repeated,) = looked(world)
    assert (repeated.id, repeated.state, repeated.missed.times) == (alert.id, "expected", 2)
    assert repeated.history[0].kind == "repeated"

    with world.transaction() as services:
        services.get(SchedulingService).schedules.delete(
            world.caller, services.get(ExperimentService).get(experiment_id)
        )
    (over,) = looked(world)
    assert (over.state, over.ended_at is not None) == ("expected", True)
    schedule(world, experiment_id, overlap="skip")
    at(world, NIGHT + 3 * DAY)
    start_due(world)
    assert [one.state for one in looked(world)] == ["expected", "untriaged"]


def test_a_campaign_without_a_result(world):
    agent = world.agent()
    experiment_id = world.experiment()
    campaign = world.campaign_of(experiment_id)
    fail_all(world, agent)
    settle(world, campaign, Verdict.INFRASTRUCTURE)

    (alert,) = looked(world)
    assert (alert.kind, alert.missed.campaign_id) == ("no_result", campaign)
    assert alert.title.startswith("A campaign of ")
    second = world.campaign_of(experiment_id)
    (waiting,) = looked(world)
    assert waiting.ended_at is None, "that it runs again is no result yet"
    world.clock.forward(60)
    fail_all(world, agent)
    settle(world, second, Verdict.INFRASTRUCTURE)
    (repeated,) = looked(world)
    assert (repeated.missed.times, repeated.missed.campaign_id) == (2, second)
    # Of each campaign once: not of the alert as well.
    kinds = [kind for kind, _ in told(world.sessions, world.project_id)]
    assert kinds == ["campaign_failed"] * 2

    third = world.campaign_of(experiment_id)
    for order in world.finish_everything(agent):
        world.settle(order.run_id)
    settle(world, third, Verdict.NO_BASELINE)
    (over,) = looked(world)
    assert over.state == "fixed"
    assert "ended with a result" in over.history[0].reason
    done = notices_of(world.sessions, world.project_id)[-1]
    assert (done.kind, done.path) == ("campaign_done", f"/campaigns/{third}")
    assert done.title.endswith(" is done")
    assert done.words == "Gate: no base."


def test_an_agent_that_is_waited_for_and_silent(world):
    agent = world.agent("far away")
    world.clock.forward(61 * 60)
    assert looked(world) == [], "nothing waits for it"
    world.start()
    (alert,) = looked(world)
    assert (alert.kind, alert.agent.id, alert.experiment) == ("silent_agent", agent, None)
    assert alert.title.startswith("Agent far away is silent since 2026-")
    (notice,) = notices_of(world.sessions, world.project_id)
    assert (notice.kind, notice.title) == ("agent_silent", alert.title)
    assert notice.path == f"/alerts?alert={alert.id}"
    with world.transaction() as services:
        services.get(FleetService).touch(agent)
    (over,) = looked(world)
    assert (over.state, over.history[0].kind) == ("fixed", "ended")
