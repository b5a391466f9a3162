"""An organization's people as its lists show them."""

from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import MemberRole, Role
from weighhouse_backend.identity.schemas import MemberRead
from weighhouse_backend.membership.factor_policy import FactorPolicyService
from weighhouse_backend.membership.service import MembershipService


@dataclass(frozen=True)
class MemberList:
    """Members with their roles, and to owners who of them has a second factor."""

    memberships: MembershipService
    factors: FactorPolicyService

    def of(self, caller: Caller, project_id: UUID | None) -> list[MemberRead]:
        """People of a project's organization."""
        holders = self.factors.holders(caller, project_id)
        return [
            MemberRead(
                id=user.id, email=user.email, name=user.name, role=MemberRole(role),
                project_role=None if own is None else Role(own),
                second_factor=None if holders is None else user.id in holders,
            )
            for user, role, own in self.memberships.members(caller, project_id)
        ]  # fmt: skip
