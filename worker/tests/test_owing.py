"""Jobs about one subject end: done, or given up with the reason, and one keeps no other waiting."""

import datetime
import errno
from collections.abc import Iterator
from dataclasses import asdict
from uuid import UUID, uuid4

import psycopg
import pytest
from celery.exceptions import SoftTimeLimitExceeded
from redis.exceptions import ConnectionError as RedisAway
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from weighhouse_backend.alerts.detection import JOB, owe_detection
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.experiments.models import ExperimentRevision
from weighhouse_backend.gates.models import CampaignVerdict
from weighhouse_backend.kit import owed
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import make_engine, make_session_factory
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.owed import MOST_TRIES, OwedJob
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.measurements.models import Interval
from weighhouse_backend.measurements.packed_intervals import DriverUse
from weighhouse_backend.runs.states import CampaignStatus
from weighhouse_testing.world import World, make_world
from weighhouse_worker import tasks
from weighhouse_worker.owed_jobs import KILLED, TOO_LONG, OwedTask
from weighhouse_worker.tools import Tools

BEYOND = 10**300
"""A count that was taken before there were bounds, and that no column of sums holds."""


@pytest.fixture(scope="module")
def tools(database_url: str, own_redis_database: str) -> Tools:
    return Tools(Settings(database_url=database_url, redis_url=own_redis_database))


@pytest.fixture
def world(tools: Tools) -> Iterator[World]:
    engine, redis = make_engine(tools.settings.database_url), make_redis(tools.settings.redis_url)
    yield make_world(make_session_factory(engine), tools.settings, redis)
    redis.close()
    engine.dispose()


def owed_of(tools: Tools, subject: UUID) -> OwedJob | None:
    with tools.session() as session:
        return session.scalars(select(OwedJob).where(OwedJob.subject == subject)).one_or_none()


