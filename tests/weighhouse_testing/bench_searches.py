"""What searches find on real servers: `make bench-searches`.

Starts an embedded platform of its own with one real agent. The knee: a sweep over a Redis that a
limit holds to half a processor, beside a grid in which every load is measured. Operating points:
two calibrations of Redis and Memcached after each other, whose intervals should overlap, and a
further experiment at the points of the second. The last line is JSON.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import yaml
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.platform import Platform, PlatformOptions

WEIGHHOUSE = str(Path(sys.executable).with_name("weighhouse"))
KNEE_SECONDS, POINT_SECONDS = 2.0, 5.0
"""That each run measures: a throughput is known sooner than a percentile."""
MOST_CLIENTS = 64
GRID = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48, MOST_CLIENTS)
HALF_A_PROCESSOR = {"cpus": 0.5}
READS = {"name": "reads", "record_count": 10_000, "operations": {"read": 1.0}}
ENVELOPE = {"percentile": 95, "limit_us": 5_000}
"""Far above what an idle server takes: it is passed where the limit of the processor begins to hold
the server back, so that more load is clearly slower.
"""
BEGINS_AT, AT_MOST = 2_000, 128_000
"""Operations a second."""


class Bench:
    """Experiments on a platform with an agent, one after the other."""

    def __init__(self, platform: Platform, folder: Path) -> None:
        """:param folder: for the experiments' files."""
        self._folder = folder
        token = str(platform.credentials["api_token"])
        self._access = {"WEIGHHOUSE_URL": platform.url, "WEIGHHOUSE_TOKEN": token}
        self._http = httpx.Client(
            base_url=f"{platform.url}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=60,
        )

    def knee(self) -> dict[str, Any]:
        """The knee by a sweep, and by a grid of all loads beside it."""
        limited = {"name": "redis", "system": "redis", "limits": HALF_A_PROCESSOR}
        swept = self._carried_out(
            "swept", [limited], KNEE_SECONDS, repetitions=3, scenario="sweep",
            sweep={"to": MOST_CLIENTS, "refine": 2},
            load_levels=[{"model": "closed", "clients": 1}],
        )  # fmt: skip
        grid = self._carried_out(
            "grid", [limited], KNEE_SECONDS, repetitions=3,
            load_levels=[{"model": "closed", "clients": clients} for clients in GRID],
        )  # fmt: skip
        (search,) = swept["searches"]["searches"]
        by_sweep = {
            round(point["value"]): point["throughput"]["median"] for point in search["points"]
        }
        by_grid = self._throughputs(grid)
        for clients in sorted(by_sweep.keys() | by_grid):
            _say(
                f"{clients:3} clients: sweep {_rate(by_sweep.get(clients))},"
                f" grid {_rate(by_grid.get(clients))} operations a second"
            )
        knee, wanted = round(search["knee"]), max(by_grid, key=lambda n: _power(n, by_grid[n]))
        below = max((one for one in by_sweep if one < knee), default=knee)
        above = min((one for one in by_sweep if one > knee), default=knee)
        _say(f"knee by the sweep {knee} (its neighbours {below} and {above}), by the grid {wanted}")
        return {
            "knee_by_sweep": knee, "knee_by_grid": wanted, "loads_by_sweep": len(by_sweep),
            "loads_by_grid": len(by_grid), "knee_within_a_step": below <= wanted <= above,
        }  # fmt: skip

    def operating_points(self) -> dict[str, Any]:
        """Two calibrations beside each other, and an experiment at the second's points."""
        both = [
            {"name": name, "system": name, "limits": HALF_A_PROCESSOR}
            for name in ("redis", "memcached")
        ]
        found = []
        for name in ("first", "second"):
            done = self._carried_out(
                name, both, POINT_SECONDS, repetitions=3, scenario="calibrate",
                latency_envelope=ENVELOPE,
                calibrate={"at_most": AT_MOST, "measurements": 12},
                load_levels=[{"model": "open", "rate_per_second": BEGINS_AT, "connections": 8}],
            )  # fmt: skip
            searches = {one["target"]: one for one in done["searches"]["searches"]}
            for target, search in searches.items():
                _say(f"{name}: {target}: {search['sentence']}")
            found.append({target: search["operating_point"] for target, search in searches.items()})
        points = self._http.get(f"/campaigns/{done['campaign']['id']}/operating-points")
        text = points.raise_for_status().json()["yaml"]
        measured = {} if text is None else self._at(text)
        first, second = found
        return {
            target: {
                "first": _interval(first[target]), "second": _interval(second[target]),
                "overlap": _overlap(first[target], second[target]),
                "then_measured": measured.get(target),
            }
            for target in first
        }  # fmt: skip

    def _at(self, text: str) -> dict[str, Any]:
        """Rate and latency of each target at its own operating point."""
        done = self._ran(text, "points")
        found = {}
        for cell in done["campaign"]["cells"]:
            latencies, rates = [], []
            for run in self._summaries(cell):
                latencies.append(run["operations"]["all"][f"p{ENVELOPE['percentile']}_us"])
                rates.append(run["throughput"])
            found[cell["target"]] = {
                "p95_us": round(statistics.median(latencies)),
                "rate": round(statistics.median(rates)),
            }
            _say(f"at its point: {cell['target']}: {found[cell['target']]}")
        return found

    def _throughputs(self, done: dict[str, Any]) -> dict[int, float]:
        return {
            round(cell["load_level"]["value"]): statistics.median(
                run["throughput"] for run in self._summaries(cell)
            )
            for cell in done["campaign"]["cells"]
        }

    def _summaries(self, cell: dict[str, Any]) -> list[dict[str, Any]]:
        runs = [self._http.get(f"/runs/{run['id']}").raise_for_status() for run in cell["runs"]]
        return [run.json()["summary"] for run in runs]

    def _carried_out(
        self, name: str, targets: Sequence[Any], seconds: float, **parts: Any
    ) -> dict[str, Any]:
        document = {
            "version": 1, "slug": name, "name": name.capitalize(), "targets": targets,
            "workloads": [READS],
            "phases": {"warmup_seconds": 1, "measure_seconds": seconds},
            **parts,
        }  # fmt: skip
        return self._ran(yaml.safe_dump(document, sort_keys=False), name)

    def _ran(self, text: str, name: str) -> dict[str, Any]:
        file = self._folder / f"{name}.yaml"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [WEIGHHOUSE, "run", str(file), "--wait", "--json"],
            env=os.environ | self._access, stdout=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise SystemExit(f"{name} ended with {done.returncode}: {done.stdout}")
        return dict(json.loads(done.stdout))


def _power(clients: int, throughput: float) -> float:
    """Throughput over the mean response time of a closed loop, by Little's law."""
    return throughput**2 / clients


def _rate(value: float | None) -> str:
    return "       –" if value is None else f"{value:8,.0f}"


def _interval(point: dict[str, Any] | None) -> list[float] | None:
    return None if point is None else [round(point["low"]), round(point["high"])]


def _overlap(one: dict[str, Any] | None, other: dict[str, Any] | None) -> bool:
    if one is None or other is None:
        return False
    return bool(one["low"] <= other["high"] and other["low"] <= one["high"])


def _say(told: str) -> None:
    print(told, flush=True)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("knee", "points"), help="one of the two questions")
    options = parser.parse_args()
    path = Path(tempfile.mkdtemp(prefix="weighhouse-bench-"))
    path.chmod(0o711)
    found: dict[str, Any] = {}
    try:
        with Platform(PlatformOptions(directory=path / "data", port=free_port())) as platform:
            _say(f"a platform with an agent runs at {platform.url}")
            bench = Bench(platform, path)
            if options.only != "points":
                found |= bench.knee()
            if options.only != "knee":
                found |= bench.operating_points()
    finally:
        shutil.rmtree(path, ignore_errors=True)
    _say(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
