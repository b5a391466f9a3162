"""What is in force in a project: manifests that were accepted there. Pure."""

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from uuid import UUID


@dataclass(frozen=True)
class Decision:
    """What somebody decided of a manifest, for a project or for a whole organization."""

    plugin_id: str
    accepted: bool
    decided_by: str
    decided_at: datetime.datetime


@dataclass(frozen=True)
class Standing:
    """What is decided of manifests in one project."""

    project_id: UUID
    organization_id: UUID
    decisions: dict[str, Decision] = field(default_factory=dict)
    """Digest → the project's own word, else its organization's."""

    def accepts(self, plugin_id: str, digest: str) -> bool:
        """Whether a manifest is in force: it was accepted, or is this release's own and nobody
        refused it.
        """
        decision = self.decisions.get(digest)
        return is_shipped(plugin_id, digest) if decision is None else decision.accepted

    def knows(self, plugin_id: str) -> bool:
        """Whether anything was ever decided of a plugin: from then on, what is new waits."""
        return any(one.plugin_id == plugin_id for one in self.decisions.values())


@cache
def shipped() -> Mapping[str, str]:
    """Plugin → digest of the manifest that this release ships (written by `make gen`)."""
    text = files(__package__).joinpath("shipped.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found


def is_shipped(plugin_id: str, digest: str) -> bool:
    """Whether a manifest is one of this release's own."""
    return shipped().get(plugin_id) == digest
