"""An agent of an older version that only speaks: it is asked to update, and tells how far it is."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from weighhouse_backend.packages.release import AGENT, COMMAND, INSTALLER, own_version

from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.waits import PATIENCE_SECONDS, until

BEFORE = "0.0.9"
"""Of the minor version before the platform's."""
FACTS: dict[str, Any] = {
    "hostname": "elder", "machine_id": "elder", "cpu_model": "none", "cores": 2,
    "memory_bytes": 1 << 30, "kernel": "6", "operating_system": "none", "architecture": "x86_64",
}  # fmt: skip


@dataclass
class OldAgent:
    """One that the platform knows, at rest."""

    platform: RunningPlatform
    name: str
    id: str
    token: str
    instance: str
    process: str = field(default_factory=lambda: str(uuid4()))

    def begin(self, version: str) -> None:
        """Begin anew, with a program of a version."""
        self.process = str(uuid4())
        self.ask(
            "PUT", "/session",
            {
                "instance_id": self.instance, "process_id": self.process, "manifests": [],
                "agent_version": version, "facts": FACTS, "policy": {"updates": "allowed"},
            },
        )  # fmt: skip

    def order(self) -> dict[str, Any]:
        """What it is to install, when that has been asked for."""
        (found,) = until("an update is asked for", self._order)
        return found

    def _order(self) -> tuple[dict[str, Any]] | None:
        answer = self.ask("GET", "/update", refused=404)
        return (answer.json(),) if answer.is_success else None

    def tell(self, order: dict[str, Any], state: str, reason: str = "") -> None:
        """Say how far it is."""
        self.ask(
            "POST", "/update", {"update_id": order["update_id"], "state": state, "reason": reason}
        )

    def ask(self, method: str, path: str, body: object = None, refused: int = 0) -> httpx.Response:
        """Speak to the platform as agents do.

        :param refused: a status that is an answer, too.
        """
        answer = httpx.request(
            method, f"{self.platform.url}/agent/v1{path}", json=body,
            headers={"Authorization": f"Bearer {self.token}"}, timeout=PATIENCE_SECONDS,
        )  # fmt: skip
        assert answer.is_success or answer.status_code == refused, answer.text
        return answer


@contextmanager
def old_agent(platform: RunningPlatform) -> Iterator[OldAgent]:
    """Enrol one; it is revoked when the block ends. It can nothing, so that it gets no run."""
    name, instance = f"elder-{uuid4().hex[:6]}", str(uuid4())
    made = platform.request(
        "POST", "/agent-registration-tokens", json={"labels": {"invented": "elder"}}
    )
    agent = OldAgent(platform, name, "", made["token"], instance)
    registration = {"name": name, "instance_id": instance, "facts": FACTS}
    enrolled = agent.ask("POST", "/register", registration).json()
    agent.id, agent.token = enrolled["agent_id"], enrolled["agent_token"]
    try:
        agent.begin(BEFORE)
        yield agent
    finally:
        platform.request("POST", f"/agents/{agent.id}/revoke")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Have a platform serve packages of its own version, of which nothing is installed, until the
    block ends; gives the version.

    :param folder: the one that it takes packages from.
    """
    version = own_version()
    written = [
        _wheel(folder, AGENT, version), _wheel(folder, COMMAND, version),
        _wheel(folder, INSTALLER, "26.3"),
    ]  # fmt: skip
    release = {
        "version": version, "commit": "", "changed": False, "systems": [],
        "wheels": written[:1], "dependencies": written[1:],
    }  # fmt: skip
    told = folder / "release.json"
    told.write_text(json.dumps(release), "utf-8")
    try:
        yield version
    finally:
        told.unlink()


def _wheel(folder: Path, distribution: str, version: str) -> dict[str, object]:
    name = f"{distribution.replace('-', '_')}-{version}-py3-none-any.whl"
    content = distribution.encode()
    (folder / name).write_bytes(content)
    return {
        "distribution": distribution, "version": version, "name": name,
        "size_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(),
    }  # fmt: skip
