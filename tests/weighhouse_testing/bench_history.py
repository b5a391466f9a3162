"""What a history of a million runs leaves of the pages' speed: `make bench-history RUNS=1000000`.

A platform as it is shipped, into which one campaign is invented by the platform's own services and
written again and again by its database (`multiplied`): 25 experiments of many nights, 175 of one,
in 200 projects. Then its API is asked as the pages ask it, by one reader and by sixteen at once.
The last line is JSON; the bars are p95 for one reader.

Intervals and samples, of which a run has many, are written for `--bulk` campaigns of each
experiment: the factor is told.
"""

import argparse
import asyncio
import datetime
import json
import math
import shutil
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psutil
import sqlalchemy as sa
from weighhouse_backend.identity.models import Project
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.runs.models import Campaign, Run
from weighhouse_backend.series.models import Series, SeriesPoint
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.platform import Platform, PlatformOptions
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_worker.seeding.plan import SIDES, Sown
from weighhouse_worker.seeding.seed_writer import carry_out, enrolled
from weighhouse_worker.tools import Tools

from weighhouse_testing.bench_fleet import percentile
from weighhouse_testing.multiplied import BULK, Multiplier, know_all_tables, numbered
from weighhouse_testing.stub_agents import Connection
from weighhouse_testing.tree import REPOSITORY

RUNS_OF_A_CAMPAIGN = 40
LARGE, PROJECTS, LARGE_IN_FIRST = 25, 200, 10
"""Experiments of many nights; projects; experiments of many nights in the first of them."""
DAY = datetime.timedelta(days=1)
AT_ONCE = 20
"""Nights that are written in one statement."""
READERS = 16
BARS_MS = {
    "campaigns": 50, "campaigns of a small project": 50, "runs": 50, "series": 50, "systems": 50,
    "run": 150, "comparison": 200, "experiments": 50, "history": 200, "search": 50,
}  # fmt: skip


@dataclass(frozen=True)
class Grown:
    """What was written."""

    runs: int
    campaigns: int
    points: int
    series: int
    bulk_campaigns: int
    seconds: float
    gibibytes: float


def say(text: str) -> None:
    """Tell it to whoever waits."""
    print(text, file=sys.stderr, flush=True)


def sow(tools: Tools, nights: int) -> UUID:
    """Invent the first night of the first experiment; its id."""
    at = datetime.datetime.now(tz=datetime.UTC) - nights * DAY
    manifests = [
        packaged_manifest(path.parent.name)
        for path in sorted(REPOSITORY.glob("plugins/*/*/plugin.toml"))
    ]
    sown = Sown("bench-history", "Every night", tuple(SIDES)[:4], (4, 64), repetitions=5)
    return carry_out(tools, enrolled(tools, manifests, [sown.machine(0)], at), sown, 0, at)


def grow(tools: Tools, owner_url: str, nights: int, bulk: int) -> Grown:
    """Write a history of so many nights of each large experiment.

    :param bulk: nights of each large experiment with all their intervals and samples.
    """
    know_all_tables()
    begun = time.monotonic()
    first = sow(tools, nights)
    owner = sa.create_engine(owner_url)
    with owner.begin() as connection:
        campaign = connection.execute(
            sa.select(Campaign.id, Campaign.number, Campaign.project_id, Campaign.experiment_id)
            .where(Campaign.id == first)
        ).one()  # fmt: skip
        projects = _projects(connection, campaign.project_id)
        _experiments(connection, campaign, projects)
    with owner.connect() as connection:
        large = connection.scalars(
            sa.select(Campaign.id).order_by(Campaign.number).limit(LARGE)
        ).all()
    for begin in range(1, nights, AT_ONCE):
        last = min(begin + AT_ONCE, nights) - 1
        with owner.begin() as connection:
            milliseconds = round(DAY.total_seconds() * 1000)
            writer = Multiplier(
                connection, "campaigns", milliseconds, changes=numbered(PROJECTS),
                without=frozenset() if begin <= bulk else BULK,
            )  # fmt: skip
            writer.copy(large, begin, last)
        if begin // AT_ONCE % 5 == 0:
            say(f"{last:,} of {nights:,} nights, {time.monotonic() - begun:.0f} s")
    with owner.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text("VACUUM ANALYZE"))
        counts = [
            connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0
            for table in (Run, Campaign, SeriesPoint, Series)
        ]
        size = connection.scalar(sa.text("SELECT pg_database_size(current_database())")) or 0
    owner.dispose()
    kept = min(math.ceil(bulk / AT_ONCE) * AT_ONCE, nights) if bulk else 0
    runs, campaigns, points, series = counts
    return Grown(
        runs, campaigns, points, series, LARGE * kept + PROJECTS,
        seconds=round(time.monotonic() - begun, 1), gibibytes=round(size / 2**30, 1),
    )  # fmt: skip


