"""Invented campaigns are there for all to look at, and say that they are invented."""

import datetime
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import func, select
from weighhouse_backend.alerts.models import ChangePoint
from weighhouse_backend.campaigns.plan import AGAIN
from weighhouse_backend.experiments.models import ExperimentRevision
from weighhouse_backend.findings.models import Finding
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.measurements.models import Interval, RunRecord, RunSummary
from weighhouse_backend.runs.models import Attempt, Campaign, Run
from weighhouse_judging.arithmetic.histograms import Histogram, from_text
from weighhouse_protocol.yaml_document import parse_experiment
from weighhouse_testing.world import manifest
from weighhouse_worker.seeding.figures import Side, encoded
from weighhouse_worker.seeding.plan import NOTE, SIDES, Sown, full, small
from weighhouse_worker.seeding.seed_writer import sow
from weighhouse_worker.tools import Tools

END = datetime.datetime(2026, 11, 22, 12, 0, tzinfo=datetime.UTC)
NIGHTS = Sown(
    "invented-nights", "Invented: nights", ("redis", "memcached"), (4,), campaigns=5,
    seconds=2, shifts={"redis": {4: 0.8}}, versions={0: "7.0", 4: "7.2"},
    missed=frozenset({1}), cancelled=frozenset({2}),
)  # fmt: skip
TROUBLE = Sown(
    "invented-failing", "Invented: failing", ("redis", "memcached"), (1, 8), repetitions=2,
    seconds=2, fates={("memcached", 8): "failed"},
)  # fmt: skip


@pytest.fixture(scope="module")
def tools(database_url: str, redis_server: str) -> Tools:
    return Tools(Settings(database_url=database_url, redis_url=redis_server))


@pytest.fixture(scope="module")
def sown(tools: Tools) -> Iterator[list[str]]:
    """Both experiments carried out; what was told meanwhile."""
    with unit_of_work(tools.sessions) as session:
        FirstUserService(session, SystemClock()).ensure("one@weighhouse.local", "a password of it")
    told: list[str] = []
    manifests = [manifest("redis"), manifest("memcached")]
    assert sow(tools, manifests, (NIGHTS, TROUBLE), END, told.append) == 5
    yield told
    tools.engine.dispose()


def test_campaigns_of_many_nights_are_there_with_their_dates(tools: Tools, sown: list[str]) -> None:
    with unit_of_work(tools.sessions) as session:
        nights = list(
            session.scalars(
                select(Campaign)
                .join(ExperimentRevision, ExperimentRevision.id == Campaign.revision_id)
                .where(ExperimentRevision.document["slug"].astext == "invented-nights")
                .order_by(Campaign.created_at)
            )
        )
        assert [one.status for one in nights] == [
            "completed",
            "cancelled",
            "completed",
            "completed",
        ]
        days = [(END - one.created_at).total_seconds() / 86_400 for one in nights]
        assert days == pytest.approx([5, 3, 2, 1], abs=0.01)
        verdicts = [one.verdict for one in nights]
        assert verdicts == ["no_baseline", None, "inconclusive", "inconclusive"], "too few to tell"
    assert sown == ["Invented: nights: 5 dates", "Invented: failing: 1 date"]


def test_figures_follow_the_side_and_what_happened_to_it(tools: Tools, sown: list[str]) -> None:
    with unit_of_work(tools.sessions) as session:
        measured = dict(
            session.execute(
                select(Campaign.number, func.max(RunSummary.throughput))
                .join(Run, Run.campaign_id == Campaign.id)
                .join(RunSummary, RunSummary.attempt_id == Run.result_attempt_id)
                .where(RunSummary.operation == "all")
                .group_by(Campaign.number)
            ).all()
        )
        assert session.scalar(select(func.count()).select_from(Interval)) > 0
        assert session.scalar(select(func.count()).select_from(ChangePoint)) == 0
    assert max(measured.values()) == pytest.approx(SIDES["redis"].throughput(8), rel=0.1)


def test_what_fails_fails_by_the_platforms_rules(tools: Tools, sown: list[str]) -> None:
    with unit_of_work(tools.sessions) as session:
        counts = dict(session.execute(select(Run.status, func.count()).group_by(Run.status)).all())
    assert counts["failed"] == 2
    assert counts["cancelled"] == 5
    assert counts["completed"] == 3 * 10 + 5 + 6


