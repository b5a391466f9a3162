"""Letting a directory in, for owners; and SCIM 2.0, for the directory (RFC 7643, RFC 7644)."""

from importlib import import_module
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import JSONResponse

from weighhouse_backend.directories.dependencies import DirectoryServiceDep
from weighhouse_backend.directories.schemas import DirectoryMade, DirectoryRead
from weighhouse_backend.directories.service import PATH, SCIM_MEDIA_TYPE
from weighhouse_backend.identity.access import ManagerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.db import SessionDep

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["people"])
scim_router = APIRouter(route_class=BoundedRoute, prefix=PATH, tags=["directory"])
ANSWERING = "weighhouse_backend.directories.scim_requests"
"""Knows SCIM; loaded when a directory first asks, since its library takes seconds to load."""


@router.get("/directory")
def directories_read(
    caller: ManagerDep, service: DirectoryServiceDep, project_id: UUID | None = None
) -> DirectoryRead:
    """The directory that takes people out of a project's organization; takes an owner of it."""
    return service.read(caller, project_id)


@router.post("/directory", status_code=201)
def directories_let_in(
    caller: ManagerDep, service: DirectoryServiceDep, project_id: UUID | None = None
) -> DirectoryMade:
    """Make a token for the directory of a project's organization; the one before ends at once.
    Takes an owner of the organization.
    """
    return service.let_in(caller, project_id)


@router.delete("/directory", status_code=204)
def directories_shut_out(
    caller: ManagerDep, service: DirectoryServiceDep, project_id: UUID | None = None
) -> None:
    """End the directory's token; whom it took out stays out. Takes an owner of the organization."""
    service.shut_out(caller, project_id)


class ScimJson(JSONResponse):
    """An answer of SCIM."""

    media_type = SCIM_MEDIA_TYPE


async def _body(request: Request) -> bytes:
    return await request.body()


def _answer(request: Request, session: SessionDep, body: Annotated[bytes, Depends(_body)]) -> Any:
    """What the library answers to a request of the directory whose token was sent."""
    return import_module(ANSWERING).answer(request, session, body)


AnswerDep = Annotated[Any, Depends(_answer)]


def _sent(answer: Any) -> Response:
    headers = {name: value for name, value in answer.headers.items() if name != "Content-Type"}
    if answer.body is None:
        return Response(status_code=answer.status, headers=headers)
    return ScimJson(answer.body, status_code=answer.status, headers=headers)


def _parameters(**kinds: str) -> dict[str, Any]:
    return {
        "parameters": [
            {"name": name, "in": "query", "schema": {"type": kind}} for name, kind in kinds.items()
        ]
    }


def _takes_body() -> dict[str, Any]:
    schema = {"schema": {"type": "object"}}
    return {
        "requestBody": {
            "required": True,
            "content": {SCIM_MEDIA_TYPE: schema, "application/json": schema},
        }
    }


SHOWN = {"attributes": "string", "excludedAttributes": "string"}
FOUND = {"filter": "string", "startIndex": "integer", "count": "integer", **SHOWN}


@scim_router.get("/ServiceProviderConfig", response_class=ScimJson)
def directories_read_abilities(answer: AnswerDep) -> Response:
    """What of SCIM is here."""
    return _sent(answer)


@scim_router.get("/ResourceTypes", response_class=ScimJson)
def directories_list_kinds(answer: AnswerDep) -> Response:
    """The kinds of things that are here: members."""
    return _sent(answer)


@scim_router.get("/ResourceTypes/{kind}", response_class=ScimJson)
def directories_read_kind(kind: str, answer: AnswerDep) -> Response:
    """One kind of things."""
    del kind
    return _sent(answer)


@scim_router.get("/Schemas", response_class=ScimJson)
def directories_list_schemas(answer: AnswerDep) -> Response:
    """What members consist of."""
    return _sent(answer)


@scim_router.get("/Schemas/{urn}", response_class=ScimJson)
def directories_read_schema(urn: str, answer: AnswerDep) -> Response:
    """One schema."""
    del urn
    return _sent(answer)


@scim_router.get("/Users", response_class=ScimJson, openapi_extra=_parameters(**FOUND))
def directories_find_accounts(answer: AnswerDep) -> Response:
    """Members of the organization; `filter=userName eq "…"` finds the one with an address."""
    return _sent(answer)


@scim_router.post("/Users", response_class=ScimJson, openapi_extra=_takes_body())
def directories_add_account(answer: AnswerDep) -> Response:
    """Refused: people come in by an invitation, or by a group when they sign in."""
    return _sent(answer)


@scim_router.get("/Users/{account_id}", response_class=ScimJson, openapi_extra=_parameters(**SHOWN))
def directories_read_account(account_id: str, answer: AnswerDep) -> Response:
    """A member."""
    del account_id
    return _sent(answer)


@scim_router.put(
    "/Users/{account_id}",
    response_class=ScimJson,
    openapi_extra={**_parameters(**SHOWN), **_takes_body()},
)
def directories_replace_account(account_id: str, answer: AnswerDep) -> Response:
    """Take a member out by `active: false`; nothing else that is sent is kept."""
    del account_id
    return _sent(answer)


@scim_router.patch(
    "/Users/{account_id}",
    response_class=ScimJson,
    openapi_extra={**_parameters(**SHOWN), **_takes_body()},
)
def directories_change_account(account_id: str, answer: AnswerDep) -> Response:
    """Take a member out by `active: false`; nothing else that is sent is kept."""
    del account_id
    return _sent(answer)


@scim_router.delete("/Users/{account_id}", status_code=204, response_class=Response)
def directories_remove_account(account_id: str, answer: AnswerDep) -> Response:
    """Take a member out of the organization, with what they have in it."""
    del account_id
    return _sent(answer)
