"""A campaign's events over real HTTP: resumed, live, with and without Redis."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import delete, update
from sqlalchemy.orm import Session
from weighhouse_backend.campaigns import stream as streams
from weighhouse_backend.execution.intake import IntakeService
from weighhouse_backend.identity.cookie_names import SESSION
from weighhouse_backend.identity.models import (
    ApiToken,
    LoginSession,
    Membership,
    Organization,
    Project,
    User,
)
from weighhouse_backend.identity.secrets import new_token, token_hash
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.settings import Settings
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.waits import PATIENCE_SECONDS, until

from .served import CALLS, Served, Tenant, claim


@pytest.fixture(scope="module")
def settings(database_url: str, own_redis: OwnRedis) -> Settings:
    return Settings(
        database_url=database_url,
        redis_url=f"redis://127.0.0.1:{own_redis.port}/0",
        long_poll_seconds=20,
    )


@contextmanager
def stream(
    tenant: Tenant, campaign_id: UUID, last_event_id: str | None = None
) -> Iterator[list[dict[str, Any]]]:
    """Reads a campaign's events in a thread into a list."""
    headers = {"Authorization": f"Bearer {tenant.token}"}
    if last_event_id is not None:
        headers["Last-Event-ID"] = last_event_id
    found: list[dict[str, Any]] = []
    opened = threading.Event()
    answers: list[httpx.Response] = []

    def read() -> None:
        try:
            with CALLS.stream(
                "GET", f"{tenant.url}/api/v1/campaigns/{campaign_id}/events", headers=headers
            ) as answer:
                answers.append(answer)
                opened.set()
                event: dict[str, Any] = {}
                for line in answer.iter_lines():
                    if not line:
                        if event:
                            found.append(event)
                        event = {}
                    elif not line.startswith(":"):
                        name, _, value = line.partition(": ")
                        event[name] = json.loads(value) if name == "data" else value
        except (httpx.HTTPError, OSError, ValueError, RuntimeError):
            opened.set()

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    assert opened.wait(PATIENCE_SECONDS)
    assert answers[0].headers["content-type"].startswith("text/event-stream")
    try:
        yield found
    finally:
        answers[0].extensions["network_stream"].get_extra_info("socket").shutdown(2)
        thread.join()


def of_runs(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(e["data"]["run_id"], e["data"]["status"]) for e in events if e["event"] == "run"]


def test_a_stream_begins_with_how_things_stand_and_goes_on(tenant: Tenant) -> None:
    world = tenant.world
    agent = world.agent()
    campaign_id = world.start(repetitions=1)
    with stream(tenant, campaign_id) as events:
        until("the opening is there", lambda: len(events) >= 3)
        assert [event["event"] for event in events[:3]] == ["campaign", "run", "run"]
        assert events[0]["data"]["runs"]["queued"] == 2
        order = world.take(agent)
        until("the run begins", lambda: (str(order.run_id), "running") in of_runs(events))
        with world.transaction() as services:
            attempt = services.get(IntakeService).open_batch(order.attempt_id)
            sample = {
                "at": world.clock.now(), "throughput": 5.0,
                "p50_us": 1.0, "p99_us": 2.0, "phase": "measure", "elapsed_seconds": 1.5,
            }  # fmt: skip
            services.get(IntakeService).tell_live(attempt, lambda run: sample | {"run_id": run})
        until("a sample is seen", lambda: any(e["event"] == "live" for e in events))

    live = next(event for event in events if event["event"] == "live")
    assert "id" not in live, "what is not kept does not move Last-Event-ID"
    assert live["data"]["throughput"] == 5.0
    assert live["data"]["at"].endswith(("Z", "+00:00"))
    assert "T" in live["data"]["at"]
    ids = [int(event["id"]) for event in events if "id" in event]
    assert ids == sorted(ids)


def test_a_stream_begins_with_what_was_logged_before(tenant: Tenant) -> None:
    world = tenant.world
    agent = world.agent()
    campaign_id = world.start(repetitions=1)
    order = world.take(agent)
    world.end(order)
    stored = world.events(campaign_id)
    with stream(tenant, campaign_id) as events:
        until("the log is there", lambda: any(event["event"] == "log" for event in events))

    log = next(event for event in events if event["event"] == "log")
    assert int(log["id"]) == log["data"]["until"] == stored[-1].id
    told = [
        (one["id"], one["run"]["run_id"], one["run"]["status"]) for one in log["data"]["logged"]
    ]
    assert told == [
        (event.id, event.data["run_id"], event.data["status"])
        for event in stored
        if event.kind == "run"
    ]
    assert {"allocated", "running", "settling"} <= {status for _, _, status in told}
    assert all(one["at"] for one in log["data"]["logged"])


def test_a_long_log_is_told_from_its_end(tenant: Tenant, monkeypatch) -> None:
    monkeypatch.setattr(streams, "LOGGED", 2)
    world = tenant.world
    agent = world.agent()
    campaign_id = world.start(repetitions=1)
    world.end(world.take(agent))
    of_them = [event.id for event in world.events(campaign_id) if event.kind == "run"]
    with stream(tenant, campaign_id) as events:
        until("the log is there", lambda: any(event["event"] == "log" for event in events))

    log = next(event for event in events if event["event"] == "log")
    assert [one["id"] for one in log["data"]["logged"]] == of_them[-2:]


