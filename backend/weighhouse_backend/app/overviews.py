"""Resources that several features know a part of: agents at work, systems and where they ran."""

import datetime
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Request, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session
from weighhouse_protocol.endpoints import Forms
from weighhouse_protocol.faults import FaultVerb
from weighhouse_protocol.layouts import ManifestTopology
from weighhouse_protocol.manifest import BenchmarkClause, Edition

from weighhouse_backend.campaigns.dependencies import OutboxDep
from weighhouse_backend.catalog.dependencies import CatalogServiceDep
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.dependencies import DisclosureServiceDep
from weighhouse_backend.disclosure.schemas import DisclaimerRead
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.execution.occupancy import OccupancyService
from weighhouse_backend.fleet.agent_changes import AgentChanges
from weighhouse_backend.fleet.agent_signs import AgentSigns
from weighhouse_backend.fleet.dependencies import FleetServiceDep
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.schemas import AgentChange, AgentRead
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.fleet.updates import AgentUpdates
from weighhouse_backend.fleet.views import tag_of
from weighhouse_backend.identity.access import Caller, CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.pages import Page
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.kit.services import JobsDep

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


class ManifestConflict(BaseModel):
    """Agents that say the same version of a plugin, and mean different things by it."""

    version: str
    digests: dict[str, list[str]]
    """Digest of the manifest → names of the agents that have it."""


class SetAsideRead(BaseModel):
    """A manifest that cannot be read; the next best one of its plugin speaks, if there is one."""

    version: str
    digest: str
    reason: str


class SystemRead(BaseModel):
    """A database product, as its plugin describes it."""

    id: str
    name: str
    vendor: str
    homepage: str
    licence: str
    architecture: str
    summary: str
    kind: Literal["system", "tool"]
    colour: str
    mark: str
    plugin_version: str
    manifest_digest: str
    """Of the manifest that speaks here: the newest that an agent of the project offers."""
    conflicts: list[ManifestConflict]
    set_aside: list[SetAsideRead]
    operations: list[str]
    deployments: list[str]
    default_deployment: str
    topology: ManifestTopology
    image: str | None
    """Container image of the deployment `docker`, unless a target names another."""
    faults: list[FaultVerb]
    """What can be done to it on purpose while it is measured."""
    parameters: dict[str, Any]
    """JSON Schema of a target's parameters."""
    driver: str
    """Identifier of the driver that makes the load on it; a tool's own for a tool."""
    tool_drivers: list[str]
    """Of a foreign load tool: the drivers in whose place it can make load."""
    driver_options: dict[str, Any]
    """JSON Schema of a target's driver options."""
    addresses: Forms | None
    """How addresses of servers are written that are there already; none: it has no such servers, or
    its manifest does not say.
    """
    benchmark_clause: BenchmarkClause
    """Of its default edition."""
    editions: list[Edition]
    """Editions of the product with what their licences say of publishing, the default one first."""
    disclaimers: list[DisclaimerRead]
    agents_count: int
    last_run_at: datetime.datetime | None
    documentation: str
    """Markdown."""


@dataclass
class OverviewReading:
    """Puts the parts together, with as many queries for all systems as for one."""

    session: Session
    caller: Caller
    catalog: CatalogService
    disclosure: DisclosureService
    fleet: FleetService
    silent: Callable[[Collection[UUID]], Mapping[UUID, float]]
    """Seconds since something was heard of agents."""

    def at_work(self) -> Mapping[UUID, UUID]:
        """Agents of the caller's projects → the run that they are at."""
        return OccupancyService(self.session).runs_by_agent(self.caller.project_ids)

    def agents(self, project_id: UUID | None) -> list[AgentRead]:
        """Those of the caller's projects, or of one."""
        busy = self.at_work()
        return self.fleet.agents(self.caller, project_id, busy, self.silent(busy))

    def systems(
        self, system_id: str | None = None, project_id: UUID | None = None
    ) -> list[SystemRead]:
        """Systems as the caller's projects see them, or one project; all, or one of them."""
        if project_id is not None:
            self.caller.require(project_id)
        projects = self.caller.project_ids if project_id is None else {project_id}
        catalog = self.catalog.of(projects)
        if system_id is not None and system_id not in catalog.entries:
            raise NotFound(f"no agent has brought a plugin {system_id!r} that can be read")
        digests = {
            name: entry.digest
            for name, entry in catalog.entries.items()
            if system_id in {None, name}
        }
        manifests = sorted(
            (catalog.entries[name].manifest for name in digests), key=lambda one: one.name
        )
        counts = self.fleet.counts_by_plugin(projects)
        last = OccupancyService(self.session).last_run_by_system(projects, digests)
        statements = self.disclosure.disclaimers_for(projects, digests)
        conflicts = self._conflicts(projects)
        return [
            read_of(
                SystemRead,
                one,
                plugin_version=one.version,
                manifest_digest=digests[one.id],
                conflicts=conflicts.get(one.id, []),
                set_aside=[
                    SetAsideRead(version=each.version, digest=each.digest, reason=each.reason)
                    for each in catalog.set_aside
                    if each.plugin_id == one.id
                ],
                operations=list(one.operations),
                deployments=list(one.deployments),
                image=one.image.image if one.image else None,
                faults=list(one.faults),
                driver=one.driver.id,
                tool_drivers=list(one.tool.drivers) if one.tool else [],
                driver_options=one.driver.options,
                addresses=one.addresses,
                editions=list(one.known_editions),
                disclaimers=[said for said in statements if said.system_id == one.id],
                agents_count=counts.get(one.id, 0),
                last_run_at=last.get(one.id),
            )
            for one in manifests
        ]

    def _conflicts(self, projects: Collection[UUID]) -> dict[str, list[ManifestConflict]]:
        found: dict[tuple[str, str], dict[str, list[str]]] = {}
        differing = [one for one in self.catalog.offers(projects) if one.differs]
        names = self.fleet.names(one.agent_id for one in differing)
        for one in differing:
            digests = found.setdefault((one.plugin_id, one.version), {})
            digests.setdefault(one.digest, []).append(names[one.agent_id])
        by_plugin: dict[str, list[ManifestConflict]] = {}
        for (plugin_id, version), digests in sorted(found.items()):
            conflict = ManifestConflict(version=version, digests=digests)
            by_plugin.setdefault(plugin_id, []).append(conflict)
        return by_plugin


