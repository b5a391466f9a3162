"""Roles, from the least to the most allowed."""

from enum import StrEnum


class Role(StrEnum):
    """What somebody may do in a project."""

    VIEWER = "viewer"
    """Looks at everything of the project."""
    MEMBER = "member"
    """Changes experiments, starts and cancels campaigns."""
    MAINTAINER = "maintainer"
    """Enrols agents, makes tokens."""
    OWNER = "owner"
    """Gives people access."""

    def covers(self, wanted: "Role") -> bool:
        """Whether this role allows what the wanted one does."""
        order = list(Role)
        return order.index(self) >= order.index(wanted)
