"""What the scenario of a run gave: made once at settlement, and read."""

from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.load import OpenLoad
from weighhouse_protocol.workload import Workload

from weighhouse_backend.campaigns.documents import measured_document
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.measurements.level_repository import LevelRepository
from weighhouse_backend.measurements.level_service import FIRST
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.results import fill, soak
from weighhouse_backend.results.fill import Material
from weighhouse_backend.results.scenario_schemas import (
    FillRead,
    RunScenarioRead,
    ScenarioFigures,
)
from weighhouse_backend.runs.models import Campaign, Run

SCENARIO = "scenario"
"""Where their figures stand in a record's settled facts, `RunRecord.driver`."""


def material_of(repository: ResultRepository, attempt_id: UUID) -> Material:
    """What was recorded of an attempt that one machine carried out; of one whose intervals were
    removed, the windows of its finest level in their stead.
    """
    intervals = repository.intervals(attempt_id)
    thinned = repository.thinned(attempt_id)
    if thinned is not None and thinned.step_seconds is not None:
        levels = LevelRepository(repository.session)
        windows = levels.pieces(attempt_id, thinned.step_seconds, FIRST)
        intervals = [piece.interval for piece in windows]
    return Material(
        intervals=intervals,
        samples=repository.samples(attempt_id),
        marks=repository.marks(attempt_id),
    )


def figures_of(document: Experiment, workload: Workload, material: Material) -> ScenarioFigures:
    """What the judge makes of a run. Raises HistogramError.

    :param document: of its campaign; `workload` the run's.
    """
    if document.sustained is not None:
        most = document.phases.measure_seconds
        return ScenarioFigures(fill=fill.figures(document.sustained.until, most, material))
    if document.scenario != "soak":
        return ScenarioFigures()
    rates = [one.operation_rates for _, one in document.loads if isinstance(one, OpenLoad)]
    inserts = workload.operations.insert > 0 or any("insert" in one for one in rates)
    return ScenarioFigures(soak=soak.figures(material, inserts=inserts))


@dataclass(frozen=True)
class ScenarioReadService:
    """Reads what was made at settlement, and draws it."""

    repository: ResultRepository
    experiments: ExperimentService

    def of_run(self, run: Run, points: int) -> RunScenarioRead:
        """What the scenario of a run gave, for a caller who may see it.

        :param points: that a line has at most, about.
        """
        campaign = self.repository.session.get_one(Campaign, run.campaign_id)
        document = measured_document(self.experiments, campaign)
        kept = self._kept(run)
        return RunScenarioRead(
            scenario=document.scenario,
            fill=self._fill(run, document, kept, points),
            soak=kept.soak,
        )

    def _kept(self, run: Run) -> ScenarioFigures:
        record = (
            None if run.result_attempt_id is None else self.repository.record(run.result_attempt_id)
        )
        told = {} if record is None else (record.driver or {}).get(SCENARIO, {})
        return ScenarioFigures.model_validate(told)

    def _fill(
        self, run: Run, document: Experiment, kept: ScenarioFigures, points: int
    ) -> FillRead | None:
        if kept.fill is None or document.sustained is None or run.result_attempt_id is None:
            return None
        return fill.fill_read(
            kept.fill,
            document.sustained.until,
            document.phases.measure_seconds,
            material_of(self.repository, run.result_attempt_id),
            points,
        )
