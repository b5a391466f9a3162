"""Roles by the groups that a provider says somebody is in. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from weighhouse_backend.identity.roles import MemberRole, Role


@dataclass(frozen=True)
class Given:
    """What groups give; nothing at all: the person is in none that has a role."""

    role: MemberRole | None = None
    """In the organization."""
    projects: Mapping[UUID, Role] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.role is not None or bool(self.projects)


def given_by(mappings: Iterable[Mapping[str, Any]], groups: Iterable[str]) -> Given:
    """The highest roles that some groups give.

    :param mappings: each `{"group": …, "role": …, "project_id": … or None}`.
    """
    theirs = set(groups)
    order = list(MemberRole)
    role: MemberRole | None = None
    projects: dict[UUID, Role] = {}
    for one in mappings:
        if one["group"] not in theirs:
            continue
        if one["project_id"] is None:
            wanted = MemberRole(one["role"])
            if role is None or order.index(wanted) > order.index(role):
                role = wanted
        else:
            project, own = UUID(one["project_id"]), Role(one["role"])
            if project not in projects or not projects[project].covers(own):
                projects[project] = own
    return Given(role, projects)


def projects_of(mappings: Iterable[Mapping[str, Any]]) -> set[UUID]:
    """Projects in which groups decide."""
    return {UUID(one["project_id"]) for one in mappings if one["project_id"] is not None}


def groups_in(claims: Mapping[str, Any], name: str) -> list[str]:
    """The groups that a provider names, a list or a single one."""
    found = claims.get(name)
    if isinstance(found, str):
        return [found]
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
