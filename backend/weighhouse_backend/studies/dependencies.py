"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.campaigns.latest import LatestService
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.comparisons.service import ComparisonService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.results.figures import FigureService
from weighhouse_backend.studies.folders import read_studies
from weighhouse_backend.studies.service import StudyService
from weighhouse_backend.studies.study_runs import StudyRunService


def _studies(
    settings: Settings,
    comparisons: ComparisonService,
    experiments: ExperimentService,
    latest: LatestService,
    catalog: CatalogService,
    figures: FigureService,
) -> StudyService:
    folders = read_studies(settings.experiments_dir)
    return StudyService(folders, comparisons, experiments, latest, catalog, figures)


SERVICES = provided(StudyRunService, by=(_studies,))

StudyServiceDep = Annotated[StudyService, wired(StudyService)]
StudyRunServiceDep = Annotated[StudyRunService, wired(StudyRunService)]