def test_an_experiment_says_that_it_is_invented(tools: Tools, sown: list[str]) -> None:
    with unit_of_work(tools.sessions) as session:
        texts = set(session.scalars(select(ExperimentRevision.document["description"].astext)))
    assert texts == {NOTE}


@pytest.mark.parametrize("plan", [small, full])
def test_plans_are_experiments_of_sides_that_are_described(
    plan: Callable[[], tuple[Sown, ...]],
) -> None:
    for one in plan():
        assert set(one.sides) <= set(SIDES)
        experiment = parse_experiment(one.document())
        assert [one.side_of(target.name) for target in experiment.targets] == list(one.sides)


def test_a_histogram_counts_what_it_is_asked_for() -> None:
    made = Histogram.merged([from_text(encoded(5000, 120.0, 0.3))])
    assert made.total == 5000
    (median,) = made.quantiles_us([0.5])
    assert median == pytest.approx(120, rel=0.01)


def test_throughput_bends_where_both_bounds_meet() -> None:
    side = Side(most_per_second=100_000, service_us=100)
    assert side.throughput(1) == pytest.approx(10_000, rel=0.01)
    assert side.throughput(1000) == pytest.approx(100_000, rel=0.01)
    assert 70_000 < side.throughput(10) < 100_000


def test_nothing_that_is_invented_contradicts_itself(tools: Tools, sown: list[str]) -> None:
    with unit_of_work(tools.sessions) as session:
        found = set(session.scalars(select(Finding.check_id)))
    assert found.isdisjoint({"littles-law", "unaccounted-clients", "load-complete"}), found


@pytest.mark.parametrize(
    ("slug", "happens", "verdict"),
    [
        ("invented-chance", {"chance": {(6, False): 0.8}}, "inconclusive"),
        ("invented-loss", {"shifts": {"redis": {6: 0.8}}}, "regression"),
    ],
)
def test_what_seems_worse_is_measured_again(
    tools: Tools, sown: list[str], slug: str, happens: dict[str, Any], verdict: str
) -> None:
    nights = Sown(slug, slug, ("redis",), (4,), campaigns=7, seconds=2, **happens)
    assert sow(tools, [manifest("redis")], (nights,), END, lambda _: None) == 7
    with unit_of_work(tools.sessions) as session:
        rows = session.execute(
            select(Campaign.status, Campaign.verdict, func.max(Run.twin))
            .join(Run, Run.campaign_id == Campaign.id)
            .join(ExperimentRevision, ExperimentRevision.id == Campaign.revision_id)
            .where(ExperimentRevision.document["slug"].astext == slug)
            .group_by(Campaign.id)
            .order_by(Campaign.created_at)
        ).all()
    assert {row.status for row in rows} == {"completed"}
    assert tuple(rows[-1]) == ("completed", verdict, AGAIN)
    assert {row[2] for row in rows[:-1]} == {0}


def test_a_campaign_is_measured_by_the_machine_that_is_named(tools: Tools, sown: list[str]) -> None:
    slug = "invented-machines"
    nights = Sown(
        slug, slug, ("redis",), (4,), campaigns=5, repetitions=1, seconds=2,
        machines={0: "one", 3: "another"},
    )  # fmt: skip
    assert sow(tools, [manifest("redis")], (nights,), END, lambda _: None) == 5
    with unit_of_work(tools.sessions) as session:
        machines = session.scalars(
            select(RunRecord.facts["machine_id"].astext)
            .join(Attempt, Attempt.id == RunRecord.attempt_id)
            .join(Run, Run.id == Attempt.run_id)
            .join(Campaign, Campaign.id == Run.campaign_id)
            .join(ExperimentRevision, ExperimentRevision.id == Campaign.revision_id)
            .where(ExperimentRevision.document["slug"].astext == slug)
            .order_by(Campaign.created_at)
        ).all()
    assert machines == ["one"] * 3 + ["another"] * 2


def test_more_may_be_invented_on_the_same_platform(tools: Tools, sown: list[str]) -> None:
    more = Sown("invented-later", "Invented: later", ("redis",), (4,), repetitions=1)
    manifests = [manifest("redis"), manifest("memcached")]
    for _ in range(2):
        assert sow(tools, manifests, (more,), END, lambda _: None) == 1
