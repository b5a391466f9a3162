"""The worker as a process: what it takes up by itself, and what a killed one leaves behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import httpx
import pytest
from redis import Redis
from sqlalchemy.orm import Session
from weighhouse_backend.campaigns.due_schedules import SchedulingService
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.experiments.schemas import ScheduleWrite
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import make_engine, make_session_factory
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.jobs import make_celery
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signs import ages_of_signs
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.waits import PATIENCE_SECONDS
from weighhouse_testing.waits import until as wait_until
from weighhouse_testing.world import SetClock, World, make_world
from weighhouse_worker.celery_tasks import make_worker
from weighhouse_worker.tasks import FORMER_NAMES, TASKS
from weighhouse_worker.times import timetable

CALLS = httpx.Client(timeout=PATIENCE_SECONDS)
SHORT = {"lease_seconds": 600, "sweep_seconds": 1, "lost_after_seconds": 1200}


@pytest.fixture(scope="module")
def settings(database_url: str, own_redis_database: str) -> Settings:
    """A Redis database of its own: nobody else's jobs are in it."""
    return Settings(database_url=database_url, redis_url=own_redis_database, **SHORT)


@pytest.fixture(scope="module")
def redis(settings: Settings) -> Iterator[Redis]:
    client = make_redis(settings.redis_url)
    yield client
    client.close()


@pytest.fixture(scope="module")
def world(settings: Settings, redis: Redis) -> Iterator[World]:
    """A world on the machine's own clock, which is the worker's too."""
    engine = make_engine(settings.database_url)
    clock = SetClock(SystemClock().now())
    clock.now = SystemClock().now  # type: ignore[method-assign]
    yield make_world(make_session_factory(engine), settings, redis, clock)
    engine.dispose()


@pytest.fixture
def start_worker(settings: Settings, tmp_path) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts workers with a beat inside; whatever is left of them is killed."""
    environment = {
        "WEIGHHOUSE_DATABASE_URL": settings.database_url,
        "WEIGHHOUSE_REDIS_URL": settings.redis_url,
        **{f"WEIGHHOUSE_{name.upper()}": str(value) for name, value in SHORT.items()},
    }
    started: list[subprocess.Popen[bytes]] = []
    log = (tmp_path / "worker.log").open("wb")

    def start() -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "weighhouse_worker.app:app", "worker", "--beat",
             "--concurrency", "1", "--without-gossip", "--without-mingle", "--loglevel", "INFO"],
            env={**os.environ, **environment}, cwd=tmp_path, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    log.close()


def test_a_worker_tells_of_its_tasks_and_gives_signs_of_life(
    world: World, settings: Settings, redis: Redis, start_worker, monkeypatch
) -> None:
    port = free_port()
    monkeypatch.setenv("WEIGHHOUSE_WORKER_METRICS_PORT", str(port))
    redis.flushdb()
    start_worker()

    def told(*words: str) -> bool:
        try:
            lines = CALLS.get(f"http://127.0.0.1:{port}/metrics").text.splitlines()
        except httpx.HTTPError:
            return False
        return any(all(word in line for word in words) for line in lines)

    total = "weighhouse_worker_tasks_total"
    until("a sweep is counted", lambda: told(total, '"campaigns.sweep"', '"done"'))
    make_celery(settings.redis_url).send_task("results.settle_run", kwargs={"run_id": "nonsense"})
    until("a failure is counted", lambda: told(total, '"results.settle_run"', '"failed"'))
    assert told("weighhouse_worker_task_done_timestamp_seconds", '"campaigns.sweep"')
    assert not told("weighhouse_worker_task_done_timestamp_seconds", '"results.settle_run"')
    until("both gave signs", lambda: None not in ages_of_signs(redis).values())


def until(what: str, question: Callable[[], object]) -> None:
    wait_until(what, question)


def offered(world: World, run_id) -> bool:
    return world.run(run_id).status == "allocated"


def test_what_was_lost_with_redis_and_a_killed_worker_is_taken_up_again(
    world: World, redis: Redis, start_worker
) -> None:
    agent = world.agent()
    campaign_id = world.start(repetitions=1)  # its jobs are noted by the test, never sent
    first, second = world.runs(campaign_id)

    worker = start_worker()
    until("the timetable gives out a run", lambda: offered(world, first.id))
    order = world.claim(agent)
    assert order is not None
    with world.transaction() as services:
        services.get(AttemptService).start(order.attempt_id, order.fence)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    redis.flushdb()

    assert world.end(order) == "accepted"
    assert world.run(first.id).status == "settling"
    start_worker()

    until("the sweep settles the run", lambda: world.run(first.id).status == "failed")
    failure = world.run(first.id).failure
    assert failure is not None
    assert "no interval" in failure["message"], "it reported nothing, and is told so"
    until("the next run is given out", lambda: offered(world, second.id))
    order = world.claim(agent)
    assert order is not None
    with world.transaction() as services:
        services.get(AttemptService).start(order.attempt_id, order.fence)
    redis.flushdb()
    world.end(order)
    until("the campaign is settled", lambda: world.campaign(campaign_id).status == "failed")
    assert world.campaign(campaign_id).verdict is not None


def test_a_due_schedule_starts_one_campaign(world: World, start_worker) -> None:
    experiment_id = world.experiment()
    with world.transaction() as services:
        experiment = services.get(ExperimentService).get(experiment_id)
        service = services.get(SchedulingService).schedules
        wanted = ScheduleWrite(cron="0 0 1 1 *", time_zone="UTC", enabled=True)
        service.put(world.caller, experiment, wanted)
        row = service.repository.schedules([experiment_id])[experiment_id]
        row.next_at = world.clock.now()
    start_worker()

    def campaigns() -> int:
        with world.transaction() as services:
            listed = services.get(CampaignRepository).listed([world.project_id], experiment_id)
            return len(services.get(Session).scalars(listed).all())

    until("the schedule starts a campaign", campaigns)
    assert campaigns() == 1


def test_a_beat_loads_nothing_that_tasks_call(settings: Settings) -> None:
    program = "import sys, weighhouse_worker.beat as beat; beat.app; print(*sys.modules)"
    environment = {
        **os.environ,
        "WEIGHHOUSE_DATABASE_URL": settings.database_url,
        "WEIGHHOUSE_REDIS_URL": settings.redis_url,
    }
    told = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    found = set(told.stdout.split())
    assert "weighhouse_worker.times" in found
    assert not found & {"weighhouse_worker.tasks", "weighhouse_judging", "scipy"}


def test_every_job_of_the_timetable_has_its_task(settings: Settings) -> None:
    assert set(timetable(settings)) <= set(TASKS)
    assert all(plan.work.__doc__ for plan in TASKS.values())
    assert set(FORMER_NAMES.values()) <= set(TASKS)
    assert not set(FORMER_NAMES) & set(TASKS)
    assert all(seconds > 0 for seconds in timetable(settings).values())


def test_jobs_sent_under_a_former_name_are_carried_out(world: World, settings: Settings) -> None:
    """An update of the platform finds jobs in the queue whose names its own parts no longer use."""
    agent = world.agent()
    campaign_id = world.start(repetitions=1)
    world.finish_everything(agent)
    assert world.campaign(campaign_id).status == "settling"
    task = make_worker(settings).tasks["analysis.settle_campaign"]
    task.apply(kwargs={"campaign_id": str(campaign_id)}, throw=True)
    assert world.campaign(campaign_id).verdict == "no_baseline"
