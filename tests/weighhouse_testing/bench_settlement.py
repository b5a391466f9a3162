"""What settling a large campaign costs: `make bench-settlement`.

A PostgreSQL of its own, into which the platform's services invent one campaign of eight sides at
six levels of two workloads. Once it is over, what its settlement wrote is taken away, and it is
settled anew in a transaction of its own: told are the seconds, those of this process's processor,
and the questions to the database; then the same again, its points written over those that are
there. The last line is JSON. Goal: ten thousand runs, the most that a campaign has, in a minute;
of fewer the same share.
"""

import argparse
import json
import time
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select, update
from weighhouse_backend.findings.models import Finding
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.runs.models import Campaign, Run
from weighhouse_backend.runs.states import CampaignStatus
from weighhouse_backend.series.models import SeriesPoint
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_worker.seeding.plan import LEVELS, SIDES, Sown
from weighhouse_worker.seeding.seed_writer import carry_out, enrolled
from weighhouse_worker.tools import Tools

from weighhouse_testing.bench_life import platform
from weighhouse_testing.services import transaction_of
from weighhouse_testing.statements import statements
from weighhouse_testing.tree import REPOSITORY

WORKLOADS = ("balanced", "read-heavy")
CELLS = len(SIDES) * len(LEVELS) * len(WORKLOADS)
GOAL_SECONDS, GOAL_RUNS = 60, 10_000


def sow(tools: Tools, repetitions: int) -> UUID:
    """Invent a campaign and settle it; its id."""
    at = SystemClock().now()
    paths = sorted(REPOSITORY.glob("plugins/*/*/plugin.toml"))
    sown = Sown(
        "bench-settlement", "Many runs", tuple(SIDES), LEVELS, workloads=WORKLOADS,
        repetitions=repetitions, seconds=2,
    )  # fmt: skip
    manifests = [packaged_manifest(path.parent.name) for path in paths]
    machines = enrolled(tools, manifests, [sown.machine(0)], at)
    return carry_out(tools, machines, sown, 0, at)


def unsettle(sessions: SessionFactory, campaign_id: UUID, *, keep_points: bool = False) -> None:
    """Take away what was written of a campaign when it was settled."""
    with unit_of_work(sessions) as session:
        if not keep_points:
            session.execute(delete(SeriesPoint).where(SeriesPoint.campaign_id == campaign_id))
        session.execute(delete(Finding).where(Finding.campaign_id == campaign_id))
        session.execute(
            update(Campaign)
            .where(Campaign.id == campaign_id)
            .values(status=CampaignStatus.SETTLING)
        )


def settled(sessions: SessionFactory, settings: Settings, campaign_id: UUID) -> dict[str, Any]:
    """Settle a campaign, in a transaction of its own."""
    begun, worked = time.monotonic(), time.process_time()
    with statements() as asked, transaction_of(sessions, settings) as services:
        services.get(CampaignSettlementService).settle_campaign(campaign_id)
    return {
        "seconds": round(time.monotonic() - begun, 1),
        "cpu_seconds": round(time.process_time() - worked, 1),
        "questions": len(asked),
    }


def main() -> int:
    """Invent, settle, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10 * CELLS, help="at least")
    options = parser.parse_args()
    with platform() as tools:
        campaign_id = sow(tools, -(-options.runs // CELLS))
        with unit_of_work(tools.sessions) as session:
            of_it = select(func.count()).where(Run.campaign_id == campaign_id)
            runs = session.scalars(of_it).one()
        found: dict[str, Any] = {"runs": runs, "cells": CELLS}
        for name, keep in (("new", False), ("over", True)):
            unsettle(tools.sessions, campaign_id, keep_points=keep)
            found[name] = settled(tools.sessions, tools.settings, campaign_id)
            print(f"{name}: {found[name]}", flush=True)
    allowed = GOAL_SECONDS * runs / GOAL_RUNS
    found["goal_seconds"] = allowed
    print(json.dumps(found))
    return 0 if found["new"]["seconds"] <= allowed else 1


if __name__ == "__main__":
    raise SystemExit(main())
