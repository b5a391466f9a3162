"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from sqlalchemy.orm import Session

from weighhouse_backend.gates.aa_campaigns import LearningService
from weighhouse_backend.gates.bases import BaseService
from weighhouse_backend.gates.confirmation import ConfirmingService
from weighhouse_backend.gates.growth import GrowthService
from weighhouse_backend.gates.rejudgement_repository import RejudgementRepository
from weighhouse_backend.gates.rejudgement_service import RejudgingService
from weighhouse_backend.gates.rejudgements import RejudgementService
from weighhouse_backend.gates.repository import GateRepository
from weighhouse_backend.gates.service import GateService
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.gates.track_record import TrackRecordService
from weighhouse_backend.gates.verdicts import VerdictService
from weighhouse_backend.kit.services import provided, wired


def _repository(session: Session) -> GateRepository:
    return GateRepository(session)


SERVICES = provided(
    BaseService,
    CampaignSettlementService,
    ConfirmingService,
    GateService,
    GrowthService,
    LearningService,
    RejudgementRepository,
    RejudgementService,
    RejudgingService,
    TrackRecordService,
    VerdictService,
    by=(_repository,),
)

GateServiceDep = Annotated[GateService, wired(GateService)]
RejudgementServiceDep = Annotated[RejudgementService, wired(RejudgementService)]
TrackRecordServiceDep = Annotated[TrackRecordService, wired(TrackRecordService)]
