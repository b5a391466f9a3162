"""An older release: its source, its programs, its platform as a process."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

REPOSITORY = Path(__file__).resolve().parents[2]
READY_SECONDS = 300.0
STOP_SECONDS = 120.0


def say(text: str) -> None:
    """Tell it to whoever waits."""
    print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class Release:
    """A release's checkout, with its environment."""

    root: Path
    environment: dict[str, str]

    def command(self, *arguments: str) -> list[str]:
        """The `weighhouse` command of this release."""
        return [str(self.root / ".venv" / "bin" / "weighhouse"), *arguments]

    def call(self, *arguments: str) -> None:
        """Run its command to its end.

        :raises SystemExit: when it fails.
        """
        done = subprocess.run(
            self.command(*arguments), cwd=self.root, env=self.environment, check=False
        )
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)} of {self.root} ended with {done.returncode}")

    @contextmanager
    def up(self, directory: Path, port: int) -> Iterator["Serving"]:
        """Its platform on a data directory, with its local agent, until the block ends."""
        server = subprocess.Popen(
            self.command("up", "--data-dir", str(directory), "--port", str(port)),
            cwd=self.root,
            env=self.environment,
            stdout=sys.stderr,
        )
        url = f"http://127.0.0.1:{port}"
        try:
            _await(server, url)
            known = json.loads((directory / "secrets" / "first-user.json").read_text())
            access = {"Authorization": f"Bearer {known['api_token']}"}
            with httpx.Client(base_url=f"{url}/api/v1", headers=access, timeout=120) as client:
                yield Serving(client)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(STOP_SECONDS)


def _await(server: "subprocess.Popen[bytes]", url: str) -> None:
    ends = time.monotonic() + READY_SECONDS
    while time.monotonic() < ends:
        if server.poll() is not None:
            raise SystemExit(f"the platform ended with {server.returncode} before it was ready")
        try:
            if httpx.get(f"{url}/health", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.5)
    raise SystemExit(f"the platform did not become ready within {READY_SECONDS:.0f} s")


@dataclass(frozen=True, slots=True)
class Serving:
    """A platform that answers."""

    client: httpx.Client
    """Asks the API with the first user's token."""

    def ask(self, path: str, **parameters: Any) -> httpx.Response:
        """GET; parameters, or such as stand in the path already."""
        return self.client.get(path, params=parameters or None)

    def send(self, path: str, body: Any) -> Any:
        """POST; the answer's JSON.

        :raises httpx.HTTPStatusError: when it is refused.
        """
        return self.client.post(path, json=body).raise_for_status().json()


@contextmanager
def former(commit: str, work: Path) -> Iterator[Release]:
    """The release of a commit, installed beside this one; taken away when the block ends.

    :param commit: anything that Git takes for one.
    """
    root = work / "source"
    _git("worktree", "add", "--detach", str(root), commit)
    try:
        # Its drivers must not take the place of this release's.
        environment = os.environ | {"CARGO_TARGET_DIR": str(work / "target")}
        environment.pop("VIRTUAL_ENV", None)
        say("installing the former release: Python, and its driver for Redis")
        for step in (["python.sh"], ["engine.sh", "redis"]):
            subprocess.run(
                ["bash", f"infra/bootstrap/{step[0]}", *step[1:]],
                cwd=root, env=environment, check=True, stdout=sys.stderr,
            )  # fmt: skip
        yield Release(root, environment)
    finally:
        _git("worktree", "remove", "--force", str(root))


def present() -> Release:
    """This release, as it is installed."""
    return Release(REPOSITORY, dict(os.environ))


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=REPOSITORY, check=True, stdout=sys.stderr)