class _Overviews(OverviewReading):
    """Of a request, in which agents may be changed."""

    def __init__(
        self,
        session: SessionDep,
        caller: CallerDep,
        catalog: CatalogServiceDep,
        disclosure: DisclosureServiceDep,
        fleet: FleetServiceDep,
        outbox: OutboxDep,
        jobs: JobsDep,
        request: Request,
    ) -> None:
        signs: AgentSigns = request.app.state.agent_signs
        super().__init__(session, caller, catalog, disclosure, fleet, signs.silent)
        self.outbox = outbox
        self.jobs = jobs

    def agent(self, agent: Agent) -> AgentRead:
        run_id = self.at_work().get(agent.id)
        silent = self.silent([agent.id] if run_id is not None else [])
        return self.fleet.read(agent, run_id, silent.get(agent.id))

    def changed(self, agent: Agent) -> AgentRead:
        """An agent that somebody changed; its long poll finds out at once."""
        self.outbox.wake_agent(agent.id)
        return self.agent(agent)


OverviewsDep = Annotated[_Overviews, Depends()]


@router.get("/systems", tags=["systems"])
def catalog_list_systems(
    overviews: OverviewsDep, project_id: UUID | None = None
) -> Page[SystemRead]:
    """Every system that an agent's plugin describes, as the caller's projects see it, or one."""
    return Page(items=overviews.systems(project_id=project_id))


@router.get("/systems/{system_id}", tags=["systems"])
def catalog_read_system(
    system_id: str, overviews: OverviewsDep, project_id: UUID | None = None
) -> SystemRead:
    """One system, with its documentation."""
    return overviews.systems(system_id, project_id)[0]


@router.get("/agents", tags=["agents"])
def fleet_list_agents(overviews: OverviewsDep, project_id: UUID | None = None) -> Page[AgentRead]:
    """The registered machines, and what they are at."""
    return Page(items=overviews.agents(project_id))


@router.get("/agents/{agent_id}", tags=["agents"])
def fleet_get_agent(agent_id: UUID, overviews: OverviewsDep, response: Response) -> AgentRead:
    """One machine; its ETag is that of what can be changed of it."""
    agent = overviews.fleet.found(overviews.caller, agent_id)
    response.headers["ETag"] = tag_of(agent)
    return overviews.agent(agent)


@router.patch("/agents/{agent_id}", tags=["agents"])
def fleet_change_agent(
    agent_id: UUID,
    body: AgentChange,
    overviews: OverviewsDep,
    response: Response,
    if_match: Annotated[str | None, Header()] = None,
) -> AgentRead:
    """Change an agent's labels, or which projects it works for; takes a maintainer.

    With If-Match only on top of what was edited. Both are kept in the audit log.
    """
    agent = AgentChanges(overviews.fleet).change(overviews.caller, agent_id, body, if_match)
    overviews.jobs.send("campaigns.allocate")  # a run may have waited for such a machine
    response.headers["ETag"] = tag_of(agent)
    return overviews.changed(agent)


@router.post("/agents/{agent_id}/drain", tags=["agents"])
def fleet_drain_agent(agent_id: UUID, overviews: OverviewsDep) -> AgentRead:
    """Give an agent no new runs; what it is at goes on."""
    agent = overviews.fleet.set_draining(overviews.caller, agent_id, draining=True)
    return overviews.changed(agent)


@router.post("/agents/{agent_id}/undrain", tags=["agents"])
def fleet_undrain_agent(agent_id: UUID, overviews: OverviewsDep) -> AgentRead:
    """Give an agent runs again."""
    agent = overviews.fleet.set_draining(overviews.caller, agent_id, draining=False)
    return overviews.changed(agent)


@router.post("/agents/{agent_id}/update", tags=["agents"])
def fleet_update_agent(agent_id: UUID, overviews: OverviewsDep) -> AgentRead:
    """Bring an idle agent up to the platform's version; takes a maintainer.

    It is told at once, installs what the platform serves, and begins anew; it goes back to what it
    had when that does not come up. `software` says how far it is.
    """
    busy = agent_id in overviews.at_work()
    updates = AgentUpdates(overviews.fleet)
    return overviews.changed(updates.ask(overviews.caller, agent_id, busy=busy))


@router.post("/agents/{agent_id}/revoke", tags=["agents"])
def fleet_revoke_agent(agent_id: UUID, overviews: OverviewsDep) -> AgentRead:
    """Make an agent's token worthless; an attempt it is at ends, and is tried elsewhere."""
    return overviews.changed(overviews.fleet.revoke(overviews.caller, agent_id))
