"""`weighhouse up` as a person uses it: starts, is interrupted, finds everything again."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from weighhouse_cli.embedded.directory import PlatformDirectory, free_port
from weighhouse_sdk.testkit.children import child
from weighhouse_testing.waits import until

WEIGHHOUSE = str(Path(sys.executable).with_name("weighhouse"))


@pytest.fixture
def data() -> Iterator[Path]:
    """A data directory that PostgreSQL's own account may reach."""
    with tempfile.TemporaryDirectory(prefix="weighhouse-up-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def platform_processes(data: Path) -> list[str]:
    """Processes that belong to the platform on a data directory, whoever their parent is."""
    found = []
    for process in psutil.process_iter():
        try:
            line = process.cmdline()
            words = [*line, *process.environ().values(), process.cwd()]
            ended = process.status() == psutil.STATUS_ZOMBIE
        except (psutil.Error, OSError):
            continue
        if not ended and any(str(data) in word for word in words):
            found.append(" ".join(line)[:120])
    return found


@contextmanager
def up(data: Path, port: int, output: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The command, started; it has ended when the context ends."""
    with output.open("wb") as file:
        process = subprocess.Popen(
            [WEIGHHOUSE, "up", "--port", str(port)],
            env={**os.environ, "WEIGHHOUSE_DATA_DIR": str(data), "COLUMNS": "200"},
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(600)


def ready(port: int, process: subprocess.Popen[bytes], output: Path) -> bool:
    assert process.poll() is None, output.read_text()
    return "Ctrl-C" in output.read_text()


@pytest.mark.usefixtures("cold_programs")
def test_interrupted_it_stops_everything_and_finds_its_data_again(
    data: Path, tmp_path: Path
) -> None:
    output, port = tmp_path / "output", free_port()
    with up(data, port, output) as process:
        until("the platform is up", lambda: ready(port, process, output))
        first = output.read_text()
        assert f"http://127.0.0.1:{port}" in first
        secret = PlatformDirectory(data).first_user()
        assert secret.stat().st_mode & 0o777 == 0o600
        password = re.search(r"password +(\S+) +\(shown this once", first)
        assert password
        login = {"email": "admin@weighhouse.local", "password": password.group(1)}
        answer = httpx.post(
            f"http://127.0.0.1:{port}/api/v1/sessions", json=login, headers={"X-Weighhouse": "1"}
        )
        assert answer.is_success, answer.text
        made = subprocess.run(
            [WEIGHHOUSE, "token", "create", "kept", "--json"],
            env={**os.environ, "WEIGHHOUSE_DATA_DIR": str(data)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert '"whp_' in made.stdout
        process.send_signal(signal.SIGINT)
        assert process.wait(600) == 0
    assert not platform_processes(data)
    with up(data, port, output) as process:
        until("the platform is up again", lambda: ready(port, process, output))
        assert password.group(1) not in output.read_text(), "the password is shown once"
        listed = subprocess.run(
            [WEIGHHOUSE, "token", "list"],
            env={**os.environ, "WEIGHHOUSE_DATA_DIR": str(data)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert "kept" in listed.stdout
        second = subprocess.run(
            [WEIGHHOUSE, "up", "--port", str(free_port()), "--data-dir", str(data)],
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        assert second.returncode == 3
        assert "--data-dir" in second.stderr
        process.kill()
        process.wait()
    until("nothing outlives a killed supervisor", lambda: not platform_processes(data))


def test_a_revoked_agent_leaves_the_platform_up_and_comes_back(data: Path, tmp_path: Path) -> None:
    output, port = tmp_path / "output", free_port()
    environment = {**os.environ, "WEIGHHOUSE_DATA_DIR": str(data), "COLUMNS": "200"}
    with up(data, port, output) as process:
        until("the platform is up", lambda: ready(port, process, output))
        [agent] = _agents(data, port)
        assert agent["status"] == "online"
        _api(data, port, "POST", f"/agents/{agent['id']}/revoke")
        until(
            "the agent's end is told",
            lambda: "goes on without it" in output.read_text(),
        )
        assert "weighhouse agent enrol" in output.read_text()
        assert process.poll() is None
        assert [each["status"] for each in _agents(data, port)] == ["revoked"]
        subprocess.run([WEIGHHOUSE, "agent", "enrol"], env=environment, check=True, timeout=600)
        until("it is back", lambda: _online(data, port))
        [agent] = _agents(data, port)
        _api(data, port, "POST", f"/agents/{agent['id']}/revoke")
        until(
            "its second end is told",
            lambda: output.read_text().count("goes on without it") == 2,
        )
        process.send_signal(signal.SIGINT)
        assert process.wait(600) == 0
    with up(data, port, output) as process:
        until("it starts again", lambda: ready(port, process, output))
        until("with an agent", lambda: _online(data, port))


def _agents(data: Path, port: int) -> list[dict[str, Any]]:
    return list(_api(data, port, "GET", "/agents")["items"])


def _online(data: Path, port: int) -> bool:
    return "online" in [each["status"] for each in _agents(data, port)]


def _api(data: Path, port: int, method: str, path: str) -> Any:
    token = json.loads(PlatformDirectory(data).first_user().read_text())["api_token"]
    answer = httpx.request(
        method,
        f"http://127.0.0.1:{port}/api/v1{path}",
        headers={"Authorization": f"Bearer {token}"},
        timeout=60,
    )
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


@pytest.mark.usefixtures("cold_programs")
def test_a_taken_port_is_named_with_the_way_out(data: Path) -> None:
    with httpx.Client():
        port = free_port()
        with child(
            [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ):  # fmt: skip
            until("the other program listens", lambda: _listens(port))
            done = subprocess.run(
                [WEIGHHOUSE, "up", "--port", str(port), "--data-dir", str(data)],
                capture_output=True, text=True, check=False, timeout=600,
            )  # fmt: skip
    assert done.returncode == 3
    assert f"port {port}" in done.stderr
    assert "--port" in done.stderr
    assert not platform_processes(data)


def _listens(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/").is_success
    except httpx.HTTPError:
        return False
