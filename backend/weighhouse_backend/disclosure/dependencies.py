"""Hands disclosure to endpoints."""

from typing import Annotated

from fastapi import Depends, Query

from weighhouse_backend.catalog.dependencies import CatalogServiceDep
from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.disclosure.service import DisclosureService


def _service(catalog: CatalogServiceDep) -> DisclosureService:
    return DisclosureService(catalog)


DisclosureServiceDep = Annotated[DisclosureService, Depends(_service)]

AudienceDep = Annotated[
    Audience,
    Query(
        description="For whom it is taken. `others`, `public`: refused (403) unless the terms "
        "of every system in it allow it, by licence, recorded consent or override.",
    ),
]
"""Whom an answer is for; give it the default `internal`."""
