"""Which of the manifests in force speaks for a plugin. Pure."""

import datetime
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

PARTS = re.compile(r"\d+|[A-Za-z]+")


@dataclass(frozen=True)
class Candidate:
    """A manifest that is in force, without its content."""

    organization_id: UUID
    digest: str
    plugin_id: str
    version: str
    accepted_at: datetime.datetime
    last_seen_at: datetime.datetime
    offered: bool
    """Whether an agent that the projects may use has it now."""
    projects: int
    """In how many of the projects that are looked at it is in force."""


def version_key(version: str) -> tuple[tuple[int, ...], bool, str]:
    """Orders versions: by numbers, a pre-release before its release; what has no numbers first."""
    release, _, rest = version.partition("-")
    numbers = tuple(int(part) for part in PARTS.findall(release) if part.isdigit())
    return numbers, not rest, rest


def in_order(candidates: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    """By plugin, whom to ask first.

    Of several projects together what is in force in more of them goes first, so that no project
    speaks for the others. Then what an agent offers goes before what none offers (any more), the
    newer version before the older. Of manifests that say the same version the one accepted last
    comes first; of those that nobody offers, the one seen last.
    """
    found: dict[str, list[Candidate]] = defaultdict(list)
    for one in candidates:
        found[one.plugin_id].append(one)
    for several in found.values():
        several.sort(key=lambda one: one.digest)
        several.sort(key=lambda one: one.accepted_at, reverse=True)
        several.sort(key=lambda one: version_key(one.version), reverse=True)
        several.sort(key=_standing, reverse=True)
    return dict(found)


def _standing(one: Candidate) -> tuple[int, bool, float]:
    return one.projects, one.offered, 0.0 if one.offered else one.last_seen_at.timestamp()
