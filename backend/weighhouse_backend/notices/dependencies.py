"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.notices.channels import ChannelService
from weighhouse_backend.notices.deliveries import DeliveryService
from weighhouse_backend.notices.personal import BellService, PreferenceService
from weighhouse_backend.notices.recipients import SpreadingService
from weighhouse_backend.notices.repository import NoticeRepository

SERVICES = provided(
    BellService,
    ChannelService,
    DeliveryService,
    NoticeRepository,
    PreferenceService,
    SpreadingService,
)

BellServiceDep = Annotated[BellService, wired(BellService)]
ChannelServiceDep = Annotated[ChannelService, wired(ChannelService)]
PreferenceServiceDep = Annotated[PreferenceService, wired(PreferenceService)]
