"""The tasks: each a few lines that call a service in one transaction; all may run twice."""

import datetime
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy.orm import Session
from weighhouse_backend.alerts.missed import MissedService
from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.campaigns.due_schedules import SchedulingService, start_due
from weighhouse_backend.execution.allocation import Allocator
from weighhouse_backend.execution.leases import LeaseService
from weighhouse_backend.gates.rejudgements import RejudgementService, carry_on
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.kit import owed, secret_rotation
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.seals import seal_of
from weighhouse_backend.kit.unit_of_work import Transactions, chosen_of
from weighhouse_backend.measurements.level_service import LevelService
from weighhouse_backend.membership.join_requests import JoiningService
from weighhouse_backend.notices.deliveries import DeliveryService
from weighhouse_backend.notices.recipients import SpreadingService
from weighhouse_backend.quotas.quota_warnings import QuotaWarningService
from weighhouse_backend.results.settlement import SettlementService
from weighhouse_backend.retention.enforcement import CarryingOutService, take_turn
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.sharing.notice_links import NoticeLinkService
from weighhouse_protocol.masks import masked

from weighhouse_worker import provisioner_tasks
from weighhouse_worker.owed_jobs import OwedTask, reason_of
from weighhouse_worker.tools import Tools

log = structlog.get_logger(__name__)


def allocate(tools: Tools) -> None:
    """Give queued runs to free agents."""
    with tools.transaction() as services:
        if services.get(CampaignRepository).any_queued_run():
            services.get(Allocator).allocate()


def watch_leases(tools: Tools) -> None:
    """End attempts nobody hears of, and those past their limit; one that cannot be looked at keeps
    no other waiting.
    """
    with tools.transaction() as services:
        suspects = services.get(LeaseService).watch()
    for attempt_id in suspects:
        try:
            EXPIRY.carry_out(tools, attempt_id)
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:  # noqa: BLE001 - each attempt by itself, whatever is wrong
            log.warning("attempt_not_looked_at", attempt=str(attempt_id), reason=reason_of(error))


def _expire(tools: Tools, attempt_id: UUID) -> None:
    with tools.transaction() as services:
        services.get(LeaseService).expire(attempt_id)


def _end_attempt(tools: Tools, attempt_id: UUID, reason: str) -> None:
    with tools.transaction() as services:
        services.get(LeaseService).give_up(attempt_id, reason)


EXPIRY = OwedTask("campaigns.expire", _expire, _end_attempt)


def sweep(tools: Tools) -> None:
    """Send again what was lost on the way."""
    with tools.transaction() as services:
        services.get(LeaseService).sweep()
        services.get(RejudgementService).sweep(tools.settings.sweep_seconds / 2)
        before = services.get(Clock).now() - datetime.timedelta(
            seconds=tools.settings.sweep_seconds
        )
        for job in owed.waiting(services.get(Session), DETECTION.name, before):
            services.get(Jobs).send(job.name, **job.arguments)
        services.get(CarryingOutService).send_open()


def start_due_schedules(tools: Tools) -> None:
    """Start the campaigns whose date has come."""
    start_due(chosen_of(tools.transaction, lambda services: services.get(SchedulingService)))


def settle_run(tools: Tools, run_id: str) -> None:
    """Merge what a run's attempt reported into its figures."""
    RUN_SETTLEMENT.carry_out(tools, UUID(run_id))


def _settle_run(tools: Tools, run_id: UUID) -> None:
    with tools.transaction() as services:
        services.get(SettlementService).settle_run(run_id)


def _fail_run(tools: Tools, run_id: UUID, reason: str) -> None:
    with tools.transaction() as services:
        services.get(SettlementService).give_up(run_id, reason)


RUN_SETTLEMENT = OwedTask("results.settle_run", _settle_run, _fail_run)


def build_levels(tools: Tools) -> None:
    """Build the levels of long runs from before there were any, one after the other."""
    left = True
    while left:
        with tools.transaction() as services:
            left = services.get(LevelService).build_wanted()


def advance_levels(tools: Tools, attempt_id: str, member: int) -> None:
    """Merge what a member of a long run under way reported, so that it is drawn soon."""
    left = True
    while left:
        with tools.transaction() as services:
            left = services.get(LevelService).advance(UUID(attempt_id), member)


def settle_campaign(tools: Tools, campaign_id: str) -> None:
    """Compare, decide the verdict, extend the series of a campaign that has ended."""
    CAMPAIGN_SETTLEMENT.carry_out(tools, UUID(campaign_id))