def _projects(connection: sa.Connection, first: UUID) -> list[UUID]:
    like = connection.execute(sa.select(Project.__table__).where(Project.id == first)).one()
    made = [new_id() for _ in range(PROJECTS - 1)]
    rows = [
        {**like._mapping, "id": one, "slug": f"bench-{at}", "name": f"Bench {at}"}
        for at, one in enumerate(made, 1)
    ]
    connection.execute(sa.insert(Project), rows)
    return [first, *made]


def _experiments(connection: sa.Connection, campaign: Any, projects: Sequence[UUID]) -> None:
    """One experiment of one night in each project, ten in the first."""
    placed = [projects[max(0, at - LARGE_IN_FIRST)] for at in range(PROJECTS)]
    words = ", ".join(f"'{one}'" for one in placed)
    known = sa.literal_column(f"(ARRAY[{words}]::uuid[])", sa.ARRAY(sa.Uuid))

    def of(copy: sa.ColumnElement[int]) -> sa.ColumnElement[Any]:
        return known[copy + 1]

    changes = numbered(1) | {
        ("experiments", "slug"): lambda copy: sa.func.concat("bench-history-", copy),
        ("experiments", "name"): lambda copy: sa.func.concat("Every night, ", copy),
    }
    writer = Multiplier(connection, "experiments", 1000, changes=changes, project=of)
    writer.copy([campaign.experiment_id], 1, PROJECTS - 1)


