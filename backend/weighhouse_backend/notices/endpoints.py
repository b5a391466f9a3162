"""The bell, one's own settings, and a project's channels."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter

from weighhouse_backend.identity.access import CallerDep, PersonDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.pages import Page, PageDep
from weighhouse_backend.kit.problems import ProblemDocument
from weighhouse_backend.notices.dependencies import (
    BellServiceDep,
    ChannelServiceDep,
    PreferenceServiceDep,
)
from weighhouse_backend.notices.schemas import (
    ChannelCreate,
    ChannelMade,
    ChannelRead,
    ChannelUpdate,
    DeliveryRead,
    NoticeCount,
    NoticeRead,
    NoticesSeen,
    PreferencesRead,
    PreferencesWrite,
    SigningSecret,
)

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1/notices", tags=["notices"])
REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": ProblemDocument} for code in (403, 404, 409, 422)
}


@router.get("")
def notices_list(
    caller: CallerDep, bell: BellServiceDep, page: PageDep, unread: bool = False
) -> Page[NoticeRead]:
    """What is under one's bell, newest first."""
    return bell.listed(caller, page, unread=unread)


@router.get("/count")
def notices_count(caller: CallerDep, bell: BellServiceDep) -> NoticeCount:
    """How much under one's bell was not read."""
    return NoticeCount(unread_count=bell.unread_count(caller))


@router.post("/read", status_code=204)
def notices_mark_read(body: NoticesSeen, caller: CallerDep, bell: BellServiceDep) -> None:
    """Mark notices as read; without ids all."""
    bell.read(caller, body.ids)


@router.get("/settings")
def notices_read_settings(caller: PersonDep, preferences: PreferenceServiceDep) -> PreferencesRead:
    """What one wants to hear of, how and when."""
    return preferences.read(caller)


@router.put("/settings", responses={422: {"model": ProblemDocument}})
def notices_save_settings(
    body: PreferencesWrite, caller: PersonDep, preferences: PreferenceServiceDep
) -> PreferencesRead:
    """Say what one wants to hear of, how and when; for notices from now on."""
    return preferences.save(caller, body)


@router.get("/channels")
def notices_list_channels(
    caller: CallerDep, channels: ChannelServiceDep, project_id: UUID | None = None
) -> Page[ChannelRead]:
    """Where a project is told of things, by name; takes a maintainer."""
    return Page[ChannelRead](items=channels.listed(caller, project_id))


@router.post("/channels", status_code=201, responses=REFUSALS)
def notices_make_channel(
    body: ChannelCreate, caller: CallerDep, channels: ChannelServiceDep
) -> ChannelMade:
    """Make a channel; takes a maintainer. The secret that a webhook's bodies are signed with is
    shown this once.
    """
    return channels.make(caller, body)


@router.patch("/channels/{channel_id}", responses=REFUSALS)
def notices_change_channel(
    channel_id: UUID, body: ChannelUpdate, caller: CallerDep, channels: ChannelServiceDep
) -> ChannelRead:
    """Change a channel, or switch it off and on; takes a maintainer."""
    return channels.change(caller, channel_id, body)


@router.delete("/channels/{channel_id}", status_code=204)
def notices_remove_channel(
    channel_id: UUID, caller: CallerDep, channels: ChannelServiceDep
) -> None:
    """Remove a channel with the log of its deliveries; takes a maintainer."""
    channels.remove(caller, channel_id)


@router.post("/channels/{channel_id}/secret", responses=REFUSALS)
def notices_sign_anew(
    channel_id: UUID, caller: CallerDep, channels: ChannelServiceDep
) -> SigningSecret:
    """Sign a webhook's bodies with a new secret, shown this once; takes a maintainer."""
    return channels.sign_anew(caller, channel_id)


@router.post("/channels/{channel_id}/test", status_code=202, responses=REFUSALS)
def notices_test_channel(
    channel_id: UUID, caller: CallerDep, channels: ChannelServiceDep
) -> DeliveryRead:
    """Send a test over a channel; what becomes of it stands in its deliveries. Takes a
    maintainer.
    """
    return channels.try_out(caller, channel_id)


@router.get("/channels/{channel_id}/deliveries")
def notices_list_deliveries(
    channel_id: UUID, caller: CallerDep, channels: ChannelServiceDep, page: PageDep
) -> Page[DeliveryRead]:
    """What was sent over a channel, with each attempt, newest first; takes a maintainer."""
    return channels.deliveries(caller, channel_id, page)
