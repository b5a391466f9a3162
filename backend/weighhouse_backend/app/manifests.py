"""What agents bring to a project, and what of it is in force there."""

import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field, StrictBool
from weighhouse_protocol.base import Name

from weighhouse_backend.catalog.decisions import ManifestDecisions
from weighhouse_backend.catalog.dependencies import CatalogServiceDep
from weighhouse_backend.fleet.dependencies import FleetServiceDep
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.pages import Page
from weighhouse_backend.kit.schemas import Body, read_of
from weighhouse_backend.kit.services import JobsDep

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["agents"])


class ManifestAgent(BaseModel):
    """An agent that has a manifest."""

    id: UUID
    name: str


class ManifestDifference(BaseModel):
    """One place that differs from the manifest in force."""

    path: str
    before: str | None
    """JSON of what is in force, long texts cut; null: it says nothing there."""
    after: str | None
    """JSON of what is brought, long texts cut; null: it says nothing there."""


class ManifestRead(BaseModel):
    """A manifest that agents of a project have."""

    plugin_id: str
    name: str
    version: str
    digest: str
    """SHA-256 of its canonical JSON."""
    state: Literal["accepted", "waits", "refused"]
    """Whether it is in force in the project: agents are given work of the plugin only then."""
    decided_by: str | None
    """Who accepted or refused it, or why it was accepted by itself; null: nobody yet."""
    decided_at: datetime.datetime | None
    speaks: bool
    """Whether experiments are checked against it now."""
    against: str | None
    """Digest of the one that they are checked against; null: the plugin has none in force."""
    differences: list[ManifestDifference]
    """From that one, where it waits or was refused; 200 at most."""
    agents: list[ManifestAgent]


class ManifestDecide(Body):
    """A decision on a manifest."""

    plugin_id: Name = Field(examples=["echo"])
    accepted: StrictBool
    project_id: UUID | None = None


@router.get("/manifests")
def catalog_list_manifests(
    caller: CallerDep,
    catalog: CatalogServiceDep,
    fleet: FleetServiceDep,
    project_id: UUID | None = None,
) -> Page[ManifestRead]:
    """Manifests that agents of a project have now; those first that wait to be accepted."""
    chosen = caller.project_or_only(project_id)
    found = ManifestDecisions(catalog).of(caller, chosen)
    names = fleet.names(agent_id for one in found for agent_id in one.agents)
    return Page(
        items=[
            read_of(
                ManifestRead,
                one,
                differences=[
                    ManifestDifference(path=each.path, before=each.before, after=each.after)
                    for each in one.differences
                ],
                agents=[ManifestAgent(id=each, name=names.get(each, "")) for each in one.agents],
            )
            for one in found
        ]
    )


@router.put("/manifests/{digest}/decision", status_code=204)
def catalog_decide_manifest(
    digest: Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")],
    body: ManifestDecide,
    caller: CallerDep,
    catalog: CatalogServiceDep,
    jobs: JobsDep,
) -> None:
    """Accept a manifest in a project, or refuse it there; takes a maintainer.

    It may be accepted before an agent brings it. What is under way goes on.
    """
    chosen = caller.project_or_only(body.project_id)
    ManifestDecisions(catalog).decide(
        caller, chosen, (body.plugin_id, digest), accepted=body.accepted
    )
    jobs.send("campaigns.allocate")  # a run may have waited for it
