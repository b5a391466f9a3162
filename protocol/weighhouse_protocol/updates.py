"""How a platform brings an agent up to its own version, and which versions of agents it works with.

A platform of version 2.5 works with agents 2.3, 2.4 and 2.5: those of its own minor version and the
two before it. Nothing of a version is asked of what has none that can be read.
"""

import re
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from weighhouse_protocol.base import Bytes, Document, Label, Many, Report, Sentence

MINORS_BEFORE = 2
VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?!\d)")
USER_AGENT = re.compile(r"weighhouse-agent/([0-9A-Za-z.+_-]{1,80})")
"""How an agent says its version with every call, whatever else the call holds."""

Standing = Literal["current", "behind", "too_old", "newer", "unknown"]
"""Of an agent's version beside the platform's. `behind` works on; `too_old` and `newer` do not."""


class OfferedFile(Report):
    """A file that an update may install."""

    name: Annotated[str, Field(max_length=203, pattern=r"^[A-Za-z0-9][A-Za-z0-9._+!-]*\.whl$")]
    sha256: Annotated[str, Field(max_length=64, pattern=r"^[0-9a-f]{64}$")]
    size_bytes: Bytes


class UpdateOrder(Report):
    """What an agent is to be brought up to: answer to `GET /agent/v1/update`."""

    update_id: UUID
    version: Label
    """Of the agent that is installed."""
    installer: OfferedFile
    """pip, which installs the others."""
    files: Many[OfferedFile]
    """Nothing else is installed; those that fit this machine's Python are chosen among them."""


class UpdateProgress(Document):
    """Body of `POST /agent/v1/update`: how far an agent is with one. Repeatable."""

    update_id: UUID
    state: Literal["installing", "starting", "failed", "returned"]
    """`failed`: nothing was changed. `returned`: the new version did not come up, and the one of
    before runs again."""
    reason: Sentence = ""
    """Why it failed or returned."""


def standing(agent: str, platform: str) -> Standing:
    """How an agent's version stands beside its platform's.

    :param agent: as `0.4.1`.
    """
    theirs, ours = _numbers(agent), _numbers(platform)
    if theirs is None or ours is None:
        return "unknown"
    if theirs[:2] > ours[:2]:
        return "newer"
    if theirs[0] != ours[0] or theirs[1] + MINORS_BEFORE < ours[1]:
        return "too_old"
    return "behind" if theirs < ours else "current"


def oldest(platform: str) -> str:
    """The oldest minor version of agents that a platform works with, as `0.3`."""
    numbers = _numbers(platform)
    return "" if numbers is None else f"{numbers[0]}.{max(0, numbers[1] - MINORS_BEFORE)}"


def _numbers(version: str) -> tuple[int, int, int] | None:
    found = VERSION.match(version)
    return None if found is None else (int(found[1]), int(found[2]), int(found[3] or 0))
