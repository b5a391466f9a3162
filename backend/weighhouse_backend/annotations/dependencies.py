"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.annotations.repository import AnnotationRepository
from weighhouse_backend.annotations.service import AnnotationService
from weighhouse_backend.kit.services import provided, wired

SERVICES = provided(
    AnnotationRepository,
    AnnotationService,
)

AnnotationServiceDep = Annotated[AnnotationService, wired(AnnotationService)]
