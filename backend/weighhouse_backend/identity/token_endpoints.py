"""API tokens."""

from uuid import UUID

from fastapi import APIRouter

from weighhouse_backend.identity.access import ManagerDep
from weighhouse_backend.identity.dependencies import TokenServiceDep
from weighhouse_backend.identity.schemas import (
    ApiTokenCreate,
    ApiTokenMade,
    ApiTokenRead,
    ApiTokenRotate,
)
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.pages import Page, PageDep

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


@router.get("/api-tokens", tags=["tokens"])
def identity_list_tokens(
    caller: ManagerDep,
    tokens: TokenServiceDep,
    page: PageDep,
    project_id: UUID | None = None,
) -> Page[ApiTokenRead]:
    """The API tokens of a project: to a maintainer all, to others their own."""
    found = tokens.list(caller, project_id, page)
    return found.of(ApiTokenRead.model_validate(row) for row in found.items)


@router.post("/api-tokens", status_code=201, tags=["tokens"])
def identity_make_token(
    body: ApiTokenCreate, caller: ManagerDep, tokens: TokenServiceDep
) -> ApiTokenMade:
    """Make an API token; it is shown this once."""
    row, token = tokens.make(caller, body)
    return ApiTokenMade(**ApiTokenRead.model_validate(row).model_dump(), token=token)


@router.post("/api-tokens/{token_id}/rotate", status_code=201, tags=["tokens"])
def identity_rotate_token(
    token_id: UUID, body: ApiTokenRotate, caller: ManagerDep, tokens: TokenServiceDep
) -> ApiTokenMade:
    """Make a token in the place of one, which holds a while longer; it is shown this once."""
    row, token = tokens.rotate(caller, token_id, body.overlap_hours)
    return ApiTokenMade(**ApiTokenRead.model_validate(row).model_dump(), token=token)


@router.delete("/api-tokens/{token_id}", status_code=204, tags=["tokens"])
def identity_revoke_token(token_id: UUID, caller: ManagerDep, tokens: TokenServiceDep) -> None:
    """Make a token worthless at once."""
    tokens.revoke(caller, token_id)
