"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.membership.domains import DomainService
from weighhouse_backend.membership.factor_policy import FactorPolicyService
from weighhouse_backend.membership.invitations import InvitationService
from weighhouse_backend.membership.join_requests import JoiningService
from weighhouse_backend.membership.member_list import MemberList
from weighhouse_backend.membership.projects import ProjectService
from weighhouse_backend.membership.service import MembershipService

SERVICES = provided(
    DomainService,
    FactorPolicyService,
    InvitationService,
    JoiningService,
    MemberList,
    MembershipService,
    ProjectService,
)

DomainServiceDep = Annotated[DomainService, wired(DomainService)]
FactorPolicyServiceDep = Annotated[FactorPolicyService, wired(FactorPolicyService)]
InvitationServiceDep = Annotated[InvitationService, wired(InvitationService)]
JoiningServiceDep = Annotated[JoiningService, wired(JoiningService)]
MemberListDep = Annotated[MemberList, wired(MemberList)]
MembershipServiceDep = Annotated[MembershipService, wired(MembershipService)]
ProjectServiceDep = Annotated[ProjectService, wired(ProjectService)]
