"""Agents as people see them."""

import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

AgentStatus = Literal["online", "busy", "unreachable", "draining", "revoked"]


class PluginOnAgent(BaseModel):
    """A plugin that an agent has."""

    id: str
    version: str


class AgentRead(BaseModel):
    """A registered machine."""

    id: UUID
    name: str
    status: AgentStatus
    roles: list[str]
    labels: dict[str, str]
    current_run_id: UUID | None
    last_heartbeat_at: datetime.datetime | None
    spool_bytes: int
    facts: dict[str, Any]
    plugins: list[PluginOnAgent]
    policy: dict[str, Any]
    agent_version: str
    registered_at: datetime.datetime


class RegistrationTokenCreate(BaseModel):
    """A registration token to make."""

    model_config = ConfigDict(extra="forbid")

    labels: dict[str, str] = Field(default_factory=dict, examples=[{"rack": "a"}])
    roles: list[Literal["driver", "server"]] = ["driver", "server"]
    expires_in_minutes: int = Field(default=60, ge=1, le=7 * 24 * 60)
    project_id: UUID | None = None


class RegistrationTokenMade(BaseModel):
    """A registration token; shown this once."""

    token: str
    expires_at: datetime.datetime
    command: str
    """To copy on the machine that is to be enrolled."""
