"""Opens the agent's session, and keeps what the server dictated."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

import structlog
import uuid_utils.compat as uuids
from pydantic import ValidationError
from weighhouse_protocol.facts import PolicyStatement
from weighhouse_protocol.order import SessionOpened, SessionOpening, Timings

from weighhouse_agent import PROTOCOL, VERSION
from weighhouse_agent.delivery.platform_client import (
    GaveUp,
    PlatformAway,
    PlatformClient,
    Refused,
    again,
)
from weighhouse_agent.machine.facts import machine_facts
from weighhouse_agent.machine.home import Home, read_text, write_atomically
from weighhouse_agent.supervisor.fork_server import Inventory

LOG = structlog.get_logger("weighhouse_agent")
FINAL = frozenset({401, 403, 409})
"""Answers to a session that no waiting mends: revoked, or another home uses the identity."""
REFUSED_PAUSE_SECONDS = 30.0
MOST_BROKEN = 100
"""Plugins that cannot be used, as a session tells them."""


@dataclass
class Sessions:
    """This program's session with the platform.

    :param client: with the agent's token.
    :param statement: tells the policy, as it is when asked.
    """

    home: Home
    client: PlatformClient
    inventory: Callable[[], Inventory]
    statement: Callable[[], PolicyStatement]
    stop: threading.Event
    on_opened: Callable[[], None] | None = None
    """Called once, when the first session is open."""
    process_id: UUID = field(default_factory=uuids.uuid7)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _opened: int = 0
    _known: Timings | None = None
    _resting: str | None = None
    _told: str | None = None
    _told_at: float = 0.0

    @property
    def timings(self) -> Timings:
        """What the server dictated last; the protocol's defaults before it ever did."""
        text = read_text(self.home.timings)
        try:
            read = None if text is None else Timings.model_validate_json(text)
        except ValidationError:
            read = None
        return self._known or read or Timings()

    def rest(self, reason: str | None) -> None:
        """Tell why this agent takes no work for now, or that it does again; safe to call again and
        again: the platform is told of a change, and that the agent is there.

        :raises Refused: when the platform does not want this agent any more.
        """
        with self._lock:
            late = time.monotonic() - self._told_at > self.timings.heartbeat_seconds
            if reason == self._told and (reason is None or not late):
                return
            if reason != self._resting:
                LOG.warning("takes no work", reason=reason) if reason else LOG.info("takes work")
            self._resting = reason
            try:
                self.try_once()
            except PlatformAway as error:
                LOG.info("the platform is away", reason=str(error))
            except Refused as error:
                if error.status in FINAL:
                    raise
                LOG.warning("session refused", reason=str(error))

    def open(self, after: int) -> int:
        """Open the session, or open it anew; tries until the platform is there. Safe to call from
        several threads: one of them does it for all.

        :param after: what the last call returned, 0 for the first.
        :raises Refused: when the platform does not want this agent (any more).
        :raises GaveUp: when the program is to stop.
        """
        with self._lock:
            while self._opened <= after:
                try:
                    again(self.try_once, what="session", stop=self.stop)
                except Refused as error:
                    if error.status in FINAL:
                        raise
                    LOG.warning("session refused", reason=str(error))
                    if self.stop.wait(REFUSED_PAUSE_SECONDS):
                        raise GaveUp("session") from error
            return self._opened

    def open_once(self) -> None:
        """Try once to open the session, unless it was opened before.

        :raises PlatformAway, Refused: as `try_once`.
        """
        with self._lock:
            if self._opened == 0:
                self.try_once()

    def try_once(self) -> SessionOpened:
        """Open the session, or open it anew, with what this machine is and has now.

        :raises PlatformAway: when there is no answer.
        :raises Refused: when the answer is no.
        """
        inventory = self.inventory()
        opening = SessionOpening(
            instance_id=self.home.instance_id(),
            process_id=self.process_id,
            home=self.home.place(),
            agent_version=VERSION,
            protocol=PROTOCOL,
            manifests=inventory.manifests,
            broken=dict(list(inventory.broken.items())[:MOST_BROKEN]),
            facts=machine_facts(
                self.home.instance_id(), inventory.versions, directory=self.home.path
            ),
            policy=self.statement(),
            resting=self._resting,
            spooled_attempts=tuple(UUID(each.attempt_id) for each in self.home.attempts()),
        )
        opened = self.client.ask("PUT", "/agent/v1/session", opening, SessionOpened)
        self._opened += 1
        if self._opened == 1 and self.on_opened is not None:
            self.on_opened()
        self._told, self._told_at = opening.resting, time.monotonic()
        self._known = opened.timings
        try:
            write_atomically(self.home.timings, opened.timings.model_dump_json())
        except OSError as error:
            LOG.warning("the timings could not be kept", reason=str(error))
        LOG.info("session open", agent=str(opened.agent_id), directives=opened.directives)
        return opened
