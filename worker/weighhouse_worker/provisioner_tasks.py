"""Has the provisioner make machines and end them. Whoever waits for it keeps no other task waiting:
it is asked in threads of its own.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from uuid import UUID

import structlog
from sqlalchemy.orm import Session
from weighhouse_backend.campaigns.outbox import Outbox
from weighhouse_backend.campaigns.run_service import RunService
from weighhouse_backend.kit import owed
from weighhouse_backend.kit.services import Services
from weighhouse_backend.provisions.hook import Hook, ProvisionerFailed
from weighhouse_backend.provisions.service import MAKING, ProvisionService
from weighhouse_backend.runs.models import Campaign
from weighhouse_protocol.provisioner import Action, Existing, Offered, Request
from weighhouse_protocol.report import Failure

from weighhouse_worker.owed_jobs import reason_of
from weighhouse_worker.tools import Tools

log = structlog.get_logger(__name__)

AT_A_TIME = 2
"""That one process asks for; the others wait their turn, and are sent for again."""
HANDS = ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="provisioner")
SWEEPER = ThreadPoolExecutor(1, thread_name_prefix="provisioner-sweep")
"""One of its own: machines whose time is over are ended while others are made."""
_asked_for: dict[tuple[str, str], Future[None]] = {}
"""What this process has under way or waiting: asked for again, it is not done twice."""
GONE = "the machines that were made for this campaign are gone"
HINT = "have the failed runs tried again: machines are made anew"


def make(tools: Tools, provision_id: str) -> None:
    """Have the machines of a campaign made; returns before they are."""
    _have(
        tools, HANDS, "make", provision_id, lambda hook: make_now(tools, hook, UUID(provision_id))
    )


def make_now(tools: Tools, hook: Hook, provision_id: UUID) -> None:
    """The same, until they are made. Should this process end meanwhile, the sweep sees that nobody
    is at it any more, and ends what there is.
    """
    with tools.session() as guard:
        if not owed.alone(guard, MAKING, provision_id):
            return
        with tools.transaction() as services:
            request = services.get(ProvisionService).begin(provision_id)
        if request is None:
            return
        try:
            hook.tell(request)
        except ProvisionerFailed as error:
            log.warning("not_provisioned", provision=str(provision_id), reason=str(error))
            with tools.transaction() as services:
                _tell(services, services.get(ProvisionService).failed(provision_id, str(error)))
            return
        with tools.transaction() as services:
            _tell(services, services.get(ProvisionService).made(provision_id))


def _tell(services: Services, campaign_id: UUID | None) -> None:
    """Tell whoever looks at a campaign what it waits for now."""
    campaign = None if campaign_id is None else services.get(Session).get(Campaign, campaign_id)
    if campaign is not None:
        services.get(Outbox).campaign(campaign)


def end(tools: Tools, provision_id: str) -> None:
    """Have machines ended; returns before they are."""
    _have(tools, HANDS, "end", provision_id, lambda hook: end_now(tools, hook, UUID(provision_id)))


def end_now(tools: Tools, hook: Hook, provision_id: UUID) -> None:
    """The same, until they are gone. What cannot be ended is tried again by the next sweep."""
    try:
        hook.tell(asked(tools, "end", provision_id))
    except ProvisionerFailed as error:
        log.warning("not_ended", provision=str(provision_id), reason=str(error))
        with tools.transaction() as services:
            services.get(ProvisionService).not_ended(provision_id, str(error))
        return
    with tools.transaction() as services:
        services.get(ProvisionService).ended(provision_id)


def sweep(tools: Tools) -> None:
    """End what is due, and what nobody knows of; ask what can be made."""
    _have(tools, SWEEPER, "sweep", "", lambda hook: sweep_now(tools, hook))


def sweep_now(tools: Tools, hook: Hook) -> None:
    """The same, until it is done."""
    with tools.transaction() as services:
        due = services.get(ProvisionService).due()
    for provision_id in due:
        end_now(tools, hook, provision_id)
    _end_unknown(tools, hook)
    _describe(tools, hook)
    with tools.transaction() as services:
        stranded = services.get(ProvisionService).stranded()
    for campaign_id, reason in stranded.items():
        failure = Failure(kind="infrastructure", message=f"{GONE}: {reason}", hint=HINT)
        with tools.transaction() as services:
            services.get(RunService).fail_waiting(campaign_id, failure)


def _end_unknown(tools: Tools, hook: Hook) -> None:
    try:
        there = hook.ask(asked(tools, "list"), Existing)
    except ProvisionerFailed as error:
        log.warning("provisioner_lists_nothing", reason=str(error))
        return
    with tools.transaction() as services:
        unknown = services.get(ProvisionService).unknown(there.provisions)
    for provision_id in unknown:
        log.warning("unknown_machines_ended", provision=str(provision_id))
        end_now(tools, hook, provision_id)


def _describe(tools: Tools, hook: Hook) -> None:
    try:
        offered = hook.ask(asked(tools, "describe"), Offered)
    except ProvisionerFailed as error:
        with tools.transaction() as services:
            services.get(ProvisionService).tell(None, str(error))
        return
    with tools.transaction() as services:
        services.get(ProvisionService).tell(offered.kinds, None)


def _have(
    tools: Tools, hands: ThreadPoolExecutor, what: str, of: str, work: Callable[[Hook], None]
) -> None:
    """Have something done in a thread, unless it is under way; what goes wrong is logged, and done
    again by the sweep.
    """
    if tools.settings.provisioner is None:
        return
    hook, before = Hook(tools.settings.provisioner), _asked_for.get((what, of))
    if before is not None and not before.done():
        return

    def done() -> None:
        try:
            work(hook)
        except Exception as error:  # noqa: BLE001 - nobody else hears of a thread's error
            log.warning("provisioner_task_failed", task=what, provision=of, reason=reason_of(error))

    for key in [key for key, one in _asked_for.items() if one.done()]:
        del _asked_for[key]
    _asked_for[what, of] = hands.submit(done)


def asked(tools: Tools, action: Action, provision_id: UUID | None = None) -> Request:
    """A request of this platform."""
    return Request(action=action, provision=provision_id, platform=tools.settings.public_url)
