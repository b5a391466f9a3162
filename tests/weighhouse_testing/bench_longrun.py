"""What the page of a long run costs: `make bench-longrun`.

Starts an embedded platform of its own, lets `weighhouse dev seed` invent a run of twelve hours at
an interval a second with four operations, and asks for its charts as its page does. Then the run is
settled once more, in a process of its own. The last line is JSON; goals: series and heat map under
100 ms at the 95th percentile, no task of the page above 100 ms while it opens and 30 ms while the
cursor moves over it, and no memory that grows with the run.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psutil
import psycopg
from sqlalchemy import create_engine, text
from weighhouse_backend.kit.db import make_session_factory
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.results.settlement import SettlementService
from weighhouse_backend.runs.models import Run
from weighhouse_cli.commands.dev import Scale, invent
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.platform import Platform, PlatformOptions
from weighhouse_worker.seeding.seed_writer import NoEvents, OwnJobs

from weighhouse_testing.bench_fleet import percentile
from weighhouse_testing.fixtures import plain
from weighhouse_testing.long_page import longest_tasks_ms
from weighhouse_testing.services import transaction_of

REQUESTS = 60
CHARTS = {
    "series": "series?points=480",
    "heatmap": "heatmap?columns=180",
    "series_2000": "series?points=2000",
    "gauges": "gauges?points=480",
}
"""What is asked: by the run's page, as `frontend/src/features/runs/queries.ts` has it, and by a
pipeline that does not say how many points it wants.
"""
WARM = 3
"""Requests before those that count: connections are opened, code is loaded."""
LEVELS_SINCE = 43_200 - 600
"""Settling again closes what the end of a run closes: windows that reach behind this second."""
CLOSED_LAST = f"""
DELETE FROM level_windows AS last USING (
    SELECT min(phase_began_at) AS began FROM level_windows WHERE attempt_id = :attempt
) AS first
WHERE attempt_id = :attempt
  AND last.started_at + last.duration_us * interval '1 microsecond'
    > first.began + interval '{LEVELS_SINCE} seconds'
"""
NOBODY = "redis://127.0.0.1:1/0"
"""Nobody is told: what follows from settling is not measured."""
MEBIBYTE = 1 << 20


def measured(platform: Platform, requests: int) -> dict[str, Any]:
    """Ask for the charts of the one run there is.

    :returns: 95th percentiles in ms, and the backend's memory when it was greatest, MiB.
    """
    process = platform.supervisor.part("backend").process
    assert process is not None
    found: dict[str, Any] = {}
    headers = {"Authorization": f"Bearer {platform.credentials['api_token']}"}
    with httpx.Client(base_url=f"{platform.url}/api/v1", headers=headers, timeout=60) as http:
        run_id = http.get("/runs").raise_for_status().json()["items"][0]["id"]
        for name, asked in CHARTS.items():
            taken = [_asked(http, f"/runs/{run_id}/{asked}") for _ in range(WARM + requests)]
            found[f"{name}_p95_ms"] = round(percentile(taken[WARM:], 0.95) * 1000, 1)
    found["peak_rss_mb"] = round(_peak_bytes(process.pid) / MEBIBYTE)
    found["run_id"] = run_id
    return found


def settled(database_url: str, run_id: str) -> dict[str, float]:
    """Settle the run again, as the worker does; this process should be a fresh one.

    :returns: how long it took in s, and the greatest memory of the process, MiB.
    """
    settings = Settings(database_url=database_url, redis_url=NOBODY)
    sessions = make_session_factory(create_engine(database_url))
    with unit_of_work(sessions) as session:
        run = session.get_one(Run, UUID(run_id))
        values = {"run": run_id, "attempt": run.result_attempt_id}
        for statement in (
            "UPDATE runs SET status = 'settling' WHERE id = :run",
            "DELETE FROM run_summaries WHERE attempt_id = :attempt",
            CLOSED_LAST,
        ):
            session.execute(text(statement), values)
    begun = time.perf_counter()
    with transaction_of(sessions, settings, jobs=OwnJobs(), events=NoEvents()) as services:
        services.get(SettlementService).settle_run(UUID(run_id))
    took = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"settle_seconds": round(took, 2), "settle_rss_mb": round(peak / MEBIBYTE)}


def _asked(http: httpx.Client, path: str) -> float:
    begun = time.perf_counter()
    http.get(path).raise_for_status()
    return time.perf_counter() - begun


def _peak_bytes(pid: int) -> int:
    """The greatest resident memory that a process or one of its children ever had."""
    processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    found = []
    for process in processes:
        lines = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8").splitlines()
        found += [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")]
    return max(found)


def _say(told: str) -> None:
    print(told, flush=True)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    parser.add_argument("--settle", nargs=2, metavar=("DATABASE", "RUN"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.settle:
        _say(json.dumps(settled(*options.settle)))
        return 0
    path = Path(tempfile.mkdtemp(prefix="weighhouse-bench-"))
    path.chmod(0o711)
    try:
        with Platform(PlatformOptions(directory=path, port=free_port(), agent=False)) as platform:
            _say(f"a platform runs at {platform.url}; a run of twelve hours is being invented")
            begun = time.perf_counter()
            invent(platform, Scale.LONG)
            sown = round(time.perf_counter() - begun, 1)
            with psycopg.connect(plain(platform.owner_database_url), autocommit=True) as connection:
                connection.execute("VACUUM ANALYZE")
                size = connection.execute(
                    "SELECT pg_total_relation_size('level_windows')::float"
                    " / pg_total_relation_size('intervals')"
                ).fetchone()
            found = measured(platform, options.requests)
            run_id = found.pop("run_id")
            email, password = (str(platform.credentials[key]) for key in ("email", "password"))
            found |= longest_tasks_ms(platform.url, email, password, run_id)
            again = [sys.executable, "-m", __spec__.name, "--settle"]
            told = subprocess.run(
                [*again, platform.database_url, run_id],
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
            found |= json.loads(told.stdout.splitlines()[-1])
    finally:
        shutil.rmtree(path, ignore_errors=True)
    share = None if size is None else round(size[0], 2)
    _say(json.dumps({**found, "sown_seconds": sown, "levels_to_intervals_bytes": share}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
