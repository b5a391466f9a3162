"""Puts the feature's services together: for endpoints, and for features above."""

from typing import Annotated

from fastapi import Depends
from sqlalchemy.orm import Session

from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.noise.repository import NoiseRepository
from weighhouse_backend.noise.service import NoiseService


def noise_over(session: Session) -> NoiseService:
    """The feature over a transaction."""
    return NoiseService(NoiseRepository(session))


def _noise(session: SessionDep) -> NoiseService:
    return noise_over(session)


NoiseDep = Annotated[NoiseService, Depends(_noise)]
