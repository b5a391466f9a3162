"""Requests of directories, answered by the library scim2-server."""

from fastapi import Request
from scim2_models import SCIMException, UnauthorizedException
from scim2_server.handler import ScimHandler
from scim2_server.requests import ScimRequest
from scim2_server.responses import ScimResponse
from sqlalchemy.orm import Session

from weighhouse_backend.directories.accounts import Accounts, scim_service
from weighhouse_backend.directories.service import PATH, DirectoryService, root
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.rates import client_address, of_tenant, recognized
from weighhouse_backend.kit.tenancy import confine_to_people
from weighhouse_backend.membership.service import MembershipService

SCIM = scim_service()


def answer(request: Request, session: Session, body: bytes) -> ScimResponse:
    """What the directory is told whose token was sent, or that there is none.

    :param body: of the request, whatever it holds.
    """
    settings = request.app.state.settings
    service = DirectoryService(session, SystemClock(), settings)
    asked = ScimRequest(
        method=request.method, base_url=root(settings),
        path=request.scope["path"].removeprefix(PATH), query=dict(request.query_params),
        headers=request.headers.items(), body=body,
    )  # fmt: skip
    try:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        row = None
        if scheme.lower() == "bearer" and token:
            row = service.recognize(token.strip(), client_address(request.scope))
        if row is None:
            raise UnauthorizedException(detail="this token is unknown, or another took its place")
        recognized(request, f"directory:{row.id}")
        of_tenant(request, row.organization_id)
        people = MembershipService(session, SystemClock())
        confine_to_people(session, people.projects_of(row.organization_id))
        accounts = Accounts(people, row.organization_id, "the directory")
        return ScimHandler(SCIM, accounts).handle(asked)
    except SCIMException as error:
        return SCIM.error_response(error)
