"""What the server hands to an agent: registration, sessions, orders."""

import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from weighhouse_protocol.base import Document, Report
from weighhouse_protocol.facts import MachineFacts, PolicyStatement
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.load import Load, Phase
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

AgentRole = Literal["driver", "server"]


class Registration(Document):
    """Body of `POST /agent/v1/register`; the registration token is the bearer token."""

    name: str = Field(min_length=1, max_length=80)
    instance_id: UUID
    """Made once by the agent's home directory; a repeated call with it gets a new token."""
    roles: tuple[AgentRole, ...] = ("driver", "server")
    facts: MachineFacts


class Registered(Report):
    """Answer to a registration."""

    agent_id: UUID
    agent_token: str


class SessionOpening(Document):
    """Body of `PUT /agent/v1/session`."""

    instance_id: UUID
    process_id: UUID
    """New with each start of the agent's program."""
    agent_version: str
    protocol: int = 1
    manifests: tuple[Manifest, ...]
    facts: MachineFacts
    policy: PolicyStatement
    spooled_attempts: tuple[UUID, ...] = ()


class Timings(Report):
    """All times are the server's to dictate."""

    long_poll_seconds: float = 50.0
    heartbeat_seconds: float = 15.0
    upload_seconds: float = 1.0
    teardown_seconds: float = 60.0
    term_seconds: float = 10.0


class SessionOpened(Report):
    """Answer to a session."""

    agent_id: UUID
    timings: Timings
    directives: tuple[Literal["drain", "resume"], ...] = ()
    server_time: datetime.datetime


class ClaimRequest(Document):
    """Body of `POST /agent/v1/claims`; repeating it with the same claim_id repeats the answer."""

    claim_id: UUID
    process_id: UUID
    wait_seconds: float = Field(default=50.0, ge=0, le=60)


class AttemptOrder(Report):
    """All an agent needs to carry out one attempt."""

    protocol: Literal[1] = 1
    attempt_id: UUID
    run_id: UUID
    campaign_id: UUID
    fence: int
    """Grows with each attempt at a run."""
    attempt_token: str
    """Bearer token of this attempt's calls."""
    target: Target
    workload: Workload
    load: Load
    phases: tuple[Phase, ...]
    interval_seconds: float
    seed: int
    faults: tuple[Fault, ...] = ()
    """What is done to the system on purpose, in order of time."""
    shards: int = 1
    sample_seconds: float = 1.0
    limit_seconds: float
    """The run's own limit, from deployment to collection."""


class Claimed(Report):
    """Answer to a claim; no order when nothing came up while waiting (try again)."""

    order: AttemptOrder | None = None
    directives: tuple[Literal["drain", "resume"], ...] = ()
