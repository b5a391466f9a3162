"""What a process remembers of agents between their calls, and which of them called lately."""

import datetime
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.software import update_of
from weighhouse_backend.kit.clock import Clock


@dataclass(frozen=True)
class Known:
    """What of an agent is worth remembering between its calls."""

    agent_id: UUID
    organization_id: UUID
    token_hash: str
    draining: bool
    resting: bool
    """Whether it is taken to take no work."""
    update: UUID | None = None
    """The update that waits for it."""


def as_known(agent: Agent, now: datetime.datetime) -> Known:
    """An agent, as it is remembered."""
    return known_of(
        agent.id, agent.organization_id, agent.token_hash, agent.draining,
        agent.resting is not None, agent.software_update, now,
    )  # fmt: skip


def known_of(
    agent_id: UUID,
    organization_id: UUID,
    token_hash: str,
    draining: bool,
    resting: bool,
    software_update: Mapping[str, Any] | None,
    now: datetime.datetime,
) -> Known:
    """The same of a row's columns."""
    update = update_of(software_update, now)
    waits = update.id if update is not None and update.state == "wanted" else None
    return Known(agent_id, organization_id, token_hash, draining, resting, waits)


@dataclass
class Sightings:
    """Collects sightings of agents until somebody writes them down. Safe to share by threads."""

    clock: Clock
    _seen: dict[UUID, datetime.datetime] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, *agent_ids: UUID) -> None:
        """These agents called just now."""
        now = self.clock.now()
        with self._lock:
            self._seen.update(dict.fromkeys(agent_ids, now))

    def take(self) -> dict[UUID, datetime.datetime]:
        """What was noted since the last time, to be written."""
        with self._lock:
            seen, self._seen = self._seen, {}
        return seen

    def give_back(self, seen: dict[UUID, datetime.datetime], written: Iterable[UUID] = ()) -> None:
        """Keep for the next time what could not be written."""
        with self._lock:
            for agent_id in seen.keys() - set(written):
                self._seen.setdefault(agent_id, seen[agent_id])
