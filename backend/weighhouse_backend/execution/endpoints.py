"""Claims, barriers and attempts for agents."""

# ruff: noqa: FAST003 - a dependency behind a name takes the path's parameter

import datetime
import time
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from weighhouse_protocol.order import Arrival, BarrierState, Claimed, ClaimRequest
from weighhouse_protocol.report import (
    AttemptStarted,
    AttemptState,
    Completion,
    CompletionAnswer,
    Heartbeat,
    HeartbeatAnswer,
    SignTaken,
)

from weighhouse_backend.campaigns.outbox import gang_channel
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.execution.dependencies import (
    AttemptServiceDep,
    MemberDep,
    sending_member,
)
from weighhouse_backend.execution.rendezvous import RendezvousService
from weighhouse_backend.execution.waiting_room import WaitingRoom
from weighhouse_backend.fleet.dependencies import bearer, known_version
from weighhouse_backend.kit.bodies import MEBIBYTE, BoundedRoute, takes
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.rates import of_tenant
from weighhouse_backend.kit.services import services_of
from weighhouse_backend.kit.tenancy import confine
from weighhouse_backend.kit.unit_of_work import unit_of_work

router = APIRouter(route_class=BoundedRoute, prefix="/agent/v1", tags=["agent protocol"])


async def _received() -> datetime.datetime:
    # Before anything is asked of the database: an agent learns from it how far its clock is off.
    return SystemClock().now()


ReceivedDep = Annotated[datetime.datetime, Depends(_received)]


@router.post("/claims", dependencies=[Depends(known_version)])
async def campaigns_claim(request: Request, body: ClaimRequest) -> Claimed:
    """Ask for work; the question is held open until there is some, or time is up.

    Holds no database connection while it waits. Repeating it with the same claim_id repeats the
    answer.
    """
    room: WaitingRoom = request.app.state.waiting_room
    token = bearer(request)
    claimed = await room.claim(token, body, request.is_disconnected)
    of_tenant(request, room.organization_of(token))
    return claimed


@router.post("/signs")
async def campaigns_give_sign(request: Request) -> SignTaken:
    """Say that one is there, while one carries something out; costs the database nothing. Where
    many say so, the answer tells how long until the next time.
    """
    room: WaitingRoom = request.app.state.waiting_room
    token = bearer(request)
    pause = await room.sign(token)
    of_tenant(request, room.organization_of(token))
    return SignTaken(pause_seconds=pause)


@router.post("/attempts/{attempt_id}/barriers/{name}")
@takes(MEBIBYTE, sending_member)
async def campaigns_arrive(
    request: Request,
    attempt_id: UUID,
    name: str,
    body: Arrival,
    token: Annotated[str, Depends(bearer)],
) -> BarrierState:
    """Be at a barrier; the question is held open until all members are there, or time is up.

    Holds no database connection while it waits. Repeatable: the first arrival's payload stays.
    """
    state, received_at = request.app.state, SystemClock().now()
    deadline = time.monotonic() + min(body.wait_seconds, state.settings.long_poll_seconds)
    async with state.subscriptions.listening(gang_channel(attempt_id)) as listener:
        while True:
            found = await run_in_threadpool(
                _arrive, request, token, attempt_id, name, body, received_at
            )
            left = deadline - time.monotonic()
            if found.released or found.cancel != "none" or left <= 0:
                return found
            await listener.wait(left)
            if await request.is_disconnected():
                return found  # the agent asks again


def _arrive(
    request: Request,
    token: str,
    attempt_id: UUID,
    name: str,
    arrival: Arrival,
    received_at: datetime.datetime,
) -> BarrierState:
    sessions = request.app.state.session_factory
    with unit_of_work(sessions) as session, services_of(request.app, session) as services:
        member = services.get(AttemptService).authenticate(attempt_id, token)
        confine(session, [member.project_id])
        rendezvous = services.get(RendezvousService)
        return rendezvous.arrive(attempt_id, name, arrival, member.index, received_at)


@router.get("/attempts/{attempt_id}")
def campaigns_get_attempt(member: MemberDep, attempts: AttemptServiceDep) -> AttemptState:
    """What the server has of an attempt, to go on after a restart."""
    return attempts.state(member.attempt_id, member.index)


@router.post("/attempts/{attempt_id}/start", status_code=204)
def campaigns_start_attempt(
    body: AttemptStarted, member: MemberDep, attempts: AttemptServiceDep
) -> None:
    """Begin; refused when the attempt is not this agent's any more."""
    attempts.start(member.attempt_id, body.fence, member.index)


@router.post("/attempts/{attempt_id}/heartbeat")
def campaigns_beat_attempt(
    received_at: ReceivedDep, body: Heartbeat, member: MemberDep, attempts: AttemptServiceDep
) -> HeartbeatAnswer:
    """Still at it; the answer may ask to stop."""
    return attempts.heartbeat(member.attempt_id, body, member.index, received_at)


@router.post("/attempts/{attempt_id}/complete")
@takes(MEBIBYTE, sending_member)
def campaigns_complete_attempt(
    body: Completion, member: MemberDep, attempts: AttemptServiceDep
) -> CompletionAnswer:
    """Done; may be repeated. Refused (409) while events are missing."""
    return attempts.complete(member.attempt_id, body, member.index)
