"""Puts the feature's services together."""

from typing import Annotated

from fastapi import Depends, Request

from weighhouse_backend.comparisons.dependencies import ComparisonsDep
from weighhouse_backend.studies.folders import read_studies
from weighhouse_backend.studies.service import StudyService
from weighhouse_backend.studies.study_runs import StudyRunService


def _studies(request: Request, comparisons: ComparisonsDep) -> StudyService:
    return StudyService(read_studies(request.app.state.settings.experiments_dir), comparisons)


def _running(comparisons: ComparisonsDep) -> StudyRunService:
    return StudyRunService(comparisons.findings.results.campaigns)


StudiesDep = Annotated[StudyService, Depends(_studies)]
StudyRunsDep = Annotated[StudyRunService, Depends(_running)]
