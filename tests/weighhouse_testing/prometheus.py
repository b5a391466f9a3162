"""A real Prometheus over the shipped configuration and rules, in a hurry."""

import json
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml
from weighhouse_cli.embedded.directory import free_port

from weighhouse_testing.tree import REPOSITORY
from weighhouse_testing.waits import until

MONITORING = REPOSITORY / "infra" / "monitoring"
SCRAPE = "1s"
RATE_INTERVAL = "30s"
SILENCE = re.compile(r"(_seconds\) >) (\d+)")
"""Where a rule says for how long something may be silent, or wait."""
SOONER = 10
"""Times sooner than the shipped rules."""


def configuration(folder: Path, targets: Mapping[str, str]) -> Path:
    """The shipped configuration and rules, changed in these alone: where jobs are, that they are
    scraped every second, that what is silent or waits may be so a tenth of the time, and that an
    alert fires as soon as its expression holds (`for: 0s`).

    :param targets: job → host and port.
    """
    found = yaml.safe_load((MONITORING / "prometheus.yml").read_text(encoding="utf-8"))
    found["global"] = {"scrape_interval": SCRAPE, "evaluation_interval": SCRAPE}
    for job in found["scrape_configs"]:
        job.pop("scrape_interval", None)
        job["static_configs"] = [{"targets": [targets[job["job_name"]]]}]
    rules = yaml.safe_load((MONITORING / "alerts.yml").read_text(encoding="utf-8"))
    for rule in rules["groups"][0]["rules"]:
        rule["for"] = "0s"
        rule["expr"] = SILENCE.sub(_sooner, rule["expr"])
    (folder / "alerts.yml").write_text(yaml.safe_dump(rules), encoding="utf-8")
    path = folder / "prometheus.yml"
    path.write_text(yaml.safe_dump(found), encoding="utf-8")
    return path


def _sooner(found: re.Match[str]) -> str:
    return f"{found[1]} {int(found[2]) // SOONER}"


@dataclass(frozen=True)
class Prometheus:
    """One that runs."""

    url: str
    begun_at: float

    def get(self, path: str, **query: str | float) -> Any:
        """What its API answers."""
        answer = httpx.get(f"{self.url}/api/v1/{path}", params=query, timeout=60)
        assert answer.is_success, answer.text
        return answer.json()["data"]

    def up(self) -> set[str]:
        """Jobs whose target was scraped well the last time."""
        targets = self.get("targets")["activeTargets"]
        return {one["labels"]["job"] for one in targets if one["health"] == "up"}

    def firing(self) -> set[str]:
        """Names of alerts that fire."""
        alerts = self.get("alerts")["alerts"]
        return {one["labels"]["alertname"] for one in alerts if one["state"] == "firing"}

    def has_data(self, query: str) -> bool:
        """Whether a query gave a number at any instant since it began."""
        found = self.get(
            "query_range",
            query=query.replace("$__rate_interval", RATE_INTERVAL),
            start=self.begun_at,
            end=time.time(),
            step="1s",
        )
        return any(value != "NaN" for one in found["result"] for _, value in one["values"])


@contextmanager
def running_prometheus(folder: Path, targets: Mapping[str, str]) -> Iterator[Prometheus]:
    """Start one over a folder, and stop it afterwards."""
    port = free_port()
    begun_at = time.time()
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            ["prometheus", f"--config.file={configuration(folder, targets)}",
             f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address=127.0.0.1:{port}"],
            stdout=log, stderr=log, cwd=folder,
        )  # fmt: skip
    try:
        made = Prometheus(f"http://127.0.0.1:{port}", begun_at)
        until("Prometheus is ready", lambda: _ready(made.url))
        yield made
    finally:
        process.terminate()
        process.wait(120)


def _ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/-/ready").is_success
    except httpx.HTTPError:
        return False


def dashboard_queries() -> dict[str, list[str]]:
    """Panel's title → its queries."""
    dashboard = json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))
    return {
        panel["title"]: [target["expr"] for target in panel["targets"]]
        for panel in dashboard["panels"]
    }
