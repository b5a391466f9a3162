"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.campaigns.acceptance import StandingService
from weighhouse_backend.campaigns.ancestry import AncestryService
from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.campaigns.completeness import CompletenessService
from weighhouse_backend.campaigns.due_schedules import SchedulingService
from weighhouse_backend.campaigns.filters import CampaignSearch
from weighhouse_backend.campaigns.latest import LatestService
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.campaigns.outbox import Outbox
from weighhouse_backend.campaigns.publication import LeavingService
from weighhouse_backend.campaigns.run_service import RunService
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.campaigns.views import CampaignViews
from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.runs.repository import CampaignRepository

SERVICES = provided(
    AncestryService,
    CampaignSearch,
    CampaignService,
    CampaignViews,
    CommitService,
    CompletenessService,
    LatestService,
    LeavingService,
    LookService,
    Outbox,
    RunService,
    SchedulingService,
    StandingService,
    Transitions,
)

CampaignRepositoryDep = Annotated[CampaignRepository, wired(CampaignRepository)]
CampaignSearchDep = Annotated[CampaignSearch, wired(CampaignSearch)]
CampaignServiceDep = Annotated[CampaignService, wired(CampaignService)]
CampaignViewsDep = Annotated[CampaignViews, wired(CampaignViews)]
LeavingServiceDep = Annotated[LeavingService, wired(LeavingService)]
LookServiceDep = Annotated[LookService, wired(LookService)]
OutboxDep = Annotated[Outbox, wired(Outbox)]
RunServiceDep = Annotated[RunService, wired(RunService)]
StandingServiceDep = Annotated[StandingService, wired(StandingService)]
