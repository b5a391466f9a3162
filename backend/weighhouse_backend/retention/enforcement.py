"""Carries rules and deletions out: the worker's part.

Every attempt, campaign and file has a transaction of its own, and all may be done twice: who is
killed in the middle leaves the rest to the next turn.
"""

import datetime
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

import structlog
from sqlalchemy import Select
from sqlalchemy.exc import OperationalError
from weighhouse_protocol.text import numbered

from weighhouse_backend.alerts.detection import owe_detection
from weighhouse_backend.identity import audit
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.unit_of_work import Transactions
from weighhouse_backend.results.expiry import Removable, ThinningService
from weighhouse_backend.retention.holds import HoldingService
from weighhouse_backend.retention.repository import RetentionRepository
from weighhouse_backend.retention.service import DELETE, TURN
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.series.history import HistoryService

log = structlog.get_logger(__name__)

KINDS: tuple[Removable, ...] = ("intervals", "logs", "artifacts")
AT_ONCE = 200
"""Attempts or files that are looked up at a time."""
EVENTS_AT_ONCE = 20_000
TURN_SECONDS = 60.0
"""A job carries out for about so long; the next goes on."""


@dataclass(frozen=True)
class CarryingOutService:
    """One step each, in the transaction it is given."""

    repository: RetentionRepository
    holding: HoldingService
    thinning: ThinningService
    history: HistoryService
    jobs: Jobs
    clock: Clock

    def due(self, project_id: UUID, what: Removable) -> list[UUID]:
        """Attempts of a project of which something is older than it is kept; some of them."""
        old = self._old(project_id, f"{what}_days")
        return [] if old is None else list(self.thinning.left(what, old, AT_ONCE))

    def remove_events(self, project_id: UUID) -> int:
        """Remove some events that are older than they are kept; how many."""
        old = self._old(project_id, "events_days")
        return 0 if old is None else self.repository.remove_events(old, EVENTS_AT_ONCE)

    def _old(self, project_id: UUID, rule: str) -> Select[UUID] | None:
        """Campaigns that are older than a rule says; None where it says nothing."""
        rules = self.repository.rules(project_id)
        days = None if rules is None else getattr(rules, rule)
        if days is None:
            return None
        before = self.clock.now() - datetime.timedelta(days=days)
        return self.repository.ended_before(
            project_id, before, self.holding.passed_over(project_id)
        )

    def send_open(self) -> None:
        """Send again the deletions that were asked for and not carried out."""
        for campaign_id in self.repository.open_deletions():
            self.jobs.send(DELETE, campaign_id=str(campaign_id))

    def delete(self, campaign_id: UUID) -> None:
        """Delete a campaign with all it measured, unless something came to rest on it meanwhile.

        Its series are looked at again without it. Idempotent.
        """
        asked = self.repository.deletion(campaign_id)
        if asked is None or asked.deleted_at is not None or asked.refused_because is not None:
            return
        session = self.repository.session
        campaign = session.get(Campaign, campaign_id, with_for_update=True)
        if campaign is not None:
            if held := self.holding.held(campaign):
                asked.refused_because = "; ".join(held)
                return
            self.thinning.give_up_files(self.repository.attempts(campaign_id))
            touched = self.history.leave(campaign_id)
            session.delete(campaign)
            session.flush()
            owe_detection(session, self.jobs, self.clock.now(), campaign_id, touched)
        asked.deleted_at = self.clock.now()
        audit.record(
            session, self.clock, actor=asked.deleted_by, action="campaign.deleted",
            subject=f"campaign {numbered(asked.number)}", project_id=asked.project_id,
            campaign_id=str(campaign_id), because=asked.because,
        )  # fmt: skip
        self.jobs.send(TURN)


def take_turn(transaction: Transactions[CarryingOutService], seconds: float = TURN_SECONDS) -> None:
    """Carry out what is due until nothing is left or time is up; then another job goes on. What
    cannot be removed keeps nothing else from its turn.

    :param transaction: begins one.
    """
    end = time.monotonic() + seconds
    removed = dict.fromkeys([*KINDS, "events", "files"], 0)
    for kind, step in _steps(transaction):
        try:
            removed[kind] += step()
        except OperationalError:
            raise  # the database, not what is removed: the next turn tries again
        except Exception:
            log.exception("retention_step_failed", kind=kind)
        if time.monotonic() >= end:
            with transaction() as service:
                service.jobs.send(TURN)
            break
    if any(removed.values()):
        log.info("retention_carried_out", **removed)


def _steps(
    transaction: Transactions[CarryingOutService],
) -> Iterator[tuple[str, Callable[[], int]]]:
    with transaction() as service:
        projects = service.repository.projects()
    for project_id in projects:
        for what in KINDS:
            yield from _thinning(transaction, project_id, what)
        yield from _events(transaction, project_id)
    yield from _files(transaction)


def _thinning(
    transaction: Transactions[CarryingOutService], project_id: UUID, what: Removable
) -> Iterator[tuple[str, Callable[[], int]]]:
    tried: set[UUID] = set()
    while True:
        with transaction() as service:
            due = service.due(project_id, what)
        fresh = [one for one in due if one not in tried]
        if not fresh:
            return
        # What is still due when it was tried is left to the next turn.
        tried.update(fresh)
        for attempt_id in fresh:

            def thin(attempt_id: UUID = attempt_id) -> int:
                with transaction() as service:
                    service.thinning.thin(what, attempt_id)
                return 1

            yield what, thin


def _events(
    transaction: Transactions[CarryingOutService], project_id: UUID
) -> Iterator[tuple[str, Callable[[], int]]]:
    gone = EVENTS_AT_ONCE

    def remove() -> int:
        nonlocal gone
        gone = 0  # what fails is left to the next turn
        with transaction() as service:
            gone = service.remove_events(project_id)
        return gone

    while gone == EVENTS_AT_ONCE:
        yield "events", remove


def _files(
    transaction: Transactions[CarryingOutService],
) -> Iterator[tuple[str, Callable[[], int]]]:
    tried: set[tuple[UUID, str]] = set()
    while True:
        with transaction() as service:
            found = service.thinning.unneeded(AT_ONCE)
        fresh = [one for one in found if one not in tried]
        if not fresh:
            return
        tried.update(fresh)
        for content in fresh:

            def remove(content: tuple[UUID, str] = content) -> int:
                with transaction() as service:
                    service.thinning.remove_file(*content)
                return 1

            yield "files", remove
