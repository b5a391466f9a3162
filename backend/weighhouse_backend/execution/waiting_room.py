"""Where agents wait for work: a thousand of them, without the database and without a thread.

An agent that waits costs one future. The database is asked when somebody comes who may have
something to find, and when a wake-up says so. For an agent whom the last look told that there is
nothing, and about whom nothing was heard since on a subscription that never broke, the next
question is not looked up either: that is what makes idle long polls free. What a lost message
would have told is found by a round over all offers, every few seconds, in one statement; when an
agent was last seen is written for all of them in one statement too.
"""

import asyncio
import contextlib
import itertools
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

import structlog
from anyio import CapacityLimiter, to_thread
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from weighhouse_protocol.order import AttemptOrder, Claimed, ClaimRequest

from weighhouse_backend.campaigns.outbox import AGENT_CHANNELS
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.execution.offers import offered_agents
from weighhouse_backend.fleet.agent_signs import AgentSigns
from weighhouse_backend.fleet.errors import AgentRefused
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.fleet.sightings import Known, Sightings, as_known
from weighhouse_backend.identity.secrets import token_hash
from weighhouse_backend.kit.at_rest import resting
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.services import Services
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.subscriptions import Subscriptions
from weighhouse_backend.runs.repository import CampaignRepository

log = structlog.get_logger(__name__)

CONNECTIONS = 4
"""Database connections of all claims of a process; no ordinary request ever waits for them."""
ROUND_SECONDS = 5.0
"""How often all offers are looked through, for what a lost message would have told."""
ROUND_WITHOUT_REDIS_SECONDS = 1.0
SEEN_SECONDS = 30.0
"""How often it is written when agents were last seen, unless their lease is shorter."""
FORGOTTEN_SECONDS = 600.0
"""An agent that did not call for so long is not remembered by the process."""
MOST_POLLS = 64
"""Questions of one agent held open at a time; one more, and the oldest is answered."""

Result = TypeVar("Result")
Transaction = Callable[[], AbstractContextManager[Services]]
Place = tuple[str, UUID]
"""Of an agent: the slot that is free, and the process that asks."""


@dataclass
class _Guest:
    """What the process knows of an agent, between its calls too."""

    known: Known
    polls: dict[object, asyncio.Future[bool]] = field(default_factory=dict)
    """Open questions; told true to look, false to leave."""
    quiet: dict[Place, int] = field(default_factory=dict)
    """Place → the subscription's epoch in which a look found nothing; forgotten on a wake-up."""
    called_at: float = field(default_factory=time.monotonic)


