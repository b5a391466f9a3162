"""How long a campaign takes to begin: `make bench-latency`.

Starts an embedded platform of its own with one real agent, and carries out small campaigns on Redis
one by one, each when the agent is at rest. The last line is JSON: the medians from the request that
starts a campaign to the claim of its run, and from there to the first operation of the driver,
without the time the database took to start. Goals: each under 1 s.
"""

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.platform import Platform, PlatformOptions

from weighhouse_testing.fixtures import plain
from weighhouse_testing.waits import until

EXPERIMENT = """
name: Beginning
slug: beginning
targets: [{name: redis, system: redis}]
workloads: [{name: reads, record_count: 100, operations: {read: 1.0}}]
load_levels: [{model: closed, clients: 1}]
repetitions: 1
phases: {warmup_seconds: 0, measure_seconds: 1}
"""
ENDED = frozenset({"completed", "failed", "cancelled"})
REST_SECONDS = 1.0
"""Between two campaigns, so that the agent waits in its long poll when the next begins."""
MARKS = """
SELECT members.claimed_at, marks.kind, marks.label, marks.at
FROM runs JOIN attempt_members AS members ON members.attempt_id = runs.result_attempt_id
JOIN timeline_marks AS marks
  ON marks.attempt_id = members.attempt_id AND marks.member = members.index
WHERE runs.campaign_id = %s ORDER BY marks.sequence
"""


@dataclass(frozen=True)
class Beginning:
    """How one campaign began, in seconds."""

    to_claim: float
    to_operation: float
    """From the claim to the first operation, without the database's start."""
    database_start: float


class Bench:
    """Campaigns over one platform."""

    def __init__(self, platform: Platform) -> None:
        """:param platform: with a local agent."""
        self._platform = platform
        self._http = httpx.Client(
            base_url=f"{platform.url}/api/v1",
            headers={"Authorization": f"Bearer {platform.credentials['api_token']}"},
            timeout=30,
        )

    def run(self, campaigns: int) -> list[Beginning]:
        """Carry out campaigns one by one; the first one is not counted."""
        made = self._ask("POST", "/experiments?upsert=true", {"yaml": EXPERIMENT})
        found = []
        for number in range(campaigns + 1):
            begun = self._once(str(made["id"]))
            _say(
                f"{number}: claimed after {begun.to_claim:.3f} s, first operation"
                f" {begun.to_operation:.3f} s later and {begun.database_start:.3f} s of Redis"
            )
            found.append(begun)
        return found[1:]

    def _once(self, experiment_id: str) -> Beginning:
        time.sleep(REST_SECONDS)
        begun_at = time.time()
        campaign = self._ask("POST", "/campaigns", {"experiment_id": experiment_id})["id"]

        def ended() -> Mapping[str, Any] | None:
            shown: Mapping[str, Any] = self._ask("GET", f"/campaigns/{campaign}")
            return shown if shown["status"] in ENDED else None

        done = until(f"campaign {campaign} ends", ended, every=0.5)
        if done["runs"]["completed"] != 1:
            raise AssertionError(f"campaign {campaign}: {done['runs']}")
        with psycopg.connect(plain(self._platform.database_url)) as connection:
            rows = connection.execute(MARKS, [campaign]).fetchall()
        return beginning(begun_at, rows)

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        answer = self._http.request(method, path, json=body)
        answer.raise_for_status()
        return answer.json()


def beginning(begun_at: float, rows: Sequence[tuple[Any, ...]]) -> Beginning:
    """What the marks of a run say.

    :param begun_at: when the campaign was asked for, unix seconds.
    :param rows: claim, kind, label and instant of each mark, in their order.
    """
    claimed_at = rows[0][0].timestamp()
    at = {
        label if kind == "phase" else kind: instant.timestamp()
        for _, kind, label, instant in reversed(rows)
    }
    start = at["ready"] - at["deploy"]
    return Beginning(claimed_at - begun_at, at["load"] - claimed_at - start, start)


def _say(text: str) -> None:
    print(text, flush=True)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=15)
    options = parser.parse_args()
    path = Path(tempfile.mkdtemp(prefix="weighhouse-bench-"))
    path.chmod(0o711)
    try:
        with Platform(PlatformOptions(directory=path, port=free_port())) as platform:
            _say(f"a platform runs at {platform.url}")
            found = Bench(platform).run(options.campaigns)
    finally:
        shutil.rmtree(path, ignore_errors=True)
    figures = {
        "campaign_to_claim_median_seconds": [one.to_claim for one in found],
        "claim_to_operation_median_seconds": [one.to_operation for one in found],
        "database_start_median_seconds": [one.database_start for one in found],
    }
    medians = {name: round(statistics.median(values), 3) for name, values in figures.items()}
    _say(json.dumps({**medians, "campaigns": len(found)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
