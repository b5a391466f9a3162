"""What is known of the noise of cells that are judged: floors, and how much campaigns differ."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import UUID

from weighhouse_judging.arithmetic.intervals import Between
from weighhouse_judging.identity.sides import family
from weighhouse_judging.verdicts.campaigns import learned
from weighhouse_judging.verdicts.noise import Floor

from weighhouse_backend.noise.keys import NoiseKey
from weighhouse_backend.noise.service import NoiseService
from weighhouse_backend.results.identities import CellSeen, place_of_runs
from weighhouse_backend.results.repeats import CellKey
from weighhouse_backend.series.past import PastOf

Key = TypeVar("Key", bound=Hashable)
FloorOf = Callable[[Key, str], Floor | None]
"""The floor of a cell's figure: (the cell, name of the figure)."""
SideCell = tuple[str, CellKey]
"""A cell of a side, by the side's key."""


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
        if not found:
            return lambda _name, _metric: None

        by_figure = {(replace(key, metric=""), key.metric): one for key, one in found.items()}

        def floor(name: Key, metric: str) -> Floor | None:
            return by_figure.get((keys[name], metric)) if name in keys else None

        return floor


@dataclass(frozen=True)
class SideNoise:
    """What is known of the noise of sides' cells; of several sides the noisiest counts."""

    floor_of: FloorOf[SideCell] = lambda _cell, _metric: None
    past_of: PastOf[SideCell] = lambda _cell, _metric: ()

    def floor(self, sides: Iterable[str], cell: CellKey, metric: str) -> Floor | None:
        """The floor that counts."""
        found = (self.floor_of((side, cell), metric) for side in sides)
        known = [floor for floor in found if floor is not None]
        return max(known, key=lambda floor: float(floor.within.variance), default=None)

    def between(self, sides: Iterable[str], cell: CellKey, metric: str) -> Between | None:
        """How much campaigns differ, by the sides' series and their floors; None: not known."""
        known = []
        for side in sides:
            seen = learned(self.past_of((side, cell), metric))
            floor = self.floor_of((side, cell), metric)
            of_floor = None if floor is None else floor.between
            if seen is not None and of_floor is not None:
                known.append(seen.between.with_more(of_floor, seen.within))
            elif seen is not None:
                known.append(seen.between)
            elif of_floor is not None:
                known.append(of_floor)
        return max(known, key=lambda one: float(one.variance), default=None)


NOTHING_KNOWN = SideNoise()
