"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from fastapi import Depends, Request

from weighhouse_backend.disclosure.errors import ReplyLinkInvalid
from weighhouse_backend.disclosure.models import ReplyLink
from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.publishing.service import PublishingService

SERVICES = provided(PublishingService)

PublishingServiceDep = Annotated[PublishingService, wired(PublishingService)]


def _link(request: Request, publishing: PublishingServiceDep) -> ReplyLink:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise ReplyLinkInvalid("what stands behind its # did not come along; open the whole link")
    return publishing.answers.open(token.strip())


ReplyLinkDep = Annotated[ReplyLink, Depends(_link)]
"""The link that a vendor came by; the transaction sees its project alone."""
