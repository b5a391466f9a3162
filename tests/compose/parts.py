"""Stops the services of a composed platform one after the other: the rest goes on, and says so.

usage: parts.py URL ENV_FILE COMPOSE…, where COMPOSE is how docker-compose is called
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
from check import signed_in, wait_for

STOPPED = {
    "beat": "timetable",
    "worker": "worker",
    "agent": "agents",
    "redis": "redis",
    "postgres": "database",
}
"""Service → the part that is missing without it."""


def parts_of(client: httpx.Client) -> tuple[int, dict[str, Any]]:
    """The status of the answer, and how each part does."""
    answer = client.get("/health/ready")
    if "json" not in answer.headers.get("Content-Type", ""):
        return answer.status_code, {}
    return answer.status_code, {part["name"]: part for part in answer.json()["parts"]}


def insist(holds: bool, words: str) -> None:
    """End with a message unless something holds."""
    if not holds:
        sys.exit(words)


def goes_on_without(client: httpx.Client, service: str, compose: list[str]) -> None:
    """Stop a service, look at the rest, start it again."""
    part = STOPPED[service]
    subprocess.run([*compose, "stop", service], check=True, capture_output=True)

    def missed() -> tuple[int, dict[str, Any]] | None:
        status, parts = parts_of(client)
        away = part in parts and parts[part]["condition"] == "away"
        return (status, parts[part]) if away else None

    status, told = wait_for(f"{part} is told to be away", missed)
    insist(bool(told["missing"] and told["mend"]), f"{part}: nothing says what is missing: {told}")
    insist(client.get("/health/live").status_code == 200, f"without {service} nothing answers")
    page = client.get("/settings")
    insist(page.is_success and '<div id="app"' in page.text, f"without {service} no page is served")
    served = client.get("/api/v1/campaigns").status_code
    if service == "postgres":
        insist((status, served) == (503, 503), f"without a database: {status}, {served}")
    else:
        insist((status, served) == (200, 200), f"without {service}: {status}, {served}")
    subprocess.run([*compose, "start", service], check=True, capture_output=True)

    def well() -> bool:
        _, parts = parts_of(client)
        return bool(parts) and all(one["condition"] == "ok" for one in parts.values())

    wait_for(f"all is well once {service} is back", well)
    print(f"without {service}: {told['missing']}")


def main(url: str, env_file: Path, compose: list[str]) -> None:
    """Every service in turn; ends with a message when something is not as it should be."""
    with signed_in(url, env_file) as client:
        for service in STOPPED:
            goes_on_without(client, service, compose)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
