"""A platform on this machine with a little of everything, and people to ask as."""

import datetime
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
from fastapi.testclient import TestClient
from pydantic import SecretStr
from weighhouse_backend.app.bootstrap import bootstrap
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.directories.models import Directory
from weighhouse_backend.identity.models import LoginSession, Membership, Project, User
from weighhouse_backend.identity.secrets import new_token, token_hash
from weighhouse_backend.kit.db import make_engine, make_session_factory
from weighhouse_backend.kit.pages import Place, encode_cursor
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.waits import PATIENCE_SECONDS, until

from backend.tests.results.laboratory import Laboratory, experiment, steady
from backend.tests.results.reports import FACTS

REPOSITORY = Path(__file__).resolve().parents[2]
EMAIL, PASSWORD = "owner@example.test", "a long enough password"
LONG_POLL_SECONDS = 0.05
"""A question for work is not held open for longer, so that no example waits."""
UNLIMITED = {
    "rate_person_per_minute": 0, "rate_token_per_minute": 0, "rate_agent_per_minute": 0,
    "rate_address_per_minute": 0,
}  # fmt: skip
THROWN_AWAY = 40
"""Tokens, people and machines that examples may end."""


@dataclass
class World:
    """Where the platform is, what there is on it, and how one asks as whom."""

    url: str
    document: dict[str, Any]
    ids: dict[str, list[str]]
    """Real values of parameters, by the parameter's name."""
    thrown_away: dict[str, dict[str, list[str]]]
    """Values for operations that end things, by operation: none of what others stand on."""
    headers: dict[str, dict[str, str]]
    """By identity."""
    link: dict[str, str]
    attempt: dict[str, str]
    directory: dict[str, str]
    settings: Settings
    sessions: list[str] = field(default_factory=list)
    """Logins that may be ended."""


def settings_for(database_url: str, redis_url: str, directory: Path) -> Settings:
    """Settings of a platform that may be asked anything."""
    return Settings(
        database_url=database_url,
        redis_url=redis_url,
        artifact_dir=directory / "artifacts",
        experiments_dir=REPOSITORY / "experiments",
        docs_dir=REPOSITORY / "docs",
        secret_key=SecretStr("a secret of this run alone"),
        long_poll_seconds=LONG_POLL_SECONDS,
        log_level="WARNING",
        **UNLIMITED,
    )


@contextmanager
def world(database_url: str, redis_url: str, directory: Path) -> Iterator[World]:
    """A platform in a process of its own, filled.

    :param directory: for files and the log; `backend.log` is what it said.
    """
    settings = settings_for(database_url, redis_url, directory)
    made = bootstrap(settings, EMAIL, PASSWORD, None)
    with TestClient(create_app(settings)) as client:
        filled = _fill(client, settings, made)
    with _serving(settings, directory / "backend.log") as url:
        filled.url = url
        filled.document = httpx.get(f"{url}/api/v1/openapi.json", timeout=PATIENCE_SECONDS).json()
        yield filled


