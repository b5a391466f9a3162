"""Agents as people see them."""

import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictInt
from weighhouse_protocol.order import SessionOpening
from weighhouse_protocol.text import Named

from weighhouse_backend.fleet.software import AgentSoftware
from weighhouse_backend.kit.schemas import Body

LabelName = Annotated[str, Field(min_length=1, max_length=63, pattern=r"^[A-Za-z0-9][\w./-]*$")]
LabelValue = Annotated[str, Named(200, least=0)]
AgentStatus = Literal["online", "busy", "unreachable", "draining", "revoked"]


class PluginOnAgent(BaseModel):
    """A plugin that an agent has."""

    id: str
    version: str
    digest: str | None
    """Of its manifest; none: the manifest is not kept."""
    differs: bool
    """Whether another agent has the same version with another manifest."""
    set_aside: str | None
    """Why the plugin is not used: its manifest could not be read, or the machine says so."""
    waits_in: list[UUID]
    """Projects that the agent works for, as far as the caller sees them, in which this manifest is
    not in force: it is given none of their work with this plugin."""


class AgentRead(BaseModel):
    """A registered machine."""

    id: UUID
    name: str
    status: AgentStatus
    roles: list[str]
    labels: dict[str, str]
    project_id: UUID
    """The project that it was enrolled in."""
    lent_to: list[UUID] | None
    """Projects that it works for; null, of machines from before they were lent one by one: all of
    its organization's."""
    no_work: str | None
    """Why it is given no work now; null: it would be."""
    current_run_id: UUID | None
    last_heartbeat_at: datetime.datetime | None
    spool_bytes: int
    facts: dict[str, Any]
    plugins: list[PluginOnAgent]
    policy: dict[str, Any]
    agent_version: str
    software: AgentSoftware
    registered_at: datetime.datetime


class AgentChange(Body):
    """What a maintainer changes of an agent; what is left out stays."""

    labels: dict[LabelName, LabelValue] | None = Field(
        default=None, max_length=50, examples=[{"rack": "a"}]
    )
    lent_to: list[UUID] | None = Field(default=None, max_length=1000)
    """Projects of its organization to work for; null stays what it is where it is null: all."""


class SessionBody(SessionOpening):
    """A session as it arrives: a manifest that cannot be read keeps no other from being taken."""

    manifests: tuple[dict[str, Any], ...]  # type: ignore[assignment]


class RegistrationTokenCreate(BaseModel):
    """A registration token to make."""

    model_config = ConfigDict(extra="forbid")

    labels: dict[LabelName, LabelValue] = Field(
        default_factory=dict, max_length=50, examples=[{"rack": "a"}]
    )
    roles: list[Literal["driver", "server"]] = ["driver", "server"]
    expires_in_minutes: StrictInt = Field(default=60, ge=1, le=7 * 24 * 60)
    project_id: UUID | None = None


class RegistrationTokenMade(BaseModel):
    """A registration token; shown this once."""

    token: str
    expires_at: datetime.datetime
    command: str
    """To copy on a machine that is to be enrolled, and has Weighhouse."""
    install_command: str | None
    """To copy on a machine that has nothing but Python and curl; null: no packages are served."""
    not_installable: str | None
    """Why they are not, and how that is mended."""
