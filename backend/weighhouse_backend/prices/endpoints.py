"""Prices of an organization, and costs by them."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response

from weighhouse_backend.comparisons.endpoints import ReleasedDep
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.identity.senders import sender
from weighhouse_backend.kit.bodies import MEBIBYTE, BoundedRoute, takes
from weighhouse_backend.kit.etags import etag
from weighhouse_backend.kit.problems import ProblemDocument
from weighhouse_backend.prices.dependencies import CostServiceDep, PriceServiceDep
from weighhouse_backend.prices.schemas import CostsRead, PriceName, PriceSheetWrite, PricesRead

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")
CHANGES: dict[int | str, dict[str, Any]] = {
    412: {"model": ProblemDocument},
    422: {"model": ProblemDocument},
}


@router.get("/prices", tags=["prices"])
def prices_read(
    caller: CallerDep, prices: PriceServiceDep, response: Response, project_id: UUID | None = None
) -> PricesRead:
    """The prices of a project's organization, and the shipped table of dated list prices."""
    found = prices.read(caller, project_id)
    response.headers["ETag"] = etag(found.version)
    return found


@router.put("/prices", tags=["prices"], responses=CHANGES)
@takes(MEBIBYTE, sender)
def prices_save(
    body: PriceSheetWrite,
    caller: CallerDep,
    prices: PriceServiceDep,
    response: Response,
    project_id: UUID | None = None,
    if_match: Annotated[str | None, Header()] = None,
) -> PricesRead:
    """Put these prices in the place of all that the organization had; takes a maintainer. With
    If-Match only on top of what was seen.
    """
    saved = prices.save(caller, project_id, body, if_match)
    response.headers["ETag"] = etag(saved.version)
    return saved


@router.get("/comparisons/costs", tags=["comparisons"])
def prices_read_costs(
    costs: CostServiceDep,
    comparison: ReleasedDep,
    price: Annotated[
        PriceName | None,
        Query(description="Of all machines; each machine's own, else the default, when left out"),
    ] = None,
    rate: Annotated[
        float | None,
        Query(gt=0, le=1e12, description="Operations a second, for the cost of a year"),
    ] = None,
) -> CostsRead:
    """What a million operations cost in each cell of sides, and a year at a rate, by prices that
    stand beside them with their dates and sources, and with what they leave out. No verdict rests
    on it.
    """
    return costs.costs(comparison, price, rate)
