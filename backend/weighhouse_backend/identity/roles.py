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


class MemberRole(StrEnum):
    """What somebody is in an organization."""

    GUEST = "guest"
    """Sees only the projects in which they have a role of their own."""
    VIEWER = "viewer"
    MEMBER = "member"
    MAINTAINER = "maintainer"
    OWNER = "owner"

    @property
    def in_projects(self) -> Role | None:
        """The role that it gives in every project; None: in none."""
        return None if self is MemberRole.GUEST else Role(self.value)
