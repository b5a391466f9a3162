"""Joining by one's address: domains of organizations, and who asks."""

from uuid import UUID

from fastapi import APIRouter, Request

from weighhouse_backend.identity.access import ManagerDep
from weighhouse_backend.identity.links import LinkDep
from weighhouse_backend.identity.models import Organization
from weighhouse_backend.identity.roles import MemberRole
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.pages import Page
from weighhouse_backend.kit.rates import client_address
from weighhouse_backend.membership.dependencies import DomainServiceDep, JoiningServiceDep
from weighhouse_backend.membership.domain_models import JoiningDomain
from weighhouse_backend.membership.domain_schemas import (
    DomainCreate,
    DomainOpened,
    DomainRead,
    JoiningAsk,
)
from weighhouse_backend.membership.domains import shown

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


@router.get("/joining-domains", tags=["people"])
def identity_list_domains(
    caller: ManagerDep, service: DomainServiceDep, project_id: UUID | None = None
) -> Page[DomainRead]:
    """Domains whose people may join a project's organization; takes an owner of it."""
    rows = service.read(caller, project_id)
    return Page(items=[shown(row) for row in rows])


@router.post("/joining-domains", status_code=201, tags=["people"])
def identity_add_domain(
    body: DomainCreate,
    caller: ManagerDep,
    service: DomainServiceDep,
    project_id: UUID | None = None,
) -> DomainRead:
    """Let people of a domain join a project's organization, once its keepers said by a link in a
    mail that the domain is the organization's. One that is there is asked anew. Takes an owner.
    """
    return shown(service.add(caller, project_id, body))


@router.delete("/joining-domains/{domain_id}", status_code=204, tags=["people"])
def identity_remove_domain(domain_id: UUID, caller: ManagerDep, service: DomainServiceDep) -> None:
    """Have nobody join by a domain any more; who has joined stays. Takes an owner."""
    service.remove(caller, domain_id)


@router.get("/joining-domain", tags=["sessions"])
def identity_open_domain(link: LinkDep, service: DomainServiceDep) -> DomainOpened:
    """What the link asks a domain's keepers that is sent as a bearer token."""
    return _told(*service.open(link))


@router.post("/joining-domain", tags=["sessions"])
def identity_confirm_domain(link: LinkDep, service: DomainServiceDep) -> DomainOpened:
    """Confirm, over the link that is sent as a bearer token, that the domain is the organization's:
    its people may join from now on.
    """
    return _told(*service.confirm(link))


@router.post("/joining", status_code=202, tags=["sessions"])
def identity_ask_to_join(body: JoiningAsk, request: Request, service: JoiningServiceDep) -> None:
    """Have an invitation sent to one's address, if an organization lets people of its domain join.
    The answer is the same whether or not there is one.
    """
    service.ask(body.email, client_address(request.scope))


def _told(row: JoiningDomain, organization: Organization) -> DomainOpened:
    return DomainOpened(
        domain=row.domain, organization=organization.name, role=MemberRole(row.role),
        verified=row.verified_at is not None,
    )  # fmt: skip
