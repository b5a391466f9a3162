"""What floors hold for."""

from dataclasses import dataclass
from typing import Self
from uuid import UUID

from weighhouse_backend.noise.models import NoiseMeasurement


@dataclass(frozen=True)
class NoiseKey:
    """What a floor holds for."""

    project_id: UUID
    place: str
    cell_identity: str
    side_family: str
    metric: str

    @classmethod
    def of(cls, row: NoiseMeasurement) -> Self:
        """That of a measurement."""
        return cls(row.project_id, row.place, row.cell_identity, row.side_family, row.metric)
