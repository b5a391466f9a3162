"""What the installation's provisioner makes, and what it made."""

from uuid import UUID

from fastapi import APIRouter

from weighhouse_backend.experiments.dependencies import ValidationServiceDep
from weighhouse_backend.experiments.endpoints import DOCUMENT_BYTES
from weighhouse_backend.experiments.schemas import DocumentSource
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.identity.senders import sender
from weighhouse_backend.kit.bodies import BoundedRoute, takes
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.provisions.dependencies import ProvisionServiceDep
from weighhouse_backend.provisions.schemas import (
    ProvisionerRead,
    ProvisionEstimate,
    ProvisionRead,
)

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["provisions"])


@router.get("/provisioner")
def provisions_read_provisioner(
    caller: CallerDep, provisions: ProvisionServiceDep
) -> ProvisionerRead:
    """Which kinds of machines are made here for campaigns that ask for them, and what they cost."""
    del caller
    return provisions.offer()


@router.post("/provisioner/estimate")
@takes(DOCUMENT_BYTES, sender)
def provisions_estimate(
    body: DocumentSource,
    caller: CallerDep,
    provisions: ProvisionServiceDep,
    validation: ValidationServiceDep,
    project_id: UUID | None = None,
) -> ProvisionEstimate | None:
    """What a document asks to be made, and costs at most; null when it asks for nothing. Nothing is
    saved or started.
    """
    return provisions.estimate(validation.read(body, caller.project_or_only(project_id)))


@router.get("/campaigns/{campaign_id}/provision")
def provisions_read(
    campaign_id: UUID, caller: CallerDep, provisions: ProvisionServiceDep
) -> ProvisionRead:
    """The machines that were made for a campaign: how they are doing, what they cost so far."""
    found = provisions.provision(caller, campaign_id)
    if found is None:
        raise NotFound
    return found
