"""From a plan to rows of cells and runs."""

import datetime
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import insert
from sqlalchemy.orm import Session
from weighhouse_protocol.experiment import Experiment as Document

from weighhouse_backend.campaigns.plan import Plan, PlannedCell, PlannedRun
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.runs.models import Campaign, Cell, Run


def lay_out(
    session: Session,
    campaign: Campaign,
    document: Document,
    planned: Plan,
    digests: Mapping[str, str],
) -> None:
    """Store a campaign's cells and first runs.

    :param digests: system → digest of the manifest it is planned with.
    """
    ids = put_cells(session, campaign, document, planned.cells, digests)
    put_runs(session, campaign, planned.runs, ids, campaign.created_at)


def put_cells(
    session: Session,
    campaign: Campaign,
    document: Document,
    cells: Collection[PlannedCell],
    digests: Mapping[str, str],
) -> dict[PlannedCell, UUID]:
    """Store cells of a campaign.

    :param document: the campaign's, with its chosen levels.
    :returns: their ids.
    """
    rows = [_cell_row(campaign, document, cell, digests) for cell in cells]
    session.execute(insert(Cell), rows)
    return {cell: row["id"] for cell, row in zip(cells, rows, strict=True)}


def put_runs(
    session: Session,
    campaign: Campaign,
    runs: Iterable[PlannedRun],
    cells: Mapping[PlannedCell, UUID],
    at: datetime.datetime,
) -> list[UUID]:
    """Store planned runs of stored cells, queued.

    :returns: their ids, in the given order.
    """
    ids: dict[int, UUID] = {}
    rows: list[dict[str, Any]] = [
        {
            "id": ids.setdefault(run.position, new_id()),
            "leader_id": None if run.leader is None else ids[run.leader],
            "project_id": campaign.project_id,
            "campaign_id": campaign.id,
            "cell_id": cells[run.cell],
            "repetition": run.repetition,
            "twin": run.twin,
            "position": run.position,
            "block": run.block,
            "seed": run.seed,
            "estimated_seconds": run.estimated_seconds,
            "created_at": at,
            "changed_at": at,
        }
        for run in runs
    ]
    session.execute(insert(Run), rows)
    return [row["id"] for row in rows]


def _cell_row(
    campaign: Campaign, document: Document, cell: PlannedCell, digests: Mapping[str, str]
) -> dict[str, Any]:
    target = document.targets[cell.target_index]
    load = document.load_of(cell.target_index, cell.workload_index, cell.load_index)
    return {
        "id": new_id(),
        "project_id": campaign.project_id,
        "campaign_id": campaign.id,
        "target_index": cell.target_index,
        "workload_index": cell.workload_index,
        "load_index": cell.load_index,
        "target": target.name,
        "system_id": target.system,
        "beside": any(one["name"] == target.name for one in campaign.beside),
        "manifest_digest": digests.get(target.system),
        "workload": document.workloads[cell.workload_index].name,
        "load_kind": load.model,
        "load_value": load.value,
        "load_label": document.load_levels[cell.load_index].label,
    }
