"""Which series of a list."""

from typing import Annotated
from uuid import UUID

from fastapi import Query
from weighhouse_protocol.figures import CATALOGUE


class SeriesFilter:
    """Which series; all conditions hold at once."""

    def __init__(
        self,
        project_id: UUID | None = None,
        system_id: str | None = None,
        workload: str | None = None,
        metric: Annotated[str | None, Query(max_length=63)] = None,
        experiment_id: UUID | None = None,
        campaign_id: UUID | None = None,
    ) -> None:
        """A condition for each that is named.

        :param project_id: default: all projects of who asks.
        :param metric: a figure by its name, or by one that it had before.
        :param campaign_id: those that it has a point of.
        """
        self.project_id = project_id
        self.system_id = system_id
        self.workload = workload
        self.metric = None if metric is None else CATALOGUE.current_name(metric)
        self.experiment_id = experiment_id
        self.campaign_id = campaign_id
