"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.search.repository import SearchRepository
from weighhouse_backend.search.service import SearchService

SERVICES = provided(
    SearchRepository,
    SearchService,
)

SearchServiceDep = Annotated[SearchService, wired(SearchService)]
