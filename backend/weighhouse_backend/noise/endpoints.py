"""What machines cannot tell."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.noise.dependencies import NoiseServiceDep
from weighhouse_backend.noise.schemas import NoiseFloors
from weighhouse_backend.noise.service import SHOWN_BLOCKS

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


@router.get("/noise-floors", tags=["agents"])
def noise_list_floors(
    caller: CallerDep,
    noise: NoiseServiceDep,
    project_id: UUID | None = None,
    agent_id: UUID | None = None,
    metric: Annotated[str | None, Query(max_length=63)] = None,
    repetitions: Annotated[int, Query(ge=2, le=1000)] = SHOWN_BLOCKS,
) -> NoiseFloors:
    """What machines cannot tell, by cell and figure: found by campaigns that measured every target
    twice (`scenario: noise`), with what each of them found; `floor` is of so many repetitions.
    """
    figure = None if metric is None else CATALOGUE.current_name(metric)
    return noise.read(
        caller, project_id=project_id, agent_id=agent_id, metric=figure, blocks=repetitions
    )
