"""Whose turn it is when machines are fewer than runs. Pure.

Between projects the one that used the fewest machine-seconds lately comes first; within a project
the campaign with the highest priority, then the oldest. What is given out counts at once, so that
within one round of the allocator projects take turns.
"""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar
from uuid import UUID

LATELY = datetime.timedelta(hours=24)
"""What was used before is forgotten."""


class Waiting(Protocol):
    """What is known of a campaign that waits."""

    @property
    def id(self) -> UUID:
        """The last word between equals; rises with time."""

    @property
    def project_id(self) -> UUID:
        """Who shares."""

    @property
    def priority(self) -> int:
        """Higher comes first, within its project."""

    @property
    def created_at(self) -> datetime.datetime:
        """Older comes first."""


Campaign = TypeVar("Campaign", bound=Waiting)


@dataclass
class Shares:
    """What projects used of machines."""

    seconds: dict[UUID, float] = field(default_factory=dict)
    """Project → machine-seconds lately."""

    @classmethod
    def of(cls, used: Mapping[UUID, float]) -> "Shares":
        """:param used: project → machine-seconds lately."""
        return cls(dict(used))

    def in_turn(self, waiting: Iterable[Campaign]) -> list[Campaign]:
        """Campaigns in the order in which they are to be looked at."""
        return sorted(
            waiting,
            key=lambda one: (
                self.seconds.get(one.project_id, 0.0),
                str(one.project_id),
                -one.priority,
                one.created_at,
                one.id,
            ),
        )

    def charge(self, project_id: UUID, machines: int, seconds: float) -> None:
        """A project was given machines for about so long."""
        self.seconds[project_id] = self.seconds.get(project_id, 0.0) + machines * seconds
