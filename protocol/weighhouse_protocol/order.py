"""What the server hands to an agent: registration, sessions, orders."""

import datetime
import operator
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from weighhouse_protocol.base import (
    Document,
    Few,
    Instant,
    Label,
    Many,
    Name,
    Order,
    Report,
    Seconds,
    Sentence,
    SmallJson,
    Whole,
)
from weighhouse_protocol.facts import MachineFacts, PolicyStatement
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.load import Load, Phase, Share
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.scenarios import FillUntil
from weighhouse_protocol.target import Target
from weighhouse_protocol.text import Named
from weighhouse_protocol.workload import Workload

AgentRole = Literal["driver", "server"]


class Registration(Document):
    """Body of `POST /agent/v1/register`; the registration token is the bearer token."""

    name: Annotated[str, Named(80)]
    instance_id: UUID
    """Made once by the agent's home directory; a repeated call with it gets a new token."""
    roles: Few[AgentRole] = ("driver", "server")
    facts: MachineFacts


class Registered(Report):
    """Answer to a registration."""

    agent_id: UUID
    agent_token: Sentence


class SessionOpening(Document):
    """Body of `PUT /agent/v1/session`."""

    instance_id: UUID
    process_id: UUID
    """New with each start of the agent's program."""
    home: Sentence = ""
    """Tells the agent's directory from a copy of it; the same after a restart."""
    agent_version: Label
    protocol: Order = 1
    manifests: Few[Manifest]
    broken: dict[Label, Sentence] = Field(
        default_factory=dict, max_length=100, exclude_if=operator.not_
    )
    """Plugins that the machine has and cannot use → what is wrong with each. Not sent where there
    are none: platforms of before do not know it."""
    facts: MachineFacts
    policy: PolicyStatement
    spooled_attempts: Many[UUID] = ()
    resting: str | None = Field(default=None, max_length=500)
    """Why the agent asks for no work for now, for people to read; None: it does."""


class Timings(Report):
    """All times are the server's to dictate."""

    long_poll_seconds: Seconds = 50.0
    heartbeat_seconds: Seconds = 15.0
    upload_seconds: Seconds = 1.0
    sign_seconds: Seconds | None = None
    """How often an agent that carries something out says that it is there; None: never."""
    teardown_seconds: Seconds = 60.0
    term_seconds: Seconds = 10.0
    failing_tries: Order = 20
    """A call of an attempt that the server fails at so often (500), one after the other …"""
    failing_seconds: Seconds = 600.0
    """… and for so long, is given up; the attempt ends as a failure of the infrastructure."""


class SessionOpened(Report):
    """Answer to a session."""

    agent_id: UUID
    timings: Timings
    directives: Few[Literal["drain", "resume"]] = ()
    server_time: datetime.datetime


class ClaimRequest(Document):
    """Body of `POST /agent/v1/claims`; repeating it with the same claim_id repeats the answer."""

    claim_id: UUID
    process_id: UUID
    slot: Name = "machine"
    """The slot that is free: one of those in the policy statement."""
    wait_seconds: Seconds = Field(default=50.0, ge=0, le=60)


class GangMember(Report):
    """One agent's part in an attempt, as all members are told of each other."""

    index: Order
    """From 0; the first that has nodes is the lead, which makes one system of them."""
    agent_name: Label
    slot: Name = "machine"
    roles: Few[AgentRole]
    address: Label
    """Where its peers reach it: what the policy of its machine says."""
    nodes: Many[Order] = ()
    """Numbers of the system's nodes on its machine, from 1; none for a driver alone."""
    share: Share | None = None
    """Its part of the load; None: it makes none."""


class OrderLink(Report):
    """A measured phase of a chain that follows on the same system, with what comes before it."""

    workload: Workload
    load: Load
    phases: Few[Phase] = Field(min_length=1)
    """None of them loads."""


class AttemptOrder(Report):
    """All an agent needs to carry out one attempt."""

    protocol: Literal[1] = 1
    attempt_id: UUID
    run_id: UUID
    campaign_id: UUID
    fence: Order
    """Grows with each attempt at a run."""
    attempt_token: Sentence
    """Bearer token of this attempt's calls."""
    target: Target
    workload: Workload
    load: Load
    phases: Few[Phase]
    interval_seconds: Seconds
    chain: Few[OrderLink] = ()
    """What is measured next, in this order, on the system as the phases above left it: by a driver
    of its own, with the seed of the run. Only for an agent alone."""
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    faults: Few[Fault] = ()
    """What is done to the system on purpose, in order of time."""
    fill_until: FillUntil | None = None
    """When the measured phase ends, should it not have lasted as long as it may."""
    threads: int | None = Field(default=None, ge=1, le=256)
    """Driver threads; None: as many as connections and processors of the slot can use."""
    slot: Name = "machine"
    """The agent's slot that carries it out."""
    member: Order = 0
    """This agent's index in the gang."""
    gang: Many[GangMember] = ()
    """All members in order of their index; empty: this agent alone, without barriers. Clients,
    rate and operation counts of `load` and `phases` are this member's share already."""
    written_before: bool = False
    """An earlier attempt of the campaign has begun on the same target: what an external system
    holds may be its."""
    manifest_digest: Label | None = None
    """Digest of the system's manifest that the run was planned with."""
    sample_seconds: Seconds = 1.0
    limit_seconds: Seconds
    """The run's own limit, from deployment to collection."""


class Claimed(Report):
    """Answer to a claim; no order when nothing came up while waiting (try again)."""

    order: AttemptOrder | None = None
    directives: Few[Literal["drain", "resume"]] = ()
    update: UUID | None = None
    """The update that waits for this agent, which asks what it is; agents of before pass it over.
    """


# Barriers: how the members of a gang keep step.

BARRIERS_BEFORE = ("placed", "up", "formed", "connected")
"""Before the first phase: nodes have their ports · nodes run · they are one system and ready ·
drivers are connected. `connected` begins phase 0, `phase-1` the next, and `measured` ends the last.
"""


def barriers(phases: int) -> tuple[str, ...]:
    """Names of a gang's barriers in order.

    :param phases: how many the order has.
    """
    between = (f"phase-{index}" for index in range(1, phases))
    return (*BARRIERS_BEFORE, *between, "measured")


class Arrival(Document):
    """Body of `POST …/barriers/{name}`: this member is there. Repeatable; waits for the release at
    most as long as told, and is then asked again.
    """

    fence: Whole
    payload: SmallJson = Field(default_factory=dict)
    """What the other members are to know; the first arrival's stays."""
    sent_at_us: Instant
    """The agent's clock, unix µs."""
    wait_seconds: Seconds = Field(default=0.0, ge=0, le=60)


class BarrierState(Report):
    """Answer to an arrival."""

    name: Label
    released: bool
    begins_at_us: Instant | None = None
    """The server's clock, unix µs: when what follows begins; None until released."""
    payloads: dict[Order, SmallJson] = Field(
        default_factory=dict,
        max_length=2000,
        json_schema_extra={"propertyNames": {"maxLength": 10}},
    )
    """Member's index → what it told; all of them once released."""
    waiting_for: Many[Order] = ()
    """Members that are not there yet."""
    cancel: Literal["none", "graceful", "kill"] = "none"
    received_at_us: Instant
    """The server's clock when the request came, and when the answer left; with the two instants of
    the agent they tell how far its clock is off (RFC 5905, section 8)."""
    answered_at_us: Instant