def _settle_campaign(tools: Tools, campaign_id: UUID) -> None:
    with tools.transaction() as services:
        services.get(CampaignSettlementService).settle_campaign(campaign_id)


def _end_campaign(tools: Tools, campaign_id: UUID, reason: str) -> None:
    with tools.transaction() as services:
        services.get(CampaignSettlementService).give_up(campaign_id, reason)


CAMPAIGN_SETTLEMENT = OwedTask("gates.settle_campaign", _settle_campaign, _end_campaign)


def detect_changes(tools: Tools, series_ids: list[str], campaign_id: str | None = None) -> None:
    """Look for change points in series that grew, or lost a point.

    :param campaign_id: whose points they are; None: sent by a platform of before.
    """
    if campaign_id is None:
        _detect(tools, series_ids)
    else:
        DETECTION.carry_out(tools, UUID(campaign_id))


def _detect(tools: Tools, series_ids: list[str]) -> None:
    with tools.transaction() as services:
        services.get(WatchService).detect([UUID(one) for one in series_ids])


def _detect_owed(tools: Tools, campaign_id: UUID) -> None:
    with tools.session() as session:
        job = session.get(owed.OwedJob, (DETECTION.name, campaign_id))
        series_ids = [] if job is None else job.arguments.get("series_ids", [])
    _detect(tools, series_ids)


def _leave_undetected(tools: Tools, campaign_id: UUID, reason: str) -> None:
    """The next point of the series is the next occasion."""
    del tools, campaign_id, reason


DETECTION = OwedTask("alerts.detect_changes", _detect_owed, _leave_undetected)


def look_for_missed(tools: Tools) -> None:
    """Raise and end alerts of what did not take place."""
    with tools.transaction() as services:
        services.get(MissedService).look()


def look_at_quotas(tools: Tools) -> None:
    """Tell of quotas that are nearly used up, and of those that are."""
    with tools.transaction() as services:
        services.get(QuotaWarningService).look()


def mail_invitation(tools: Tools, invitation_id: str) -> None:
    """Send an invitation."""
    with tools.letters() as letters:
        letters.mail_invitation(UUID(invitation_id))


def mail_domain(tools: Tools, domain_id: str) -> None:
    """Ask a domain's keepers whether it is an organization's."""
    with tools.letters() as letters:
        letters.mail_domain(UUID(domain_id))


def mail_reset(tools: Tools, reset_id: str) -> None:
    """Send a link to set a password anew."""
    with tools.letters() as letters:
        letters.mail_reset(UUID(reset_id))


def mail_factor(tools: Tools, letter_id: str) -> None:
    """Tell somebody what became of their second factor."""
    with tools.letters() as letters:
        letters.mail_factor(UUID(letter_id))


def answer_joining(tools: Tools, ask_id: str) -> None:
    """Invite somebody who asked to join, wherever their address lets them."""
    with tools.transaction() as services:
        services.get(JoiningService).answer(UUID(ask_id))


def mail_unsent(tools: Tools) -> None:
    """Try again to send what a server did not take, and do what was lost on the way; whatever goes
    wrong with one letter keeps no other back.
    """
    with tools.transaction() as services:
        asks = services.get(JoiningService).unanswered()
    with tools.letters() as letters:
        invitations, resets = letters.unsent()
        factors = letters.unsent_factor_letters()
        domains = letters.unsent_domains()
    sending = [
        *((mail_invitation, one) for one in invitations),
        *((mail_reset, one) for one in resets),
        *((mail_factor, one) for one in factors),
        *((mail_domain, one) for one in domains),
        *((answer_joining, one) for one in asks),
    ]
    for send, one in sending:
        try:
            send(tools, str(one))
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:  # noqa: BLE001 - each letter by itself, whatever is wrong with it
            log.warning("mail_refused", reason=_reason(error), letter=str(one))


def _reason(error: Exception) -> str:
    """What a server said; of anything else, whose words may hold the link, where it was."""
    if isinstance(error, OSError):
        return masked(repr(error))
    at = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {at.name}, line {at.lineno}"


def spread_notices(tools: Tools) -> None:
    """Work out who gets what happened, and have sent what is due."""
    with tools.transaction() as services:
        services.get(SpreadingService).spread()
    with tools.transaction() as services:
        for parcel_id in services.get(DeliveryService).pack():
            services.get(Jobs).send("notices.deliver", parcel_id=str(parcel_id))


