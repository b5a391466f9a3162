"""What a million intervals take to be exported: `make bench-exports`.

A PostgreSQL and a Redis of its own, into which the platform's services invent one campaign; one of
its runs then gets its intervals again and again, until there are as many as are wanted. The whole
application, in a process of its own, is asked for them in each form; what comes is thrown away as
it comes. Memory is counted: the most that the application had resident, as the kernel knows it,
before and after. The last line is JSON. Goal: under 300 MiB, whatever the form.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import text
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_cli.embedded.directory import free_port
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_worker.seeding.plan import SIDES, Sown
from weighhouse_worker.seeding.seed_writer import carry_out, enrolled
from weighhouse_worker.tools import Tools

from weighhouse_testing.bench_life import EMAIL, PASSWORD, platform
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.tree import REPOSITORY

ROWS = 1_000_000
GOAL_MIB = 300
FORMS = ("parquet", "csv", "jsonl", "hlog")
MIB = 1024 * 1024
START_SECONDS = 600
"""It says how busy the machine is, and nothing else."""
MULTIPLIED = text("""
INSERT INTO intervals (attempt_id, member, span, sequence, project_id, phase, phase_index,
                       started_at, duration_us, operations, histograms, lag, driver)
SELECT attempt_id, member, span, 1000000 + number, project_id, phase, phase_index,
       started_at + number * interval '1 second', duration_us, operations, histograms, lag, driver
FROM (SELECT * FROM intervals WHERE attempt_id = :attempt AND span = 1 AND phase = 'measure'
      ORDER BY sequence LIMIT 1) AS one, generate_series(1, :wanted) AS number
""")
"""Of one measured interval, as many as are wanted, a second apart."""


def sow(tools: Tools) -> tuple[str, str, int]:
    """Invent a campaign; its id, one of its runs, and rows of an interval of it in an export."""
    at = SystemClock().now()
    paths = sorted(REPOSITORY.glob("plugins/*/*/plugin.toml"))
    sown = Sown("bench-exports", "Many intervals", tuple(SIDES)[:2], (8,), repetitions=2)
    manifests = [packaged_manifest(path.parent.name) for path in paths]
    machines = enrolled(tools, manifests, [sown.machine(0)], at)
    campaign = str(carry_out(tools, machines, sown, 0, at))
    with unit_of_work(tools.sessions) as session:
        run, operations = session.execute(
            text(
                "SELECT runs.id, intervals.operations FROM runs JOIN intervals "
                "ON intervals.attempt_id = runs.result_attempt_id "
                "WHERE intervals.phase = 'measure' AND span = 1 ORDER BY position LIMIT 1"
            )
        ).one()
        named = [name for name in operations if name != "all"]
    return campaign, str(run), len(named) + 1


def multiply(tools: Tools, run: str, intervals: int) -> None:
    """Give a run as many intervals more."""
    with unit_of_work(tools.sessions) as session:
        attempt = session.scalar(
            text("SELECT result_attempt_id FROM runs WHERE id = :run"), {"run": run}
        )
        session.execute(MULTIPLIED, {"attempt": attempt, "wanted": intervals})


@contextmanager
def served(tools: Tools) -> Iterator[tuple[int, httpx.Client]]:
    """The application over a platform's database: its process, and its first person's client."""
    with unit_of_work(tools.sessions) as session:
        first = FirstUserService(session, SystemClock())
        _, project = first.ensure(EMAIL, PASSWORD)
        headers = {"Authorization": f"Bearer {first.ensure_token(project, 'bench', None)}"}
    redis = OwnRedis(free_port())
    redis.start()
    port = free_port()
    environment = os.environ | {
        "WEIGHHOUSE_DATABASE_URL": tools.settings.database_url,
        "WEIGHHOUSE_REDIS_URL": f"redis://127.0.0.1:{redis.port}/0",
        "WEIGHHOUSE_ARTIFACT_DIR": str(tools.settings.artifact_dir),
    }
    command = [
        sys.executable, "-m", "uvicorn", "--factory", "--port", str(port), "--log-level",
        "warning", "weighhouse_backend.app.factory:create_app",
    ]  # fmt: skip
    with subprocess.Popen(command, env=environment) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            with httpx.Client(base_url=f"{url}/api/v1/", headers=headers, timeout=600) as client:
                _wait(client, f"{url}/health/ready")
                yield process.pid, client
        finally:
            process.terminate()
            process.wait()
            redis.kill()


def _wait(client: httpx.Client, address: str) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        try:
            if client.get(address).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise TimeoutError(f"{address} does not answer")


def most_resident(process: int) -> float:
    """The most memory that a process ever had resident, MiB."""
    for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"the kernel does not tell what process {process} had")


def taken(process: int, client: httpx.Client, run: str, form: str) -> dict[str, Any]:
    """Take all intervals along in one form."""
    size, lines, first = 0, 0, 0.0
    begun = time.monotonic()
    query = {"table": "intervals", "format": form}
    with client.stream("GET", f"exports/runs/{run}", params=query) as answer:
        answer.raise_for_status()
        for piece in answer.iter_bytes():
            first = first or time.monotonic() - begun
            size += len(piece)
            lines += piece.count(b"\n")
    return {
        "most_resident_mib": round(most_resident(process), 1),
        "mebibytes": round(size / MIB, 1),
        "lines": lines if form != "parquet" else None,
        "first_byte_seconds": round(first, 2),
        "seconds": round(time.monotonic() - begun, 1),
    }


def main() -> int:
    """Invent, ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS[:3]))
    options = parser.parse_args()
    found: dict[str, Any] = {}
    with platform() as tools:
        campaign, run, each = sow(tools)
        multiply(tools, run, options.rows // each)
        _say(f"campaign {campaign}: {options.rows:,} rows, {each} of an interval")
        with served(tools) as (process, client):
            client.get(f"exports/runs/{run}", params={"table": "operations"}).raise_for_status()
            at_rest = round(most_resident(process), 1)
            _say(f"before: {at_rest} MiB")
            for form in options.forms:
                found[form] = taken(process, client, run, form)
                _say(f"{form}: {found[form]}")
    most = max(one["most_resident_mib"] for one in found.values())
    _say(
        json.dumps(
            {"rows": options.rows, "before_mib": at_rest, "most_resident_mib": most, "forms": found}
        )
    )
    return 1 if most >= GOAL_MIB else 0


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