def test_a_stream_that_is_resumed_misses_nothing_and_tells_nothing_twice(tenant: Tenant) -> None:
    world = tenant.world
    agent = world.agent()
    campaign_id = world.start()
    with stream(tenant, campaign_id) as before:
        until("the opening is there", lambda: len(before) >= 5)
    last = before[-1]["id"]
    world.finish_everything(agent)
    stored = [event for event in world.events(campaign_id) if event.id > int(last)]

    with stream(tenant, campaign_id, last) as after:
        until("all is told", lambda: len(after) >= len(stored))

    assert [(int(event["id"]), event["event"]) for event in after] == [
        (event.id, event.kind) for event in stored
    ]


def test_a_stream_outlives_redis(tenant: Tenant, own_redis: OwnRedis) -> None:
    world = tenant.world
    agent = world.agent()
    campaign_id = world.start(repetitions=1)
    with stream(tenant, campaign_id) as events:
        until("the opening is there", lambda: len(events) >= 3)
        own_redis.kill()
        try:
            first = world.take(agent)
            until("it is told without Redis", lambda: (str(first.run_id), "running") in
                  of_runs(events))  # fmt: skip
            claimed = claim(tenant, agent, 1)
            assert claimed.status_code == 200, "long polls go on too"
            made = tenant.request(
                "POST", "/api/v1/campaigns", json={"experiment_id": str(world.experiment())}
            )
            assert made.status_code == 201, "a request does not need the broker"
        finally:
            own_redis.start()
        world.end(first)
        until("and after it is back", lambda: (str(first.run_id), "settling") in of_runs(events))

    told = [int(event["id"]) for event in events if "id" in event]
    assert set(told) >= {event.id for event in world.events(campaign_id)} - {told[0]}


def test_streams_hold_no_database_connection(tenant: Tenant, served: Served) -> None:
    campaign_id = tenant.world.start()
    with ExitStack() as stack:
        watched = [stack.enter_context(stream(tenant, campaign_id)) for _ in range(25)]
        until("all have begun", lambda: all(len(events) >= 5 for events in watched))
        until("none is held while all wait", lambda: served.connections_in_use() == 0)


def ended(tenant: Tenant, path: str, headers: dict[str, str], end: Callable[[Session], Any]) -> int:
    """Read a stream, end its reader's access at its first word, and wait until it ends; what the
    next question is answered.

    A stream that goes on gives a sign of life every 15 s: two of them are too many.
    """
    signs = 0
    with CALLS.stream("GET", tenant.url + path, headers=headers) as answer:
        assert answer.status_code == 200
        for number, line in enumerate(answer.iter_lines()):
            if number == 0:
                with tenant.world.transaction() as services:
                    end(services.get(Session))
            signs += line.startswith(":")
            assert signs < 2, "the stream goes on"
    return CALLS.get(tenant.url + path, headers=headers).status_code


def test_a_stream_ends_when_its_token_is_revoked(tenant: Tenant, monkeypatch) -> None:
    monkeypatch.setattr(streams, "ASK_AGAIN_SECONDS", 0.2)
    path = f"/api/v1/campaigns/{tenant.world.start(repetitions=1)}/events"
    revoked = (
        update(ApiToken)
        .where(ApiToken.token_hash == token_hash(tenant.token))
        .values(revoked_at=SystemClock().now())
    )
    headers = {"Authorization": f"Bearer {tenant.token}"}
    assert ended(tenant, path, headers, lambda session: session.execute(revoked)) == 401


def test_a_stream_ends_when_a_membership_does(tenant: Tenant, monkeypatch) -> None:
    monkeypatch.setattr(streams, "ASK_AGAIN_SECONDS", 0.2)
    path = f"/api/v1/campaigns/{tenant.world.start(repetitions=1)}/events"
    now, cookie = SystemClock().now(), new_token("s")
    with tenant.world.transaction() as services:
        session = services.get(Session)
        project = session.get_one(Project, tenant.world.project_id)
        user = User(email=f"{project.slug}@example.test", name="Mia", created_at=now)
        session.add(user)
        session.flush()
        membership = {"organization_id": project.organization_id, "user_id": user.id}
        session.add(Membership(**membership, role="viewer", created_at=now))
        session.add(
            LoginSession(
                user_id=user.id, token_hash=token_hash(cookie), created_at=now, last_used_at=now
            )
        )
    gone = delete(Membership).where(Membership.user_id == user.id)
    headers = {"Cookie": f"{SESSION}={cookie}"}
    # Who is in no organization any more is nobody here.
    assert ended(tenant, path, headers, lambda session: session.execute(gone)) == 401


def test_a_stream_ends_when_a_personal_tokens_role_rests(tenant: Tenant, monkeypatch) -> None:
    monkeypatch.setattr(streams, "ASK_AGAIN_SECONDS", 0.2)
    path = f"/api/v1/campaigns/{tenant.world.start(repetitions=1)}/events"
    now, token = SystemClock().now(), new_token("p")
    with tenant.world.transaction() as services:
        session = services.get(Session)
        project = session.get_one(Project, tenant.world.project_id)
        user = User(email=f"una-{project.slug}@example.test", name="Una", created_at=now)
        session.add(user)
        session.flush()
        place = {"organization_id": project.organization_id, "user_id": user.id}
        session.add(Membership(**place, role="viewer", created_at=now))
        session.add(
            ApiToken(
                project_id=project.id, name="own", role="viewer", owner_id=user.id,
                prefix="whp", token_hash=token_hash(token), created_by="Una", created_at=now,
            )
        )  # fmt: skip
    required = (
        update(Organization)
        .where(Organization.id == project.organization_id)
        .values(factor_required_at=now)
    )
    headers = {"Authorization": f"Bearer {token}"}
    assert ended(tenant, path, headers, lambda session: session.execute(required)) == 403
