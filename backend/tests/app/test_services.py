"""The service graph: whole, each service once for a transaction, refused where one is missing."""

from dataclasses import dataclass

import pytest
from dishka.exceptions import GraphMissingFactoryError
from sqlalchemy.orm import Session
from weighhouse_backend.app.services import graph
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.gates.service import GateService
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.kit.services import graph_of, provided
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_testing.services import transaction_of


def test_a_service_is_made_once_for_a_transaction_and_anew_for_the_next(session_factory, settings):
    with transaction_of(session_factory, settings) as services:
        gate = services.get(GateService)
        assert services.get(CampaignSettlementService).gates is gate
        assert services.get(CampaignService).repository is services.get(CampaignRepository)
        assert services.get(CampaignRepository).session is services.get(Session)
    with transaction_of(session_factory, settings) as services:
        assert services.get(GateService) is not gate


@dataclass
class Wanted:
    """What nobody provides."""


@dataclass
class Wanting:
    """Wants it."""

    session: Session
    wanted: Wanted


def test_a_graph_in_which_something_is_missing_is_refused_by_name():
    assert graph_of(provided(Wanting, Wanted))
    with pytest.raises(GraphMissingFactoryError, match="Wanted"):
        graph_of(provided(Wanting))


def test_the_whole_application_is_one_graph():
    assert graph() is graph()
