"""What machines cannot tell of the cells that are judged: their noise floors, read at once."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import UUID

from weighhouse_judging.identity.sides import family
from weighhouse_judging.verdicts.noise import Floor

from weighhouse_backend.comparisons.identities import CellSeen, place_of_runs
from weighhouse_backend.noise.repository import NoiseKey
from weighhouse_backend.noise.service import NoiseService

Key = TypeVar("Key", bound=Hashable)
FloorOf = Callable[[Key, str], Floor | None]
"""The floor of a cell's figure: (the cell, name of the figure)."""


@dataclass(frozen=True)
class FloorService:
    """Finds the floors of cells, by where and what they were measured."""

    noise: NoiseService

    def of_cells(self, project_id: UUID, cells: Mapping[Key, CellSeen]) -> FloorOf[Key]:
        """The floors of a project's cells; the queries do not grow with their number.

        A cell whose machine is not known, or was never measured against itself, has none.
        """
        keys = {
            name: NoiseKey(
                project_id, place, cell.identity().digest, family(cell.side.target).digest, ""
            )
            for name, cell in cells.items()
            if (place := place_of_runs(cell.runs)) is not None
        }
        found = self.noise.floors(project_id, set(keys.values()))

        def floor(name: Key, metric: str) -> Floor | None:
            key = keys.get(name)
            return None if key is None else found.get(replace(key, metric=metric))

        return floor
