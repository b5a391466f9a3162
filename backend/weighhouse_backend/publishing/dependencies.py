"""Puts the feature's services together."""

from typing import Annotated

from fastapi import Depends, Request

from weighhouse_backend.comparisons.dependencies import ComparisonsDep
from weighhouse_backend.disclosure.challenges import ChallengeService
from weighhouse_backend.disclosure.consents import RecordService
from weighhouse_backend.disclosure.errors import ReplyLinkInvalid
from weighhouse_backend.disclosure.models import ReplyLink
from weighhouse_backend.disclosure.replies import ReplyService
from weighhouse_backend.publishing.service import PublishingService


def _publishing(comparisons: ComparisonsDep) -> PublishingService:
    campaigns = comparisons.findings.results.campaigns
    repository = comparisons.findings.disclosure.publication.repository
    return PublishingService(
        comparisons,
        RecordService(repository, campaigns.clock),
        ReplyService(repository, campaigns.clock, campaigns.settings),
        ChallengeService(repository, campaigns.clock),
    )


PublishingDep = Annotated[PublishingService, Depends(_publishing)]


def _link(request: Request, publishing: PublishingDep) -> ReplyLink:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise ReplyLinkInvalid(
            "what stands behind its # did not come along (`Authorization: Bearer TOKEN`); open the "
            "whole link"
        )
    return publishing.answers.open(token.strip())


ReplyLinkDep = Annotated[ReplyLink, Depends(_link)]
"""The link that a vendor came by; the transaction sees its project alone."""