def deliver_notices(tools: Tools, parcel_id: str) -> None:
    """Make one attempt to deliver; no transaction is open while others are waited for."""
    with tools.transaction() as services:
        parcel = services.get(DeliveryService).begin(UUID(parcel_id))
    if parcel is None:
        return
    with tools.transaction() as services:
        parcel = services.get(NoticeLinkService).linked(parcel)
    result = tools.sender.send(parcel)
    with tools.transaction() as services:
        services.get(DeliveryService).end(parcel.id, result)


def tidy_notices(tools: Tools) -> None:
    """Forget notices that are old, or of people who have left."""
    with tools.transaction() as services:
        services.get(SpreadingService).tidy()


def reseal(tools: Tools) -> None:
    """Seal anew what a former secret of the installation sealed, and say when nothing needs it."""
    with tools.session() as session:
        found = secret_rotation.reseal(session, seal_of(tools.settings))
    facts = {"sealed": found.present + found.anew, "anew": found.anew}
    if found.unreadable:
        log.error("sealed_with_unknown_secret", **facts, unreadable=found.unreadable)
    else:
        # A warning: what nothing needs should not be kept.
        log.warning("no_former_secret_is_needed", **facts)


def rejudge(tools: Tools, rejudgement_id: str) -> None:
    """Judge campaigns again that somebody wants judged again."""
    over = chosen_of(tools.transaction, lambda services: services.get(RejudgementService))
    carry_on(over, UUID(rejudgement_id))


def take_retention_turn(tools: Tools) -> None:
    """Remove what is older than projects keep it, and files that nothing has any more."""
    take_turn(_retention(tools))


def delete_campaign(tools: Tools, campaign_id: str) -> None:
    """Delete a campaign that somebody wanted deleted."""
    with _retention(tools)() as retention:
        retention.delete(UUID(campaign_id))


def _retention(tools: Tools) -> Transactions[CarryingOutService]:
    return chosen_of(tools.transaction, lambda services: services.get(CarryingOutService))


@dataclass(frozen=True)
class TaskPlan:
    """A task by its name in the queue."""

    work: Callable[..., None]
    limit_seconds: float = 120.0
    """It is interrupted after this long, and done again by the sweep."""


TASKS: Mapping[str, TaskPlan] = {
    "campaigns.allocate": TaskPlan(allocate, limit_seconds=60),
    "campaigns.watch_leases": TaskPlan(watch_leases, limit_seconds=60),
    "campaigns.sweep": TaskPlan(sweep, limit_seconds=60),
    "experiments.start_due_schedules": TaskPlan(start_due_schedules, limit_seconds=60),
    "results.settle_run": TaskPlan(settle_run, limit_seconds=600),
    "results.build_levels": TaskPlan(build_levels, limit_seconds=600),
    "results.advance_levels": TaskPlan(advance_levels, limit_seconds=600),
    "gates.settle_campaign": TaskPlan(settle_campaign, limit_seconds=600),
    "gates.rejudge": TaskPlan(rejudge, limit_seconds=600),
    "alerts.detect_changes": TaskPlan(detect_changes, limit_seconds=600),
    "identity.mail_invitation": TaskPlan(mail_invitation),
    "identity.answer_joining": TaskPlan(answer_joining),
    "identity.mail_domain": TaskPlan(mail_domain),
    "identity.mail_reset": TaskPlan(mail_reset),
    "identity.mail_unsent": TaskPlan(mail_unsent, limit_seconds=600),
    "alerts.look_for_missed": TaskPlan(look_for_missed, limit_seconds=60),
    "quotas.look": TaskPlan(look_at_quotas),
    "notices.spread": TaskPlan(spread_notices, limit_seconds=60),
    "notices.deliver": TaskPlan(deliver_notices, limit_seconds=30),
    "notices.tidy": TaskPlan(tidy_notices),
    "retention.take_turn": TaskPlan(take_retention_turn, limit_seconds=600),
    "retention.delete_campaign": TaskPlan(delete_campaign, limit_seconds=600),
    "provisions.make": TaskPlan(provisioner_tasks.make),
    "provisions.end": TaskPlan(provisioner_tasks.end),
    "provisions.sweep": TaskPlan(provisioner_tasks.sweep),
    "secrets.reseal": TaskPlan(reseal, limit_seconds=600),
}

FORMER_NAMES: Mapping[str, str] = {
    "analysis.settle_campaign": "gates.settle_campaign",
    "analysis.detect_changes": "alerts.detect_changes",
}
"""Names under which jobs were sent before, and are taken: some may wait while one updates."""


def arguments_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What may stand in a log of a task's arguments: identifiers."""
    return {name: str(value)[:200] for name, value in arguments.items()}
