"""The pod that an agent is in, as the chart `weighhouse-agents` tells it by environment variables.

What is measured depends on the node, so facts are the node's: its name, its identity, its system,
its network cards. Limits, ports and queues stay the pod's own: they are those that hold.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from weighhouse_agent.machine.conditions import Tree

NODE_NAME = "WEIGHHOUSE_NODE_NAME"
"""Of the node; without it the agent is in no pod."""
NODE_ROOT = "WEIGHHOUSE_NODE_ROOT"
"""Below it the node's `/sys`, `/etc/machine-id` and `/etc/os-release`, to be read."""
RESOURCES = ("CPU", "MEMORY")


@dataclass(frozen=True)
class Pod:
    """Where in a cluster an agent is."""

    node: str
    tree: Tree | None = None
    """The node's files; None: it lets no pod look."""
    guaranteed: bool | None = None
    """Whether all that may be used was asked for; None: the pod does not tell."""

    @classmethod
    def told(cls, environment: Mapping[str, str] = os.environ) -> "Pod | None":
        """The pod as the environment tells it; None when this is in none."""
        if not (node := environment.get(NODE_NAME)):
            return None
        root = environment.get(NODE_ROOT)
        return cls(node, Tree(Path(root)) if root else None, _guaranteed(environment))


def _guaranteed(environment: Mapping[str, str]) -> bool | None:
    """By requests and limits of the agent's container, each in whole units."""
    pairs = [
        (environment.get(f"WEIGHHOUSE_POD_{name}_REQUESTS"),
         environment.get(f"WEIGHHOUSE_POD_{name}_LIMITS"))
        for name in RESOURCES
    ]  # fmt: skip
    if not all(asked and limit for asked, limit in pairs):
        return None
    return all(asked == limit for asked, limit in pairs)