class WaitingRoom:
    """Answers claims; one a process, used from its event loop."""

    def __init__(
        self,
        transaction: Transaction,
        subscriptions: Subscriptions,
        sightings: Sightings,
        signs: AgentSigns,
        settings: Settings,
    ) -> None:
        """:param transaction: over `CONNECTIONS` connections of the claims' own."""
        self._transaction = transaction
        self._subscriptions = subscriptions
        self._sightings = sightings
        self._signs = signs
        self._settings = settings
        self._threads = CapacityLimiter(CONNECTIONS)
        self._guests: dict[UUID, _Guest] = {}
        self._by_digest: dict[str, _Guest] = {}
        self._round_now = asyncio.Event()
        subscriptions.watch(AGENT_CHANNELS, self._heard, self._lost)

    @property
    def waiting(self) -> int:
        """Questions that are held open now."""
        return sum(len(guest.polls) for guest in self._guests.values())

    async def sign(self, token: str) -> float | None:
        """An agent says that it is there.

        :returns: how long until it is to say so again, s; None: as long as usual.
        :raises AgentRefused: when the token is unknown or revoked.
        """
        guest = await self._introduced(token)
        return self._signs.give(guest.known.agent_id)

    def organization_of(self, token: str) -> UUID | None:
        """Whose an agent is that has claimed with a token."""
        guest = self._by_digest.get(token_hash(token))
        return None if guest is None else guest.known.organization_id

    def waits(self, agent_id: UUID) -> bool:
        """Whether an agent's question is held open now."""
        guest = self._guests.get(agent_id)
        return guest is not None and bool(guest.polls)

    async def claim(
        self, token: str, wanted: ClaimRequest, gone: Callable[[], Awaitable[bool]]
    ) -> Claimed:
        """Work for an agent, as soon as there is some; empty when time is up.

        :param gone: whether the agent has hung up; whoever asks next takes what came up meanwhile.
        :raises AgentRefused: when the token is unknown or revoked.
        """
        guest = await self._introduced(token)
        self._signs.ask(guest.known.agent_id)
        deadline = time.monotonic() + min(wanted.wait_seconds, self._settings.long_poll_seconds)
        poll = object()
        try:
            for comes in itertools.chain([True], itertools.repeat(False)):
                woken = self._hold(guest, poll)  # whoever listens before it looks misses nothing
                order = await self._look_if_worth_it(guest, token, wanted, woken, comes=comes)
                left = deadline - time.monotonic()
                if order is not None or guest.known.update is not None or left <= 0:
                    break
                async with resting():
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(left):
                            await woken  # which is cancelled when time is up
                if woken.cancelled() or not woken.result() or await gone():
                    break
        finally:
            guest.polls.pop(poll, None)
            guest.called_at = time.monotonic()
            self._sightings.note(guest.known.agent_id)
        if order is not None:
            self._signs.ask(guest.known.agent_id)
        return Claimed(
            order=order,
            directives=("drain",) if guest.known.draining else (),
            update=guest.known.update if order is None else None,
        )

    async def run(self) -> None:
        """Make the rounds until cancelled."""
        seen_seconds = min(SEEN_SECONDS, self._settings.lease_seconds / 3)
        seen_at = time.monotonic()
        while True:
            connected = self._subscriptions.connected
            pause = ROUND_SECONDS if connected else ROUND_WITHOUT_REDIS_SECONDS
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(pause, seen_seconds)):
                    await self._round_now.wait()
            self._round_now.clear()
            try:
                if self._guests:
                    for agent_id in await self._in_thread(self._offered):
                        self._wake(agent_id)
                if time.monotonic() - seen_at >= seen_seconds:
                    seen_at = time.monotonic()
                    await self._write_sightings()
            except (SQLAlchemyError, OSError) as error:
                log.warning("round_failed", error=repr(error))

    # The database, in threads of the claims' own

    async def _in_thread(self, work: Callable[..., Result], *arguments: object) -> Result:
        return await to_thread.run_sync(work, *arguments, limiter=self._threads)

    def _know(self, token: str) -> Known:
        with self._transaction() as services:
            return services.get(FleetService).who(token)

    def _look(
        self, token: str, wanted: ClaimRequest, comes: bool
    ) -> tuple[Known, AttemptOrder | None]:
        with self._transaction() as services:
            fleet = services.get(FleetService)
            agent = fleet.authenticate(token)
            fleet.require_session(agent, wanted.process_id)
            if comes:
                fleet.takes_work(agent)
            order = services.get(AttemptService).claim(agent, wanted.claim_id, token, wanted.slot)
            if order is None and services.get(CampaignRepository).any_queued_run():
                services.get(Jobs).send("campaigns.allocate")
            return as_known(agent, fleet.clock.now()), order

    def _offered(self) -> Sequence[UUID]:
        with self._transaction() as services:
            return offered_agents(services.get(Session))

    def _note_seen(self) -> dict[UUID, Known]:
        seen = self._sightings.take()
        written: Collection[UUID] = ()
        try:
            with self._transaction() as services:
                found, written = services.get(FleetService).note_seen(seen)
        finally:
            self._sightings.give_back(seen, written)
        return {one.agent_id: one for one in found}

    async def _look_if_worth_it(
        self, guest: _Guest, token: str, wanted: ClaimRequest, woken: asyncio.Future[bool], *,
        comes: bool,
    ) -> AttemptOrder | None:  # fmt: skip
        place = (wanted.slot, wanted.process_id)
        epoch = self._subscriptions.epoch
        quiet = self._subscriptions.connected and guest.quiet.get(place) == epoch
        if quiet and not (comes and guest.known.resting):
            return None
        try:
            guest.known, order = await self._in_thread(self._look, token, wanted, comes)
        except AgentRefused:
            self._forget(guest)
            raise
        settled = order is None and guest.known.update is None
        if settled and not woken.done() and self._subscriptions.connected:
            guest.quiet[place] = epoch
        return order

    async def _write_sightings(self) -> None:
        waiting = [agent_id for agent_id, guest in self._guests.items() if guest.polls]
        self._sightings.note(*waiting)
        now = await self._in_thread(self._note_seen)
        late = time.monotonic() - FORGOTTEN_SECONDS
        for agent_id in waiting:
            guest, known_now = self._guests.get(agent_id), now.get(agent_id)
            if guest is None:
                continue
            if known_now is None or known_now.token_hash != guest.known.token_hash:
                self._wake(agent_id)  # it is told so by its next look
            else:
                guest.known = known_now
        for guest in list(self._guests.values()):
            if not guest.polls and guest.called_at < late:
                self._forget(guest)

    # Who is known

    async def _introduced(self, token: str) -> _Guest:
        digest = token_hash(token)
        guest = self._by_digest.get(digest)
        if guest is None:
            who = await self._in_thread(self._know, token)
            before = self._guests.get(who.agent_id)
            if before is not None and before.known.token_hash == digest:
                return before
            if before is not None:
                self._forget(before)
            guest = _Guest(who)
            self._guests[who.agent_id] = self._by_digest[digest] = guest
        return guest

    def _forget(self, guest: _Guest) -> None:
        """Know nothing of an agent; its open questions find out what is the matter."""
        self._by_digest.pop(guest.known.token_hash, None)
        if self._guests.get(guest.known.agent_id) is guest:
            del self._guests[guest.known.agent_id]
        guest.quiet.clear()
        for woken in guest.polls.values():
            _tell(woken, look=True)

    def _hold(self, guest: _Guest, poll: object) -> asyncio.Future[bool]:
        if poll not in guest.polls and len(guest.polls) >= MOST_POLLS:
            _tell(guest.polls.pop(next(iter(guest.polls))), look=False)
        woken = guest.polls[poll] = asyncio.get_running_loop().create_future()
        return woken

    # What is heard

    def _heard(self, name: str) -> None:
        try:
            self._wake(UUID(name))
        except ValueError:
            log.warning("not_an_agent", channel=name)

    def _wake(self, agent_id: UUID) -> None:
        guest = self._guests.get(agent_id)
        if guest is not None:
            guest.quiet.clear()
            for woken in guest.polls.values():
                _tell(woken, look=True)

    def _lost(self) -> None:
        self._round_now.set()


def _tell(woken: asyncio.Future[bool], *, look: bool) -> None:
    if not woken.done():
        woken.set_result(look)
