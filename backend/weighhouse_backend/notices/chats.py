"""Slack, Teams and Discord, in the formats of the Apprise library.

Their addresses are of their makers' hosts alone, so that nothing is sent into a network of ours.
"""

import logging
from collections.abc import Mapping

import apprise
from apprise.plugins.discord import NotifyDiscord
from apprise.plugins.slack import NotifySlack
from apprise.plugins.workflows import NotifyWorkflows

from weighhouse_backend.kit.addresses import AddressForbidden, split
from weighhouse_backend.notices.kinds import AttemptOutcome, ChannelKind, NoticeKind
from weighhouse_backend.notices.messages import Message, chat_text, chat_title
from weighhouse_backend.notices.results import Result

HOSTS: Mapping[ChannelKind, tuple[str, ...]] = {
    ChannelKind.SLACK: ("hooks.slack.com",),
    ChannelKind.TEAMS: (".logic.azure.com", ".api.powerplatform.com"),
    ChannelKind.DISCORD: ("discord.com", "discordapp.com"),
}
"""With a point in front: whatever stands before it."""
PLUGINS: Mapping[ChannelKind, type[apprise.NotifyBase]] = {
    ChannelKind.SLACK: NotifySlack,
    ChannelKind.TEAMS: NotifyWorkflows,
    ChannelKind.DISCORD: NotifyDiscord,
}
"""Taken by name: the library's own search would load all its plugins."""
OURS = {"include_image": False, "avatar": False}
"""Without the pictures of the library's makers."""
BAD = frozenset({NoticeKind.REGRESSION, NoticeKind.CAMPAIGN_FAILED, NoticeKind.MISSED_RUN})
LONGEST_DETAIL = 300


def require(kind: ChannelKind, address: str) -> None:
    """:raises AddressForbidden: when it is no webhook's address of this service."""
    parts = split(address)
    host = parts.hostname or ""
    known = any(host == one or (one[0] == "." and host.endswith(one)) for one in HOSTS[kind])
    if parts.scheme != "https" or not known or _target(kind, address) is None:
        hosts = " or ".join(one.lstrip(".") for one in HOSTS[kind])
        raise AddressForbidden(f"give the address of a webhook as {kind} shows it, at {hosts}")


def send(kind: ChannelKind, address: str, message: Message) -> Result:
    """Make one attempt."""
    try:
        require(kind, address)
    except AddressForbidden as error:
        return Result(AttemptOutcome.FORBIDDEN, detail=str(error))
    target = _target(kind, address)
    if target is None:  # pragma: no cover - just looked at
        return Result(AttemptOutcome.FORBIDDEN)
    how = apprise.NotifyType.WARNING if message.kind in BAD else apprise.NotifyType.INFO
    capture = apprise.LogCapture(level=logging.WARNING, fmt="%(message)s")  # type: ignore[no-untyped-call]
    with capture as said:
        taken = target.notify(
            title=chat_title(message), body=chat_text(message), notify_type=how,
            body_format=apprise.NotifyFormat.TEXT,
        )  # fmt: skip
        lines = said.getvalue().strip().splitlines()
    if taken:
        return Result(AttemptOutcome.DELIVERED)
    detail = lines[-1][-LONGEST_DETAIL:] if lines else f"{kind} did not take it"
    return Result(AttemptOutcome.REFUSED, detail=_without(detail, address))


def _target(kind: ChannelKind, address: str) -> apprise.NotifyBase | None:
    asset = apprise.AppriseAsset(
        app_id="Weighhouse", app_desc="Weighhouse", app_url="", http_redirects=False,
        plugin_paths=[], storage_mode=apprise.PersistentStoreMode.MEMORY,
    )  # fmt: skip
    # What it logs may hold whole addresses, and so secrets; it is read here, and nowhere else.
    logger = logging.getLogger("apprise")
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    parsed = PLUGINS[kind].parse_native_url(address)
    if not parsed:
        return None
    try:
        return PLUGINS[kind](**{**parsed, **OURS, "asset": asset})
    except TypeError:
        return None  # as the library says that a part of an address is missing


def _without(detail: str, address: str) -> str:
    """A text without any part of an address that only its owner knows."""
    parts = split(address)
    for secret in sorted((*parts.path.split("/"), parts.query), key=len, reverse=True):
        if len(secret) > 5:  # noqa: PLR2004 - shorter ones are words such as "api"
            detail = detail.replace(secret, "…")
    return detail
