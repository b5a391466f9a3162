"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from fastapi import Query

from weighhouse_backend.disclosure.challenges import ChallengeService
from weighhouse_backend.disclosure.consents import RecordService
from weighhouse_backend.disclosure.publication import PublicationService
from weighhouse_backend.disclosure.replies import ReplyService
from weighhouse_backend.disclosure.repository import DisclosureRepository
from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.kit.services import provided, wired

SERVICES = provided(
    ChallengeService,
    DisclosureRepository,
    DisclosureService,
    PublicationService,
    RecordService,
    ReplyService,
)

DisclosureServiceDep = Annotated[DisclosureService, wired(DisclosureService)]

AudienceDep = Annotated[
    Audience,
    Query(
        description="For whom it is taken. `others`, `public`: refused (403) unless the terms "
        "of every system in it allow it, by licence, recorded consent or override.",
    ),
]
"""Whom an answer is for; give it the default `internal`."""