@contextmanager
def _serving(settings: Settings, log: Path) -> Iterator[str]:
    port = free_port()
    values = settings.model_dump(exclude_none=True)
    values["secret_key"] = settings.secret_key.get_secret_value() if settings.secret_key else ""
    environment = {f"WEIGHHOUSE_{name.upper()}": str(value) for name, value in values.items()}
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(REPOSITORY / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    command = [
        sys.executable, "-m", "uvicorn", "api_fuzz.timed:create_app", "--factory", "--host",
        "127.0.0.1", "--port", str(port), "--no-access-log", "--no-proxy-headers",
        "--log-level", "warning", "--timeout-graceful-shutdown", "2",
    ]  # fmt: skip
    with log.open("wb") as sink:
        server = subprocess.Popen(
            command, cwd=REPOSITORY, env=os.environ | environment, stdout=sink, stderr=sink
        )
        url = f"http://127.0.0.1:{port}"
        try:
            _await(server, url, log)
            yield url
        finally:
            server.terminate()
            server.wait()


def _await(server: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    def ready() -> bool:
        if server.poll() is not None:
            raise RuntimeError(f"the backend ended:\n{log.read_text(errors='replace')[-4000:]}")
        try:
            return httpx.get(f"{url}/health", timeout=PATIENCE_SECONDS).status_code == 200
        except httpx.TransportError:
            return False

    until("the backend is ready", ready)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _fill(client: TestClient, settings: Settings, made: dict[str, str]) -> World:
    engine = make_engine(settings.database_url)
    sessions = make_session_factory(engine)
    owner = _bearer(made["api_token"])
    laboratory = Laboratory(client, sessions, settings, owner)
    laboratory.enrol()

    def post(path: str, body: Any = None, expected: int | None = 201) -> Any:
        answer = client.post(f"/api/v1{path}", json=body if body is not None else {}, headers=owner)
        if expected is not None:
            assert answer.status_code == expected, (path, answer.text)
        return answer.json() if answer.content else None

    done = laboratory.carry_out(experiment("weighed", repetitions=2), steady)
    again = laboratory.carry_out(experiment("weighed", repetitions=2), steady)
    waiting = laboratory.campaign(experiment("waiting", repetitions=1))
    order = laboratory.begin()
    runs = client.get("/api/v1/runs", params={"limit": 200}, headers=owner).json()["items"]
    series = client.get("/api/v1/series", params={"limit": 200}, headers=owner).json()["items"]
    summary = client.get("/api/v1/experiments/weighed", headers=owner).json()
    studies = client.get("/api/v1/studies", headers=owner).json()["items"]
    agents = client.get("/api/v1/agents", headers=owner).json()["items"]
    note = post("/annotations", {"run_id": runs[-1]["id"], "text": "seen"}, None) or {}
    link = post(f"/campaigns/{done}/reply-links", {"system_id": "redis"}, None) or {}
    judged = post("/rejudgements", {"campaign_ids": [done]}, None) or {}
    challenge = post(f"/campaigns/{done}/challenges", {"text": "why?"}, None) or {}
    viewer = post("/api-tokens", {"name": "viewer", "role": "viewer"})["token"]
    tokens = [post("/api-tokens", {"name": f"spare {n}"})["id"] for n in range(THROWN_AWAY)]
    people = _people(sessions, made["project_id"])
    spare = [_machine(client, owner, n) for n in range(4)]
    cookies, logins = _sessions(sessions, made["user_id"])
    engine.dispose()
    ids = {
        "account_id": people,
        "agent_id": [one["id"] for one in agents],
        "annotation_id": [note["id"]] if "id" in note else [],
        "attempt_id": [order["attempt_id"]],
        "base": [done],
        "base_campaign_id": [done],
        "campaign": [done, again],
        "campaign_id": [done, again, waiting],
        "campaign_ids": [done, again],
        "challenge_id": [challenge["id"]] if "id" in challenge else [],
        "cursor": [
            encode_cursor(Place(UUID(done))),
            encode_cursor(Place(UUID(done), datetime.datetime.now(datetime.UTC))),
        ],
        "experiment": ["weighed", "waiting", summary["id"]],
        "experiment_id": [summary["id"]],
        "from": ["1"],
        "login_id": logins,
        "link_id": [link["id"]] if "id" in link else [],
        "number": ["1"],
        "project_id": [made["project_id"]],
        "rejudgement_id": [judged["id"]] if "id" in judged else [],
        "run_id": [one["id"] for one in runs],
        "series_id": [one["id"] for one in series],
        "study": [one["slug"] for one in studies if "slug" in one],
        "system": ["redis", "memcached"],
        "system_id": ["redis", "memcached"],
        "to": ["1"],
        "token_id": tokens,
        "user_id": people,
    }
    return World(
        url="",
        document={},
        ids={name: values for name, values in ids.items() if values},
        thrown_away={
            "fleet_revoke_agent": {"agent_id": spare},
            "fleet_drain_agent": {"agent_id": spare},
        },
        headers={
            "nobody": {},
            "agent": laboratory.agent,
            "viewer": _bearer(viewer),
            "owner": owner,
            "owner, signed in": {
                "Cookie": f"weighhouse_session={cookies.pop()}", "X-Weighhouse": "1"
            },
        },
        link=_bearer(link.get("token") or str(link.get("url", "")).rsplit("#", 1)[-1] or "none"),
        attempt=_bearer(order["attempt_token"]),
        directory=_bearer(_directory(sessions, made["project_id"])),
        settings=settings,
        sessions=cookies,
    )  # fmt: skip


def _machine(client: TestClient, owner: dict[str, str], number: int) -> str:
    """A machine that examples may drain and revoke."""
    token = client.post("/api/v1/agent-registration-tokens", json={}, headers=owner).json()["token"]
    facts = FACTS | {"hostname": f"spare-{number}", "machine_id": f"spare-{number}"}
    body = {"name": f"spare-{number}", "instance_id": str(uuid4()), "facts": facts}
    answer = client.post("/agent/v1/register", json=body, headers=_bearer(token))
    assert answer.status_code == 201, answer.text
    return str(answer.json()["agent_id"])


def _people(sessions: Any, project_id: str) -> list[str]:
    """Members who may be given other roles, and be taken out."""
    now = datetime.datetime.now(datetime.UTC)
    with unit_of_work(sessions) as session:
        house = session.get_one(Project, UUID(project_id)).organization_id
        people = [
            User(id=uuid4(), email=f"p{n}@example.test", name="P", created_at=now)
            for n in range(THROWN_AWAY)
        ]
        session.add_all(people)
        session.flush()
        session.add_all(
            Membership(organization_id=house, user_id=one.id, role="viewer", created_at=now)
            for one in people
        )
    return [str(one.id) for one in people]


def _directory(sessions: Any, project_id: str) -> str:
    """The token of the organization's directory."""
    token = new_token("c")
    with unit_of_work(sessions) as session:
        house = session.get_one(Project, UUID(project_id)).organization_id
        session.add(
            Directory(
                organization_id=house, token_hash=token_hash(token), prefix=token[:10],
                created_by="test", created_at=datetime.datetime.now(datetime.UTC),
            )
        )  # fmt: skip
    return token


def _sessions(sessions: Any, user_id: str) -> tuple[list[str], list[str]]:
    """Logins of the owner: their tokens, the last of which stays, and names of the others."""
    tokens = [new_token("s") for _ in range(THROWN_AWAY)]
    now = datetime.datetime.now(datetime.UTC)
    rows = [
        LoginSession(
            id=uuid4(), user_id=user_id, token_hash=token_hash(token), created_at=now,
            last_used_at=now,
        )
        for token in tokens
    ]  # fmt: skip
    with unit_of_work(sessions) as session:
        session.add_all(rows)
    return tokens, [str(one.id) for one in rows[:-1]]