def asked(engine: sa.Engine) -> dict[str, str]:
    """What is asked, by name: of a campaign in the middle of the history."""
    with engine.connect() as connection:
        first = connection.scalar(sa.select(Campaign.project_id).where(Campaign.number == 1))
        of_first = sa.select(sa.func.count(Campaign.id)).where(Campaign.project_id == first)
        middle = connection.execute(
            sa.select(Campaign.id, Campaign.experiment_id, Campaign.project_id)
            .where(Campaign.project_id == first)
            .order_by(Campaign.number)
            .offset((connection.scalar(of_first) or 0) // 2)
            .limit(1)
        ).one()
        run = connection.scalar(sa.select(Run.id).where(Run.campaign_id == middle.id).limit(1))
        small = connection.scalar(sa.select(Campaign.project_id).where(Campaign.number == PROJECTS))
        series = connection.scalar(
            sa.select(Series.id).where(Series.experiment_id == middle.experiment_id).limit(1)
        )
    return {
        "trivial": "/health/live",
        "campaigns": "/api/v1/campaigns?limit=50",
        "campaigns of a small project": f"/api/v1/campaigns?project_id={small}&limit=50",
        "runs": "/api/v1/runs?limit=50",
        "runs of a campaign": f"/api/v1/runs?campaign_id={middle.id}&limit=50",
        "run": f"/api/v1/runs/{run}",
        "experiments": "/api/v1/experiments?limit=50",
        "series": f"/api/v1/series?experiment_id={middle.experiment_id}&limit=50",
        "history": f"/api/v1/series/{series}",
        "systems": "/api/v1/systems",
        "comparison": f"/api/v1/comparisons?campaign={middle.id}",
        "headline": f"/api/v1/headlines?campaign={middle.id}",
        "search": "/api/v1/search?q=every+night",
    }


def token_of(platform: Platform, path: str) -> str:
    """A token that reads what a path asks for: of the project that it names, else of the first."""
    project = httpx.URL(path).params.get("project_id")
    if project is None:
        return str(platform.credentials["api_token"])
    headers = {"X-Weighhouse": "1"}
    with httpx.Client(base_url=f"{platform.url}/api/v1", headers=headers) as client:
        known = {name: platform.credentials[name] for name in ("email", "password")}
        client.post("/sessions", json=known).raise_for_status()
        wanted = {"name": "bench", "role": "viewer", "project_id": project}
        return str(client.post("/api-tokens", json=wanted).raise_for_status().json()["token"])


async def measured(platform: Platform, paths: Mapping[str, str], requests: int) -> dict[str, Any]:
    """Ask for each, by one reader and by sixteen."""
    found: dict[str, Any] = {}
    port, process = platform.options.port, _backend(platform)
    for name, path in paths.items():
        token = token_of(platform, path)
        alone, problem = await _ask(port, token, path, 1, requests)
        if problem:
            found[name] = {"path": path, "problem": problem}
            say(f"{name}: {problem}")
            continue
        before = _processor(process)
        alone, _ = await _ask(port, token, path, 1, requests)
        used = (_processor(process) - before) / requests
        crowd, _ = await _ask(port, token, path, READERS, max(4, requests // 4))
        found[name] = {
            "p50_ms": round(1000 * percentile(alone, 0.5), 1),
            "p95_ms": round(1000 * percentile(alone, 0.95), 1),
            "p95_ms_of_16_readers": round(1000 * percentile(crowd, 0.95), 1),
            "processor_ms": round(1000 * used, 1),
            "bar_ms": BARS_MS.get(name),
        }
        say(f"{name}: {json.dumps(found[name])}")
    return found


async def _ask(
    port: int, token: str, path: str, readers: int, requests: int
) -> tuple[list[float], str]:
    taken: list[float] = []
    problems: list[str] = []

    async def read() -> None:
        connection = Connection("127.0.0.1", port)
        for _ in range(requests):
            begun = time.perf_counter()
            try:
                await connection.ask("GET", path, token)
            except Exception as problem:  # noqa: BLE001 - it is told
                problems.append(f"{problem}"[:300])
                break
            taken.append(time.perf_counter() - begun)
        connection.close()

    await asyncio.gather(*(read() for _ in range(readers)))
    return taken, problems[0] if problems else ""


def _processor(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _backend(platform: Platform) -> psutil.Process:
    process = platform.supervisor.part("backend").process
    assert process is not None
    return psutil.Process(process.pid)


@contextmanager
def grown_platform(kept: Path | None, nights: int, bulk: int) -> Iterator[tuple[Platform, Grown]]:
    """A platform with a history of so many nights.

    :param kept: where it stays, to be asked again by a later call, which does not grow it anew;
        None: it is removed afterwards.
    """
    path = kept or Path(tempfile.mkdtemp(prefix="weighhouse-history-"))
    told = path / "grown.json"
    if kept and kept.is_dir() and any(kept.iterdir()) and not told.exists():
        sys.exit(f"{kept} holds no history that was written to its end: remove it, or take another")
    try:
        with Platform(PlatformOptions(directory=path, port=free_port(), agent=False)) as platform:
            if told.exists():
                yield platform, Grown(**json.loads(told.read_bytes()))
                return
            settings = Settings(
                database_url=platform.database_url, redis_url=platform.redis_url,
                artifact_dir=path / "artifacts",
            )  # fmt: skip
            tools = Tools(settings)
            grown = grow(tools, platform.owner_database_url, nights, bulk)
            tools.engine.dispose()
            told.write_text(json.dumps(asdict(grown)), encoding="utf-8")
            yield platform, grown
    finally:
        if kept is None:
            shutil.rmtree(path, ignore_errors=True)


def bench(
    nights: int, bulk: int, requests: int, kept: Path | None, only: Collection[str]
) -> dict[str, Any]:
    """Grow a history in a fresh platform, or take one that was kept, and ask it.

    :param only: what is asked, by name; empty: all.
    """
    with grown_platform(kept, nights, bulk) as (platform, grown):
        say(json.dumps(asdict(grown)))
        owner = sa.create_engine(platform.owner_database_url)
        every = asked(owner)
        owner.dispose()
        if unknown := set(only) - every.keys():
            sys.exit(f"nothing is called {sorted(unknown)}; there are {', '.join(every)}")
        paths = {name: every[name] for name in only or every}
        process = _backend(platform)
        at_rest = process.memory_full_info().uss >> 20
        answers = asyncio.run(measured(platform, paths, requests))
        after = process.memory_full_info().uss >> 20
    return {
        "grown": asdict(grown),
        "answers": answers,
        "backend_megabytes": {"at_rest": at_rest, "after": after, "bar": 150},
        "missed": sorted(
            name for name, one in answers.items()
            if (one.get("bar_ms") and one["p95_ms"] > one["bar_ms"]) or "problem" in one
        ),
    }  # fmt: skip


def main() -> int:
    """Measure, and close with one line of JSON; 0 when every bar is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--bulk", type=int, default=0, help="nights with intervals and samples")
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument(
        "--directory", type=Path, help="keep the platform here, and ask it again if it is there"
    )
    parser.add_argument("--only", nargs="+", default=(), help="what is asked, by name")
    options = parser.parse_args()
    nights = max(2, math.ceil(options.runs / RUNS_OF_A_CAMPAIGN / LARGE))
    result = bench(nights, options.bulk, options.requests, options.directory, options.only)
    print(json.dumps(result))
    return 1 if result["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
