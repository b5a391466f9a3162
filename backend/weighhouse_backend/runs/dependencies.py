"""The feature's services in the graph, and for endpoints."""

from weighhouse_backend.kit.services import provided
from weighhouse_backend.runs.attempt_repository import GangRepository
from weighhouse_backend.runs.repository import CampaignRepository

SERVICES = provided(
    CampaignRepository,
    GangRepository,
)
