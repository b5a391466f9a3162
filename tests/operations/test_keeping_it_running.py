"""A real Prometheus beside a whole platform: what it reads, what fires when parts die for good, and
what the rest says of it, how it comes back. One story: its chapters stand in their order.
"""

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.part import PartPlan
from weighhouse_cli.embedded.supervisor import Patience
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import SOON_GIVEN_UP, RunningPlatform, running_platform
from weighhouse_testing.prometheus import (
    MONITORING,
    Prometheus,
    dashboard_queries,
    running_prometheus,
)
from weighhouse_testing.tree import REPOSITORY
from weighhouse_testing.waits import until

JOBS = {"weighhouse-backend", "weighhouse-worker", "weighhouse-agent"}
WEIGHHOUSE = str(Path(sys.executable).with_name("weighhouse"))
OWN_PARTS = ("backend", "worker", "beat", "agent")
SHORT_PATIENCE = Patience(pauses=(0.0, 0.2), steady=5.0, again=2.0)
"""A part that dies again and again is given up soon, and tried again soon."""


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningPlatform]:
    worker_port, agent_port = free_port(), free_port()
    with running_platform(WORKER_METRICS_PORT=str(worker_port), **SOON_GIVEN_UP) as platform:
        platform.inner.supervisor.patience = SHORT_PATIENCE
        policy = platform.inner.directory.folder("agent") / "policy.toml"
        policy.write_text(f'[machine]\nmetrics_listen = "127.0.0.1:{agent_port}"\n')
        os.kill(platform.pid("agent"), 15)  # it is started again, and reads its policy
        ports.update(
            {
                "weighhouse-backend": platform.url.removeprefix("http://"),
                "weighhouse-worker": f"127.0.0.1:{worker_port}",
                "weighhouse-agent": f"127.0.0.1:{agent_port}",
            }
        )
        yield platform


ports: dict[str, str] = {}


@pytest.fixture(scope="module")
def prometheus(
    watched: RunningPlatform, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prometheus]:
    with running_prometheus(tmp_path_factory.mktemp("prometheus"), ports) as made:
        yield made


def ready(platform: RunningPlatform) -> dict[str, str]:
    """Part → its condition; the API serves on."""
    answer = httpx.get(f"{platform.url}/health/ready", timeout=60)
    assert answer.status_code == 200, answer.text
    return {part["name"]: part["condition"] for part in answer.json()["parts"]}


def status(platform: RunningPlatform) -> str:
    done = subprocess.run(
        [WEIGHHOUSE, "status", "--data-dir", str(platform.inner.directory.path)],
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def break_for_good(platform: RunningPlatform, name: str) -> PartPlan:
    """End a part, whose every further start fails; its plan, to mend it with."""
    part = platform.inner.supervisor.part(name)
    plan = part.plan
    part.plan = dataclasses.replace(plan, command=("/bin/false",))
    os.kill(platform.pid(name), 9)
    return plan


def test_the_shipped_rules_are_rules() -> None:
    for words in (("rules", "alerts.yml"), ("config", "prometheus.yml")):
        done = subprocess.run(
            ["promtool", "check", words[0], str(MONITORING / words[1])],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_every_alert_says_what_to_do() -> None:
    page = (REPOSITORY / "docs" / "operations.md").read_text(encoding="utf-8")
    headings = {
        line.lstrip("# ").lower().replace(" ", "-").replace("'", "")
        for line in page.splitlines()
        if line.startswith("#")
    }
    rules = yaml.safe_load((MONITORING / "alerts.yml").read_text(encoding="utf-8"))
    for rule in rules["groups"][0]["rules"]:
        said = rule["annotations"]
        assert said["summary"], rule
        assert said["description"], rule
        place, _, anchor = said["runbook"].partition("#")
        assert place == "docs/operations.md", rule
        assert anchor in headings, (rule["alert"], anchor)


def test_it_scrapes_backend_worker_and_agent(
    watched: RunningPlatform, prometheus: Prometheus
) -> None:
    until("all are scraped", lambda: prometheus.up() == JOBS)
    until("all parts are well", lambda: set(ready(watched).values()) == {"ok"})
    assert "worker" in status(watched)


def test_every_query_of_the_dashboard_gives_data(
    watched: RunningPlatform, prometheus: Prometheus
) -> None:
    yaml_text = small_experiment("watched", repetitions=1, measure_seconds=30)
    campaign = watched.start_campaign(yaml_text)
    left = {query for queries in dashboard_queries().values() for query in queries}

    def all_gave() -> bool:
        left.difference_update({query for query in left if prometheus.has_data(query)})
        return not left

    try:
        until("every query gave data", all_gave, every=1)
    except AssertionError:
        raise AssertionError(f"never any data: {sorted(left)}") from None
    # Nothing more is looked for in it; it may just have ended.
    ended_early = httpx.post(
        f"{watched.url}/api/v1/campaigns/{campaign['id']}/cancel",
        headers={"Authorization": f"Bearer {watched.token}"},
        timeout=60,
    )
    assert ended_early.status_code in {202, 409}, ended_early.text
    watched.wait_for_campaign(campaign["id"])


def test_what_dies_for_good_fires_is_said_and_comes_back(
    watched: RunningPlatform, prometheus: Prometheus
) -> None:
    assert not prometheus.firing() & {"WeighhouseWorkerStopped", "WeighhouseAgentSilent"}
    plans = {name: break_for_good(watched, name) for name in ("worker", "agent")}
    campaign = watched.start_campaign(small_experiment("waiting", repetitions=1))
    for alert in ("WeighhouseWorkerStopped", "WeighhouseAgentSilent"):
        until(f"{alert} fires", lambda name=alert: name in prometheus.firing())
    supervisor = watched.inner.supervisor
    until(
        "both are given up", lambda: set(supervisor.missing()) == {"worker", "agent"},
    )  # fmt: skip
    found = ready(watched)
    assert found["worker"] == "away"
    assert found["database"] == found["redis"] == found["timetable"] == "ok"
    until("the agent is missed", lambda: ready(watched)["agents"] == "away")
    said = status(watched)
    assert "no run is given to an agent" in said
    assert "to mend it" in said
    assert "the worker died again and again" in said
    assert watched.campaign(campaign["id"])["status"] == "queued"
    for name, plan in plans.items():
        supervisor.part(name).plan = plan
    until("all is well again", lambda: set(ready(watched).values()) == {"ok"})
    assert watched.wait_for_campaign(campaign["id"])["status"] == "completed"
    until("nothing is missing", lambda: not supervisor.missing())
    assert "again and again" not in status(watched)


@pytest.mark.parametrize("name", OWN_PARTS)
def test_every_line_of_a_log_is_json(watched: RunningPlatform, name: str) -> None:
    lines = watched.inner.directory.log(name).read_text(encoding="utf-8").splitlines()
    plain = [line for line in lines if not is_object(line)]
    assert not plain, plain[:5]
    assert lines or name == "beat"


def is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
