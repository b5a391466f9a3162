"""Searches of campaigns."""

from uuid import UUID

from fastapi import APIRouter

from weighhouse_backend.campaigns.dependencies import CampaignServiceDep, LeavingServiceDep
from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.scenarios.dependencies import ScenarioServiceDep
from weighhouse_backend.scenarios.operating_point import End
from weighhouse_backend.scenarios.schemas import OperatingPointsRead, SearchesRead

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


@router.get("/campaigns/{campaign_id}/searches", tags=["campaigns"])
def scenarios_read_searches(
    campaign_id: UUID,
    caller: CallerDep,
    choosing: ScenarioServiceDep,
    campaigns: CampaignServiceDep,
    leaving: LeavingServiceDep,
    audience: AudienceDep = "internal",
) -> SearchesRead:
    """The load curves and operating points of a campaign whose loads are chosen while it is
    measured (`scenario: sweep`, `calibrate` or `peak`), with every step and its reason.
    """
    campaign = campaigns.find(caller, campaign_id)
    leaving.require(campaign, audience)
    return choosing.read(campaign)


@router.get("/campaigns/{campaign_id}/operating-points", tags=["campaigns"])
def scenarios_read_operating_points(
    campaign_id: UUID,
    caller: CallerDep,
    choosing: ScenarioServiceDep,
    campaigns: CampaignServiceDep,
    leaving: LeavingServiceDep,
    audience: AudienceDep = "internal",
    take: End = "value",
) -> OperatingPointsRead:
    """The experiment that measures what a calibration found: each target at its own operating
    point, as a file to run; and the searches that found none, with the reason.

    `take=low` takes the lower end of each point's 95 % interval, which stays inside the envelope
    almost surely.
    """
    campaign = campaigns.find(caller, campaign_id)
    leaving.require(campaign, audience)
    return choosing.operating_points(campaign, take)
