"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated
from uuid import UUID

from fastapi import Depends

from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.execution.dependencies import Execution, ExecutionDep
from weighhouse_backend.faults.service import FaultService
from weighhouse_backend.files.artifacts import ArtifactService
from weighhouse_backend.files.logs import LogService
from weighhouse_backend.files.stores import ArtifactStore, store_of
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.measurements.evidence import EvidenceService
from weighhouse_backend.measurements.level_repository import LevelRepository
from weighhouse_backend.measurements.level_service import LevelService
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.measurements.samples import SampleService
from weighhouse_backend.results.chain_parts import ChainSharing
from weighhouse_backend.results.distributions import DistributionService
from weighhouse_backend.results.expiry import ThinningService
from weighhouse_backend.results.figures import FigureService
from weighhouse_backend.results.footprints import FootprintService
from weighhouse_backend.results.gauge_service import GaugeReadService
from weighhouse_backend.results.ingestion import EventService
from weighhouse_backend.results.run_service import RunReadService
from weighhouse_backend.results.scenario_service import ScenarioReadService
from weighhouse_backend.results.settlement import SettlementService
from weighhouse_backend.runs.models import Run


@dataclass(frozen=True)
class Results:
    """All services of the feature over one transaction."""

    campaigns: Execution

    @cached_property
    def repository(self) -> ResultRepository:
        """The feature's queries."""
        return ResultRepository(self.campaigns.session)

    @cached_property
    def evidence(self) -> EvidenceService:
        """What attempts left behind, for the features above."""
        return EvidenceService(self.repository)

    @cached_property
    def events(self) -> EventService:
        """Takes in what attempts report."""
        campaigns = self.campaigns
        return EventService(
            self.repository, campaigns.intake, campaigns.runs, self.levels,
            campaigns.settings.attempt_events,
        )  # fmt: skip

    @cached_property
    def levels(self) -> LevelService:
        """Builds and reads the levels of runs."""
        return LevelService(LevelRepository(self.campaigns.session), self.repository, self.sampling)

    @cached_property
    def sampling(self) -> SampleService:
        """Merges and reads resource samples."""
        return SampleService(self.campaigns.session)

    @cached_property
    def logs(self) -> LogService:
        """Takes in logs."""
        return LogService(self.repository, self.campaigns.intake, self.campaigns.settings)

    @cached_property
    def artifacts(self) -> ArtifactService:
        """Takes in files."""
        campaigns = self.campaigns
        return ArtifactService(
            self.repository, campaigns.intake, self.store, campaigns.quotas, campaigns.clock,
            campaigns.settings,
        )  # fmt: skip

    @cached_property
    def store(self) -> ArtifactStore:
        """Where contents of files lie."""
        return store_of(self.campaigns.settings)

    @cached_property
    def thinning(self) -> ThinningService:
        """Removes what is older than it is kept."""
        return ThinningService(
            self.repository, self.levels, self.faults, self.store, self.campaigns.clock
        )

    @cached_property
    def settlement(self) -> SettlementService:
        """Makes figures of what was reported."""
        campaigns = self.campaigns
        return SettlementService(
            self.repository,
            self.levels,
            self.faults,
            campaigns.runs,
            campaigns.clock,
            campaigns.experiments,
            ChainSharing(campaigns.session, self.repository, campaigns.chains),
        )

    @cached_property
    def footprints(self) -> FootprintService:
        """What systems took at each moment."""
        return FootprintService(self.campaigns.session, self.repository)

    @cached_property
    def faults(self) -> FaultService:
        """What faults cost."""
        return FaultService(self.repository, self.levels)

    @cached_property
    def reading(self) -> RunReadService:
        """Runs for reading."""
        campaigns = self.campaigns
        return RunReadService(
            self.repository,
            self.levels,
            self.sampling,
            campaigns.runs,
            campaigns.experiments,
            campaigns.chains,
            campaigns.catalog,
            campaigns.clock,
        )

    @cached_property
    def gauges(self) -> GaugeReadService:
        """What was sampled of runs besides processor and memory."""
        return GaugeReadService(self.reading)

    @cached_property
    def scenarios(self) -> ScenarioReadService:
        """What the scenarios of runs gave."""
        return ScenarioReadService(self.repository, self.campaigns.experiments)

    @cached_property
    def figures(self) -> FigureService:
        """Figures for the features above."""
        return FigureService(self.campaigns.session, self.repository)

    @cached_property
    def distributions(self) -> DistributionService:
        """Histograms for the features above."""
        return DistributionService(self.campaigns.session, self.repository)


def _results(campaigns: ExecutionDep) -> Results:
    return Results(campaigns)


ResultsDep = Annotated[Results, Depends(_results)]


def _visible_run(
    run_id: UUID, caller: CallerDep, campaigns: ExecutionDep, audience: AudienceDep = "internal"
) -> Run:
    run = campaigns.runs.visible(caller, run_id)
    if audience != "internal":
        target = campaigns.repository.cell(run.cell_id).target
        campaigns.leaving.require(campaigns.campaigns.get(run.campaign_id), audience, {target})
    return run


VisibleRunDep = Annotated[Run, Depends(_visible_run)]
"""The run of the path, if the caller may see it, and may take it along for whom they say."""
