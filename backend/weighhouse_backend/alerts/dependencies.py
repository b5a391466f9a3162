"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

import datetime
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from fastapi import Depends

from weighhouse_backend.alerts.alert_reader import AlertReading
from weighhouse_backend.alerts.alert_repository import AlertRowRepository
from weighhouse_backend.alerts.alert_writer import RaisingService
from weighhouse_backend.alerts.causes import CauseService
from weighhouse_backend.alerts.missed import MissedService
from weighhouse_backend.alerts.repository import AlertRepository
from weighhouse_backend.alerts.rules import RuleService
from weighhouse_backend.alerts.triage import TriageService
from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.membership.service import MembershipService
from weighhouse_backend.series.dependencies import SeriesDep, SeriesKept


@dataclass(frozen=True)
class Alerts:
    """All services of the feature over one transaction."""

    series: SeriesKept

    @cached_property
    def repository(self) -> AlertRepository:
        """The feature's queries."""
        return AlertRepository(self.series.repository.session)

    @cached_property
    def watching(self) -> WatchService:
        """Looks for change points."""
        campaigns = self.series.findings.results.campaigns
        return WatchService(self.repository, self.series.history, self.causes, campaigns.clock)

    @cached_property
    def rows(self) -> AlertRowRepository:
        """Queries of alerts themselves."""
        return AlertRowRepository(self.series.repository.session)

    @cached_property
    def raising(self) -> RaisingService:
        """Raises alerts of changes."""
        clock = self.series.findings.results.campaigns.clock
        return RaisingService(self.rows, self.series.history, clock)

    @cached_property
    def causes(self) -> CauseService:
        """Tells one cause once."""
        return CauseService(self.repository, self.raising)

    @cached_property
    def people(self) -> MembershipService:
        """Who may look after an alert."""
        campaigns = self.series.findings.results.campaigns
        return MembershipService(campaigns.session, campaigns.clock)

    @cached_property
    def reading(self) -> AlertReading:
        """Shows alerts."""
        campaigns = self.series.findings.results.campaigns
        return AlertReading(
            self.rows,
            self.repository,
            self.series.history,
            campaigns.commits,
            campaigns.experiments,
            campaigns.fleet,
            self.people,
        )

    @cached_property
    def triage(self) -> TriageService:
        """Keeps what people say of alerts."""
        clock = self.series.findings.results.campaigns.clock
        return TriageService(self.rows, self.reading, self.people, clock)

    @cached_property
    def rules(self) -> RuleService:
        """Keeps and tries rules."""
        campaigns = self.series.findings.results.campaigns
        return RuleService(
            self.rows, self.repository, self.series.history, campaigns.experiments, campaigns.clock
        )

    @cached_property
    def missed(self) -> MissedService:
        """Looks for what did not take place."""
        campaigns = self.series.findings.results.campaigns
        return MissedService(
            self.rows,
            campaigns.scheduling.schedules,
            campaigns.experiments,
            campaigns.campaigns,
            campaigns.fleet,
            campaigns.clock,
            datetime.timedelta(minutes=campaigns.settings.silent_agent_minutes),
        )


def _alerts(series: SeriesDep) -> Alerts:
    return Alerts(series)


AlertsDep = Annotated[Alerts, Depends(_alerts)]
