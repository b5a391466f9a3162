"""One slot's work: what an earlier agent left in it, then one attempt after the other."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

import structlog
from pydantic import ValidationError
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.text import AS_KEPT

from weighhouse_agent.delivery.delivery import CONFLICT
from weighhouse_agent.delivery.platform_client import PlatformAway, PlatformClient, Refused, again
from weighhouse_agent.machine.disk_space import ROOM_SECONDS, Room, is_full
from weighhouse_agent.machine.home import AttemptDirectory, Home
from weighhouse_agent.supervisor.attempt_lifecycle import Carrier, set_aside
from weighhouse_agent.supervisor.claims import Claims
from weighhouse_agent.supervisor.process_starter import Starter
from weighhouse_agent.supervisor.sessions import Sessions

LOG = structlog.get_logger("weighhouse_agent")
FINAL_CLAIM = frozenset({401, 403})
REFUSED_PAUSE_SECONDS = 5.0
"""Before a refused claim is tried again."""

Left = tuple[AttemptDirectory, AttemptOrder]


@dataclass
class SlotLoop:
    """The work of one slot. `work` runs in a thread of its own; others may `end` it.

    :param client: with the agent's token.
    :param left: attempts of this slot that are on disk, oldest first.
    :param serves: whether it claims work once what was left is done; a slot that the policy has no
        more does not.
    :param stop: ends the claiming.
    :param give_up: ends the waiting for the platform.
    """

    slot: str
    home: Home
    client: PlatformClient
    starter: Starter
    sessions: Sessions
    left: list[Left]
    serves: bool
    stop: threading.Event
    give_up: threading.Event
    on_update: Callable[[UUID], None] | None = None
    """Told of the update that waits for this agent."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _carrier: Carrier | None = None

    def work(self) -> None:
        """Do all of it, until it is stopped.

        :raises Refused: when the platform does not want this agent.
        :raises GaveUp: when it was stopped while it waited for the platform.
        """
        if self.left:
            self._introduce()
        for directory, order in self.left:
            self._carry(directory, order, fresh=False)
        if self.serves:
            self._serve()

    @property
    def carrier(self) -> Carrier | None:
        """The attempt under way; None when there is none."""
        with self._lock:
            return self._carrier

    def end(self) -> Carrier | None:
        """End the attempt under way; None when there is none."""
        carrier = self.carrier
        if carrier is not None:
            LOG.info("ending the attempt under way", slot=self.slot)
            carrier.stop("the agent was stopped while the run was under way", "start it again")
        return carrier

    def _introduce(self) -> None:
        """What is left can be delivered by its own tokens, so that this need not succeed.

        :raises Refused: when this home is the copy of one that is at work, which goes on with what
            is left here, too.
        """
        try:
            self.sessions.open_once()
        except PlatformAway as error:
            LOG.info("no session yet", reason=str(error))
        except Refused as error:
            if error.status == CONFLICT:
                raise
            LOG.info("no session", reason=str(error))

    def _serve(self) -> None:
        claims = Claims(self.home, self.client, self.slot, self.on_update)
        opened = self.sessions.open(0)
        while not self.stop.is_set():
            if not self._has_room():
                continue
            try:
                order = again(lambda: self._claim(claims), what="claim", stop=self.stop)
            except OSError as error:
                if not is_full(error):
                    raise
                # The claim stays, and is repeated when there is room for what it brings.
                LOG.warning("what was claimed could not be kept", reason=str(error))
                self.stop.wait(ROOM_SECONDS)
                continue
            except Refused as error:
                if error.status in FINAL_CLAIM:
                    raise
                LOG.warning("claim refused; opening the session again", reason=str(error))
                self.stop.wait(REFUSED_PAUSE_SECONDS)
                opened = self.sessions.open(opened)
                continue
            if order is not None:
                self._carry(self.home.attempt(order.attempt_id), order, fresh=True)

    def _has_room(self) -> bool:
        """Whether there is room for another run; else the platform is told, and a while is over."""
        trouble = Room(self.home).trouble()
        self.sessions.rest(trouble)
        if trouble is not None:
            self.stop.wait(ROOM_SECONDS)
        return trouble is None

    def _claim(self, claims: Claims) -> AttemptOrder | None:
        return claims.claim(self.sessions.process_id, self.sessions.timings.long_poll_seconds)

    def _carry(self, directory: AttemptDirectory, order: AttemptOrder, *, fresh: bool) -> None:
        carrier = Carrier(
            directory=directory,
            order=order,
            client=self.client.with_token(order.attempt_token),
            starter=self.starter,
            timings=self.sessions.timings,
            give_up=self.give_up,
            fresh=fresh,
        )
        with self._lock:
            if self.stop.is_set():
                return
            self._carrier = carrier
        try:
            carrier.carry()
        finally:
            with self._lock:
                self._carrier = None


def left_by_slot(home: Home) -> dict[str, list[Left]]:
    """Attempts that an earlier agent left, by their slot; one that cannot be read is set aside."""
    found: dict[str, list[Left]] = {}
    for directory in home.attempts():
        try:
            text = directory.order.read_text(encoding="utf-8")
            order = AttemptOrder.model_validate_json(text, context=AS_KEPT)
        except ValidationError as error:
            LOG.warning("an order cannot be read", path=str(directory.path), reason=str(error))
            set_aside(directory)
            continue
        found.setdefault(order.slot, []).append((directory, order))
    return found
