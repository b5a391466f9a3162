"""Orders: what a member of a gang is told to do. Pure."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.experiment import Experiment as Document
from weighhouse_protocol.load import Phase, Share
from weighhouse_protocol.order import AttemptOrder, GangMember, OrderLink
from weighhouse_protocol.phases import Phases

from weighhouse_backend.campaigns.documents import load_of
from weighhouse_backend.execution.load_shares import share_of_load, share_of_phase
from weighhouse_backend.execution.shared_data import Earlier, loads
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.runs.models import Attempt, AttemptMember, Cell, Run

TOKEN_PREFIX = "wht_"  # noqa: S105 - the readable part of a token


@dataclass(frozen=True)
class Work:
    """An attempt with all that its orders are made of."""

    document: Document
    cell: Cell
    run: Run
    attempt: Attempt
    members: Sequence[AttemptMember]
    """In order of their index."""
    earlier: Earlier | None = None
    """The latest attempt of the campaign that had begun on the same external system."""


def attempt_token(agent_token: str, attempt_id: UUID, claim_id: UUID | None) -> str:
    """The token of a member: follows from the agent's own, so that a repeated claim gets the same
    one although only its hash is kept (HMAC-SHA-256, RFC 2104).
    """
    message = f"{attempt_id}:{claim_id}".encode()
    digest = hmac.new(agent_token.encode(), message, hashlib.sha256).hexdigest()
    return TOKEN_PREFIX + digest


def planned_phases(phases: Phases, *, loaded: bool = True) -> tuple[Phase, ...]:
    """The driver's plan of a run, before it is shared out.

    :param loaded: whether records are to be loaded first.
    """
    plan = [Phase(kind="load", clients=phases.load_clients)] if loaded else []
    if phases.warmup_seconds > 0:
        plan.append(Phase(kind="warmup", duration_seconds=phases.warmup_seconds))
    plan.append(
        Phase(
            kind="measure",
            duration_seconds=phases.measure_seconds,
            operation_count=phases.measure_operations,
        )
    )
    return tuple(plan)


def order_of(work: Work, member: AttemptMember, token: str) -> AttemptOrder:
    """What one member is told: the run, its part of the load, and who the others are.

    :param token: bearer token of the member's calls.
    """
    document, cell, run, attempt = work.document, work.cell, work.run, work.attempt
    phases, drivers = _course(document, cell.workload_index), document.placement.drivers
    share = Share() if member.share is None else Share.model_validate(member.share)
    target, workload = document.targets[cell.target_index], document.workloads[cell.workload_index]
    loaded = loads(target, workload, work.earlier)
    return AttemptOrder(
        manifest_digest=cell.manifest_digest,
        attempt_id=attempt.id,
        run_id=run.id,
        campaign_id=run.campaign_id,
        fence=attempt.number,
        attempt_token=token,
        target=target,
        workload=workload,
        load=share_of_load(load_of(document, cell), share),
        phases=tuple(
            share_of_phase(phase, share) for phase in planned_phases(phases, loaded=loaded)
        ),
        interval_seconds=phases.interval_seconds,
        chain=chain_of(document, cell),
        seed=run.seed,
        written_before=work.earlier is not None,
        faults=document.faults,
        fill_until=None if document.sustained is None else document.sustained.until,
        threads=None if drivers.threads == "auto" else drivers.threads,
        slot=member.slot,
        member=member.index,
        gang=gang_of(work.members),
        sample_seconds=min(1.0, phases.interval_seconds),
        limit_seconds=attempt.limit_seconds,
    )


def chain_of(document: Document, cell: Cell) -> tuple[OrderLink, ...]:
    """What follows on the same system; empty where phases are not chained."""
    return tuple(
        OrderLink(
            workload=document.workloads[place],
            load=document.load_of(cell.target_index, place, cell.load_index),
            phases=planned_phases(_course(document, place))[1:],
        )
        for place in document.chain[1:]
    )


def _course(document: Document, workload: int) -> Phases:
    return document.phases.under(document.workloads[workload].name)


def gang_of(members: Sequence[AttemptMember]) -> tuple[GangMember, ...]:
    """All members, as they are told of each other; empty for an agent alone."""
    if len(members) == 1:
        return ()
    return tuple(
        read_of(
            GangMember,
            member,
            roles=tuple(member.roles),
            nodes=tuple(member.nodes),
            share=None if member.share is None else Share.model_validate(member.share),
        )
        for member in members
    )
