"""Drives a composed platform from outside: log in, enrol an agent, run a small comparison.

usage: check.py URL ENV_FILE REGISTRATION_FILE
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

EXPERIMENT = """
slug: compose-smoke
name: Two systems, briefly
targets:
  - {name: redis, system: redis}
  - {name: memcached, system: memcached}
workloads:
  - {name: reads, record_count: 2000, operations: {read: 0.9, update: 0.1}}
load_levels:
  - {model: closed, clients: 2}
repetitions: 2
phases: {load_clients: 4, warmup_seconds: 0.3, measure_seconds: 1.0, interval_seconds: 0.5}
"""
DEADLINE_SECONDS = 240.0


def settings(path: Path) -> dict[str, str]:
    """Read the lines of an env file."""
    pairs = (line.split("=", 1) for line in path.read_text(encoding="utf-8").splitlines() if line)
    return dict(pairs)  # type: ignore[arg-type]


def checked(answer: httpx.Response) -> Any:
    """The answer's JSON; ends with the problem's text when it is an error."""
    if answer.is_error:
        sys.exit(
            f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text}"
        )
    return answer.json() if answer.content else None


def wait_for(what: str, question: Any) -> Any:
    """Ask once a second until the answer is true; ends when it takes too long."""
    until = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < until:
        if answer := question():
            return answer
        time.sleep(1)
    sys.exit(f"{what}: not within {DEADLINE_SECONDS:.0f} s")


@contextmanager
def signed_in(url: str, env_file: Path) -> Iterator[httpx.Client]:
    """Asks as the first user, whom the file of settings names."""
    env = settings(env_file)
    # The certificate is self-signed and made a moment ago.
    with httpx.Client(
        base_url=url, verify=False, headers={"X-Weighhouse": "1"}, timeout=60
    ) as client:
        login = {
            "email": env["WEIGHHOUSE_ADMIN_EMAIL"],
            "password": env["WEIGHHOUSE_ADMIN_PASSWORD"],
        }
        checked(client.post("/api/v1/sessions", json=login))
        yield client


def main(url: str, env_file: Path, registration_file: Path) -> None:
    """The whole check; ends with a message when something is not as it should be."""
    with signed_in(url, env_file) as client:
        token = checked(client.post("/api/v1/agent-registration-tokens", json={}))["token"]
        registration_file.write_text(token, encoding="utf-8")
        wait_for(
            "an agent online",
            lambda: [
                agent
                for agent in checked(client.get("/api/v1/agents"))["items"]
                if agent["status"] in {"online", "busy"}
            ],
        )
        experiment = checked(client.post("/api/v1/experiments", json={"yaml": EXPERIMENT}))
        campaign = checked(
            client.post("/api/v1/campaigns", json={"experiment_id": experiment["id"]})
        )
        path = f"/api/v1/campaigns/{campaign['id']}"
        ended = wait_for(
            "the campaign's end",
            lambda: (
                found
                if (found := checked(client.get(path)))["status"]
                in {"completed", "failed", "cancelled"}
                else None
            ),
        )
        runs = ended["runs"]
        if ended["status"] != "completed" or runs["completed"] != runs["total"]:
            sys.exit(f"the campaign ended as {ended['status']}: {runs}")
        comparison = checked(client.get("/api/v1/comparisons", params={"campaign": campaign["id"]}))
        medians = {cell["side"]: cell["throughput"]["median"] for cell in comparison["cells"]}
        if len(comparison["sides"]) != 2 or not all(value > 0 for value in medians.values()):
            sys.exit(f"an incomplete comparison: {medians}")
        page = client.get("/")
        if page.is_error or '<div id="app"' not in page.text:
            sys.exit("the frontend is not served")
        print(f"compared {len(comparison['sides'])} systems in {runs['total']} runs: {medians}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
