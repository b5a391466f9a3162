"""The feature's services in the graph, and for endpoints."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends

from weighhouse_backend.campaigns.dependencies import (
    CampaignRepositoryDep,
    CampaignServiceDep,
    LeavingServiceDep,
    RunServiceDep,
)
from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.results.chain_parts import ChainSharing
from weighhouse_backend.results.distributions import DistributionService
from weighhouse_backend.results.expiry import ThinningService
from weighhouse_backend.results.figures import FigureService
from weighhouse_backend.results.footprints import FootprintService
from weighhouse_backend.results.gauge_service import GaugeReadService
from weighhouse_backend.results.ingestion import EventService
from weighhouse_backend.results.run_service import RunReadService
from weighhouse_backend.results.scenario_service import ScenarioReadService
from weighhouse_backend.results.settlement import SettlementService
from weighhouse_backend.runs.models import Run

SERVICES = provided(
    ChainSharing,
    DistributionService,
    EventService,
    FigureService,
    FootprintService,
    GaugeReadService,
    RunReadService,
    ScenarioReadService,
    SettlementService,
    ThinningService,
)

EventServiceDep = Annotated[EventService, wired(EventService)]
GaugeReadServiceDep = Annotated[GaugeReadService, wired(GaugeReadService)]
RunReadServiceDep = Annotated[RunReadService, wired(RunReadService)]
ScenarioReadServiceDep = Annotated[ScenarioReadService, wired(ScenarioReadService)]


def _visible_run(
    run_id: UUID,
    caller: CallerDep,
    runs: RunServiceDep,
    repository: CampaignRepositoryDep,
    campaigns: CampaignServiceDep,
    leaving: LeavingServiceDep,
    audience: AudienceDep = "internal",
) -> Run:
    run = runs.visible(caller, run_id)
    if audience != "internal":
        target = repository.cell(run.cell_id).target
        leaving.require(campaigns.get(run.campaign_id), audience, {target})
    return run


VisibleRunDep = Annotated[Run, Depends(_visible_run)]
"""The run of the path, if the caller may see it, and may take it along for whom they say."""
