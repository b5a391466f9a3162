"""A campaign's events as they happen."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from fastapi.sse import ServerSentEvent
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from weighhouse_backend.campaigns.event_log import EventLog
from weighhouse_backend.campaigns.outbox import campaign_channel, run_event
from weighhouse_backend.campaigns.schemas import LogEvent, LoggedRead, RunEvent
from weighhouse_backend.campaigns.shared_reads import SharedReads
from weighhouse_backend.campaigns.views import CampaignViews
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.services import Services
from weighhouse_backend.kit.subscriptions import LOOK_SECONDS, Subscriptions
from weighhouse_backend.kit.tenancy import confine
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.runs.repository import CampaignRepository

BATCH = 500
LOGGED = 500
"""Events of runs from before a stream began that it tells at most."""
SAME_LOOK_SECONDS = 1.0
"""Who looks though nothing was heard may see what another saw so long ago."""
ASK_AGAIN_SECONDS = 60.0
"""How long a stream goes on before it asks again whether its reader may still see it."""


@dataclass(frozen=True)
class StoredEvent:
    """An event as it is sent."""

    id: int
    kind: str
    data: str
    """JSON."""


@dataclass(frozen=True)
class CampaignStream:
    """Reads the outbox from an event on, for ever; holds no database connection while it waits."""

    sessions: SessionFactory
    subscriptions: Subscriptions
    services: Callable[[Session], AbstractContextManager[Services]]
    """Those of a transaction."""
    may_see: Callable[[Session], bool]
    """Whether whoever reads may do so now; asked in a transaction that is not confined."""
    project_id: UUID
    """The campaign's; what is told is read in transactions that see nothing else."""
    reads: SharedReads[list[StoredEvent]]
    """Of all who watch: hundreds are told of an event by one look into the database."""

    async def events(
        self, campaign_id: UUID, last_event_id: int | None
    ) -> AsyncIterator[ServerSentEvent]:
        """Events of a campaign.

        :param last_event_id: go on after it, missing none. None: begin with how the campaign and
            all its runs stand now, and with what was told of runs before; then go on.
        :returns: stored events with rising ids; live samples, which are not kept, without one. It
            ends when access is gone: nothing is told after the minute in which that happened.
        """
        async with self.subscriptions.listening(campaign_channel(campaign_id)) as listener:
            asked_at = time.monotonic()
            if last_event_id is None:
                opening = await run_in_threadpool(self._snapshot, campaign_id)
            else:
                opening = await run_in_threadpool(self._after, campaign_id, last_event_id)
            last = last_event_id or 0
            for event in opening:
                last = event.id
                yield _sent(event)
            while True:
                left = asked_at + ASK_AGAIN_SECONDS - time.monotonic()
                message = await listener.wait(max(0.0, min(LOOK_SECONDS, left)))
                if time.monotonic() >= asked_at + ASK_AGAIN_SECONDS:
                    if not await run_in_threadpool(self._still_sees):
                        return
                    asked_at = time.monotonic()
                if message is not None and message.get("kind") == "live":
                    yield ServerSentEvent(event="live", raw_data=json.dumps(message.get("data")))
                    continue
                since = (
                    time.monotonic() - SAME_LOOK_SECONDS if message is None else listener.heard_at
                )
                full = True
                while full:
                    read = partial(self._after, campaign_id, last)
                    subject = (self.project_id, campaign_id)
                    events = await self.reads.of(subject, last, since, read)
                    for event in events:
                        last = event.id
                        yield _sent(event)
                    full = len(events) == BATCH
                await asyncio.sleep(0)

    def _still_sees(self) -> bool:
        # Not committed: a page that stays open is no use of a login that would lengthen it.
        with self.sessions() as session:
            return self.may_see(session)

    def _after(self, campaign_id: UUID, event_id: int) -> list[StoredEvent]:
        with unit_of_work(self.sessions) as session:
            confine(session, [self.project_id])
            found = EventLog(session).after(campaign_id, event_id, BATCH)
            return [StoredEvent(event.id, event.kind, json.dumps(event.data)) for event in found]

    def _snapshot(self, campaign_id: UUID) -> list[StoredEvent]:
        """How everything stands, under the id of the last event: read before the state, so that
        what happens in between is told again rather than not at all.
        """
        with unit_of_work(self.sessions) as session, self.services(session) as services:
            confine(session, [self.project_id])
            repository = services.get(CampaignRepository)
            log = EventLog(session)
            last = log.last_id(campaign_id)
            campaign = repository.campaign(campaign_id)
            if campaign is None:
                return []
            views = services.get(CampaignViews)
            summary = views.summaries([campaign])[0].model_dump(mode="json")
            runs = [run_event(run).model_dump(mode="json") for run in repository.runs(campaign_id)]
            logged = [
                LoggedRead(id=one.id, at=one.created_at, run=RunEvent.model_validate(one.data))
                for one in log.latest_of_runs(campaign_id, last, LOGGED)
            ]
            before = LogEvent(until=last, logged=logged).model_dump(mode="json")
            return [
                StoredEvent(last, kind, json.dumps(told))
                for kind, told in (
                    ("campaign", summary), *(("run", run) for run in runs), ("log", before),
                )
            ]  # fmt: skip


def _sent(event: StoredEvent) -> ServerSentEvent:
    return ServerSentEvent(id=str(event.id), event=event.kind, raw_data=event.data)
