"""Searches of campaigns."""

from uuid import UUID

from fastapi import APIRouter

from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.scenarios.dependencies import ScenariosDep
from weighhouse_backend.scenarios.schemas import SearchesRead

router = APIRouter(prefix="/api/v1")


@router.get("/campaigns/{campaign_id}/searches", tags=["campaigns"])
def scenarios_read_searches(
    campaign_id: UUID,
    caller: CallerDep,
    scenarios: ScenariosDep,
    audience: AudienceDep = "internal",
) -> SearchesRead:
    """The load curves and operating points of a campaign whose loads are chosen while it is
    measured (`scenario: sweep`, `calibrate` or `peak`), with every step and its reason.
    """
    campaigns = scenarios.results.campaigns
    campaign = campaigns.campaigns.find(caller, campaign_id)
    campaigns.leaving.require(campaign, audience)
    return scenarios.choosing.read(campaign)
