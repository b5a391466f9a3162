"""`weighhouse rejudge` on a platform whose campaigns were judged by the rules of before."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from alembic import command
from sqlalchemy import select
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.identity.installation import FirstUserService
from weighhouse_backend.identity.models import Project
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_cli.embedded.directory import free_port
from weighhouse_judging.rules import RULES_VERSION
from weighhouse_testing.stored import alembic_of, restored, settings_of
from weighhouse_testing.waits import until

WEIGHHOUSE = str(Path(sys.executable).with_name("weighhouse"))
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def settings(
    postgres_server: str, redis_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    redis_url = redis_server.rsplit("/", 1)[0] + "/9"
    with restored(postgres_server) as url:
        command.upgrade(alembic_of(url), "head")
        yield settings_of(url, redis_url, tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def worker(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A worker process without a timetable: it does what it is sent."""
    directory = tmp_path_factory.mktemp("worker")
    environment = {
        **os.environ,
        "WEIGHHOUSE_DATABASE_URL": settings.database_url,
        "WEIGHHOUSE_REDIS_URL": settings.redis_url,
    }
    with (directory / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "weighhouse_worker.app:app", "worker",
             "--concurrency", "1", "--without-gossip", "--without-mingle"],
            env=environment, cwd=directory, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        yield
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=120)


@pytest.fixture(scope="module")
def weighhouse(settings: Settings, worker: None) -> Iterator[Command]:
    """The command, over the platform as it is served."""
    del worker
    app = create_app(settings)
    port = free_port()
    server = uvicorn.Server(
        uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning",
                       timeout_graceful_shutdown=1)
    )  # fmt: skip
    thread = threading.Thread(target=server.run)
    thread.start()
    until("the server is up", lambda: server.started)
    with unit_of_work(app.state.session_factory) as session:
        project = session.scalars(select(Project)).one()
        token = FirstUserService(session, SystemClock()).ensure_token(project, "now", None)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ, "WEIGHHOUSE_URL": f"http://127.0.0.1:{port}", "WEIGHHOUSE_TOKEN": token,
            "NO_COLOR": "1", "COLUMNS": "160",
        }  # fmt: skip
        return subprocess.run(
            [WEIGHHOUSE, *arguments], env=environment, capture_output=True, text=True,
            check=False, timeout=280,
        )  # fmt: skip

    yield run
    server.should_exit = True
    thread.join(timeout=120)


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_the_command_shows_what_would_change_changes_it_and_then_nothing(
    weighhouse: Command,
) -> None:
    dry = weighhouse("rejudge", "--all", "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert "inconclusive (version 1 of the rules)" in dry.stdout
    by = f"by version {RULES_VERSION} of the rules"
    assert f"2 of 2 campaigns would get a verdict {by}" in dry.stdout

    listed = document(weighhouse("campaign", "list", "--json"))["items"]
    newest = max((one for one in listed if one["status"] == "completed"), key=lambda one: one["id"])
    shown = weighhouse("campaign", "verdict", newest["id"])
    assert "superseded" not in shown.stdout
    assert f"version 1 of the rules; version {RULES_VERSION} holds today" in shown.stdout

    done = weighhouse("rejudge", "--experiment", newest["experiment"]["slug"])
    assert done.returncode == 0, done.stderr
    assert f"2 of 2 campaigns got a verdict {by}" in done.stdout

    shown = weighhouse("campaign", "verdict", newest["id"])
    assert "version 1 of the rules, superseded" in shown.stdout
    assert "all 4 cells can be called neither worse nor safe, for want of 5" in " ".join(
        shown.stdout.split()
    )

    again = weighhouse("rejudge", "--all")
    assert again.returncode == 0, again.stderr
    assert "nothing changed: 2 say the same by the same rules" in again.stdout
    told = document(weighhouse("rejudge", newest["id"], "--json"))
    assert told["campaigns"]["unchanged"] == 1
    assert [one["campaign_id"] for one in told["items"]] == [newest["id"]]


def test_what_to_judge_has_to_be_said_once(weighhouse: Command) -> None:
    for arguments in ((), ("--all", "--experiment", "x")):
        refused = weighhouse("rejudge", *arguments)
        assert refused.returncode == 4
        assert "--experiment NAME" in refused.stderr
    unknown = weighhouse("rejudge", "--experiment", "nowhere")
    assert unknown.returncode == 4
    assert "there is no experiment 'nowhere'" in unknown.stderr
