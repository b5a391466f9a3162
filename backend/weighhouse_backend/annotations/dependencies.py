"""Hands the feature's service to endpoints."""

from typing import Annotated

from fastapi import Depends

from weighhouse_backend.annotations.repository import AnnotationRepository
from weighhouse_backend.annotations.service import AnnotationService
from weighhouse_backend.series.dependencies import SeriesDep


def _service(series: SeriesDep) -> AnnotationService:
    campaigns = series.findings.results.campaigns
    return AnnotationService(
        AnnotationRepository(campaigns.session), campaigns.runs, series.history, campaigns.clock
    )


AnnotationServiceDep = Annotated[AnnotationService, Depends(_service)]