class Failing:
    """Work that fails as told, and the end that is made of it."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.tried = error, 0
        self.ended: list[str] = []

    def task(self) -> OwedTask:
        return OwedTask("test.job", self.work, self.give_up)

    def work(self, tools: Tools, subject: UUID) -> None:
        del tools, subject
        self.tried += 1
        if self.error is not None:
            raise self.error

    def give_up(self, tools: Tools, subject: UUID, reason: str) -> None:
        del tools, subject
        self.ended.append(reason)


def said(kind: type[psycopg.Error]) -> DBAPIError:
    """What SQLAlchemy makes of what PostgreSQL says."""
    made = DBAPIError.instance("INSERT", None, kind("not now"), psycopg.Error)
    assert isinstance(made, DBAPIError)
    return made


def carry_out(tools: Tools, task: OwedTask, subject: UUID, times: int) -> int:
    """Try as often as a sweep would; how often it raised."""
    raised = 0
    for _ in range(times):
        try:
            task.carry_out(tools, subject)
        except Exception:  # noqa: BLE001 - as the worker's frame counts it
            raised += 1
    return raised


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("no\nsecond line"), "ValueError: no"),
        (SoftTimeLimitExceeded(), TOO_LONG),
        (said(psycopg.errors.OutOfMemory), "OutOfMemory: not now"),
        (said(psycopg.errors.ConfigurationLimitExceeded), "ConfigurationLimitExceeded: not now"),
    ],
)
def test_work_that_fails_is_given_up_with_its_reason(
    tools: Tools, error: Exception, reason: str
) -> None:
    failing, subject = Failing(error), uuid4()
    assert carry_out(tools, failing.task(), subject, MOST_TRIES) == MOST_TRIES - 1
    assert (failing.tried, failing.ended) == (MOST_TRIES, [reason])
    assert owed_of(tools, subject) is None


def test_work_whose_worker_is_killed_each_time_is_given_up_without_another_try(
    tools: Tools,
) -> None:
    failing, subject = Failing(), uuid4()
    for _ in range(MOST_TRIES):  # each committed, and nobody came back to say more
        with tools.session() as session:
            owed.begin(session, SystemClock().now(), "test.job", subject)
    failing.task().carry_out(tools, subject)
    assert (failing.tried, failing.ended) == (0, [KILLED])


def test_work_that_is_done_is_owed_no_longer(tools: Tools) -> None:
    failing, subject = Failing(ValueError()), uuid4()
    assert carry_out(tools, failing.task(), subject, 2) == 2
    found = owed_of(tools, subject)
    assert found is not None
    assert (found.tries, found.reason) == (2, "ValueError")
    failing.error = None
    failing.task().carry_out(tools, subject)
    assert (owed_of(tools, subject), failing.ended) == (None, [])


@pytest.mark.parametrize(
    "error",
    [
        RedisAway(),
        PoolTimeout(),
        OSError(errno.ENOSPC, "No space left on device"),
        said(psycopg.OperationalError),
        said(psycopg.errors.DiskFull),
        said(psycopg.errors.ReadOnlySqlTransaction),
        said(psycopg.errors.LockNotAvailable),
        said(psycopg.errors.DeadlockDetected),
    ],
    ids=lambda error: type(getattr(error, "orig", error)).__name__,
)
def test_what_everything_needs_says_nothing_of_the_work(tools: Tools, error: Exception) -> None:
    failing, subject = Failing(error), uuid4()
    assert carry_out(tools, failing.task(), subject, MOST_TRIES + 3) == MOST_TRIES + 3
    found = owed_of(tools, subject)
    assert found is not None
    assert (found.tries, failing.ended) == (0, [])


def test_what_is_asked_for_anew_meanwhile_is_owed_on(tools: Tools) -> None:
    subject = uuid4()

    def work(tools: Tools, subject: UUID) -> None:
        with tools.session() as session:
            owed.owe(session, SystemClock().now(), "test.job", subject, {"of": "now"})

    OwedTask("test.job", work, Failing().give_up).carry_out(tools, subject)
    found = owed_of(tools, subject)
    assert found is not None
    assert (found.tries, found.arguments) == (0, {"of": "now"})


def test_one_worker_at_a_time_is_at_a_subject(tools: Tools) -> None:
    failing, subject, other = Failing(ValueError()), uuid4(), uuid4()
    with tools.session() as session:
        assert owed.alone(session, "test.job", subject)
        assert carry_out(tools, failing.task(), subject, MOST_TRIES) == 0
        assert (failing.tried, owed_of(tools, subject)) == (0, None)
        assert carry_out(tools, failing.task(), other, 1) == 1
    assert carry_out(tools, failing.task(), subject, 1) == 1


def settling(world: World) -> tuple[UUID, UUID]:
    """A campaign of one run that settles, with a count that cannot be summed: campaign and run."""
    agent = world.agent()
    target = {"name": "one", "system": "redis"}
    campaign_id = world.start(repetitions=1, targets=[target])
    order = world.take(agent)
    assert world.end(order) == "accepted"
    with unit_of_work(world.sessions) as session:
        session.add(
            Interval(
                attempt_id=order.attempt_id, member=0, span=1, sequence=1,
                project_id=world.project_id, phase="measure", phase_index=1,
                started_at=world.clock.now(), duration_us=1_000_000,
                operations={"read": {"ok": {"count": BEYOND}}}, histograms=b"", lag=None,
                driver=asdict(DriverUse()),
            )
        )  # fmt: skip
    return campaign_id, order.run_id


def test_a_run_whose_figures_cannot_be_kept_fails_with_the_reason(
    tools: Tools, world: World
) -> None:
    campaign_id, run_id = settling(world)
    task = tasks.RUN_SETTLEMENT
    assert carry_out(tools, task, run_id, MOST_TRIES - 1) == MOST_TRIES - 1
    assert world.run(run_id).status == "settling"
    task.carry_out(tools, run_id)
    run = world.run(run_id)
    assert run.status == "failed"
    assert run.failure is not None
    assert "could not be worked out" in run.failure["message"]
    assert str(BEYOND) not in run.failure["message"], "nothing of rows is repeated"
    assert world.campaign(campaign_id).status == "settling", "and its campaign goes on"


@pytest.mark.parametrize(
    ("broken", "reason"), [("base", "no base at all"), ("document", "validation error")]
)
def test_a_campaign_that_cannot_be_judged_ends_with_the_reason(
    tools: Tools, world: World, broken: str, reason: str
) -> None:
    agent = world.agent()
    campaign_id = world.start(repetitions=1)
    world.finish_everything(agent)
    with unit_of_work(world.sessions) as session:  # what its revision says is not readable
        campaign = session.get_one(type(world.campaign(campaign_id)), campaign_id)
        if broken == "base":
            campaign.base = "no base at all"
        else:
            session.get_one(ExperimentRevision, campaign.revision_id).document = {}
    carry_out(tools, tasks.CAMPAIGN_SETTLEMENT, campaign_id, MOST_TRIES)
    campaign = world.campaign(campaign_id)
    assert (campaign.status, campaign.verdict) == ("completed", "infrastructure")
    with tools.session() as session:
        kept = session.scalars(
            select(CampaignVerdict).where(CampaignVerdict.campaign_id == campaign_id)
        ).one()
        assert reason in kept.message


def test_a_run_that_settles_for_ever_is_cancelled_when_asked_twice(world: World) -> None:
    campaign_id, run_id = settling(world)
    for status in ("settling", "cancelled"):
        with world.transaction() as services:
            services.get(CampaignService).cancel(world.caller, campaign_id)
        assert world.run(run_id).status == status
    assert world.campaign(campaign_id).status == "cancelled"


def test_a_campaign_that_is_being_judged_is_cancelled(tools: Tools, world: World) -> None:
    agent = world.agent()
    campaign_id = world.start(repetitions=1)
    world.finish_everything(agent)
    assert world.campaign(campaign_id).status == CampaignStatus.SETTLING
    with world.transaction() as services:
        services.get(CampaignService).cancel(world.caller, campaign_id)
    tasks.settle_campaign(tools, str(campaign_id))
    campaign = world.campaign(campaign_id)
    assert (campaign.status, campaign.verdict) == ("cancelled", None)


BROKEN = """
CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE division_by_zero USING MESSAGE = 'this row is broken'; END $$;
CREATE TRIGGER broken BEFORE UPDATE ON attempt_members FOR EACH ROW
WHEN (OLD.attempt_id = '{}') EXECUTE FUNCTION broken();
"""


def test_an_attempt_that_cannot_be_looked_at_keeps_no_other_waiting(
    tools: Tools, world: World, owner_database_url: str
) -> None:
    world.clock.at = SystemClock().now() - datetime.timedelta(hours=1)
    agents = [world.agent(), world.agent()]
    for _ in agents:
        world.start(repetitions=1)
    first, second = sorted((world.take(agent) for agent in agents), key=lambda o: o.attempt_id)
    owner = make_engine(owner_database_url)
    with owner.begin() as connection:
        connection.execute(text(BROKEN.format(first.attempt_id)))
    tasks.watch_leases(tools)
    assert world.attempt(second.attempt_id).status == "lost"
    assert world.attempt(first.attempt_id).status == "running"
    found = owed_of(tools, first.attempt_id)
    assert found is not None
    assert "this row is broken" in (found.reason or "")
    with owner.begin() as connection:
        connection.execute(text("DROP TRIGGER broken ON attempt_members"))
    owner.dispose()
    tasks.EXPIRY.give_up(tools, first.attempt_id, "it could not be read")
    run = world.run(first.run_id)
    assert (run.status, world.attempt(first.attempt_id).status) == ("failed", "failed")
    assert run.failure is not None
    assert run.failure["message"].endswith("it could not be read")


def test_series_are_owed_a_look_until_it_is_done(tools: Tools, world: World) -> None:
    campaign_id, series_id = uuid4(), uuid4()
    with world.transaction() as services:
        owe_detection(
            services.get(Session), services.get(Jobs), SystemClock().now(), campaign_id, [series_id]
        )
    assert world.jobs.named(JOB)[-1]["series_ids"] == [str(series_id)]
    before = tools.redis.llen("celery")
    assert owed_of(tools, campaign_id) is not None
    tasks.detect_changes(tools, [str(series_id)], str(campaign_id))
    assert owed_of(tools, campaign_id) is None
    assert tools.redis.llen("celery") == before
