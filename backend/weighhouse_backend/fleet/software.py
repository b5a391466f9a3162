"""How an agent's program stands beside the platform's, and what came of bringing it up to date.
Pure.
"""

import datetime
from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from weighhouse_protocol.updates import Standing, oldest, standing

from weighhouse_backend.fleet.models import Agent

UpdateState = Literal["wanted", "installing", "starting", "done", "failed", "returned"]
REFUSED = frozenset({"too_old", "newer"})
UNDER_WAY = frozenset({"wanted", "installing", "starting"})
LIMIT = datetime.timedelta(minutes=15)
"""An update that has not ended by then is given up: the agent takes work again."""
FORGOTTEN = "nothing more was heard of it within 15 minutes; see the agent's log on its machine"
CUT_OFF = "the agent ended before the new version was installed; ask for it again"
NO_WORDS = "its new version did not come up; see the agent's log on its machine"


_ON_ITS_MACHINE = {
    "forbidden": "its policy forbids it: `updates` in its policy.toml",
    "by_hand": "it was not installed by the platform's script; update it on its machine",
}


class AgentUpdate(BaseModel):
    """What was asked of an agent, and how far it is."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    state: UpdateState
    """Under way until `done`, `failed` (nothing was changed) or `returned`: the new version did not
    come up, and the one of before runs again."""
    version: str
    before: str
    """The version that it had."""
    asked_by: str
    asked_at: datetime.datetime
    changed_at: datetime.datetime
    reason: str = ""
    """Why it failed or returned, and how that is mended."""


class AgentSoftware(BaseModel):
    """An agent's program beside the platform's."""

    platform_version: str
    standing: Standing
    """`behind` works on. `too_old` and `newer` are refused. `unknown`: it never told a version."""
    cannot_update: str | None
    """Why the platform cannot bring it up to date now, in words; null: it can."""
    update: AgentUpdate | None
    """The latest one; null: there was none."""


def update_of(kept_update: Mapping[str, Any] | None, now: datetime.datetime) -> AgentUpdate | None:
    """An agent's latest update; one that nothing is heard of is given up.

    :param kept_update: as the agent's row has it.
    """
    if kept_update is None:
        return None
    kept = AgentUpdate.model_validate(kept_update)
    if kept.state in UNDER_WAY and now - kept.asked_at > LIMIT:
        return kept.model_copy(update={"state": "failed", "reason": FORGOTTEN})
    return kept


def may_work(agent: Agent, platform: str, now: datetime.datetime) -> bool:
    """Whether an agent's program may be given work: it is of a version that the platform works
    with, and is not being replaced.
    """
    found = update_of(agent.software_update, now)
    updated_now = found is not None and found.state in UNDER_WAY
    return not updated_now and standing(agent.agent_version, platform) not in REFUSED


def keep(agent: Agent, update: AgentUpdate) -> None:
    """Write down how far an update is."""
    agent.software_update = update.model_dump(mode="json")


def begun_anew(agent: Agent, version: str, now: datetime.datetime) -> None:
    """An agent's program has begun: what its update came to is known by its version. Why it went
    back, it says itself.
    """
    found = update_of(agent.software_update, now)
    if found is None or found.state not in {"installing", "starting"}:
        return
    if version == found.version:
        changes: dict[str, Any] = {"state": "done"}
    elif found.state == "starting":
        changes = {"state": "returned", "reason": NO_WORDS}
    else:
        changes = {"state": "failed", "reason": CUT_OFF}
    keep(agent, found.model_copy(update={**changes, "changed_at": now}))


def software_of(
    agent: Agent, status: str, platform: str, trouble: str | None, now: datetime.datetime
) -> AgentSoftware:
    """How an agent's program stands.

    :param trouble: why the platform serves no packages; None: it does.
    """
    stands = standing(agent.agent_version, platform)
    update = update_of(agent.software_update, now)
    return AgentSoftware(
        platform_version=platform,
        standing=stands,
        cannot_update=_hindrance(agent, status, stands, update) or trouble,
        update=update,
    )


def refusal(agent_version: str, platform: str, address: str) -> str | None:
    """Why a platform does not work with a version of agents, and how that is mended; None: it
    does.

    :param address: of the platform.
    """
    match standing(agent_version, platform):
        case "newer":
            return (
                f"this agent is {agent_version}, newer than the platform ({platform}); bring the "
                f"platform up to it, or install the platform's own: {address}/agent/install.sh"
            )
        case "too_old":
            return (
                f"this agent is {agent_version}, and the platform ({platform}) works with "
                f"{oldest(platform)} and newer; remove it (weighhouse-agent-remove) and install "
                f"the platform's own: {address}/agent/install.sh"
            )
        case _:
            return None


def _hindrance(
    agent: Agent, status: str, stands: Standing, update: AgentUpdate | None
) -> str | None:
    if update is not None and update.state in UNDER_WAY:
        return "it is being brought up to date"
    if stands == "current":
        return "it has the platform's version"
    if stands != "behind":
        return "its version is not one that this platform brings up to date; install it anew"
    allowed = _ON_ITS_MACHINE.get(str(agent.policy.get("updates", "by_hand")))
    if allowed is None and status == "busy":
        return "a run is under way on it; it is idle when that has ended"
    if allowed is None and status in {"unreachable", "revoked"}:
        return f"it is {status}"
    return allowed
