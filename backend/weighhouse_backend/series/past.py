"""The campaigns of cells' series, from which is learned how much campaigns differ."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import Row
from weighhouse_judging.identity.sides import family
from weighhouse_judging.verdicts.campaigns import MOST_PAST, PastCampaign
from weighhouse_judging.verdicts.lone_anchors import NEXT

from weighhouse_backend.results.identities import CellSeen
from weighhouse_backend.series.environments import environment_of
from weighhouse_backend.series.repository import SeriesRepository

Key = TypeVar("Key", bound=Hashable)
PastOf = Callable[[Key, str], Sequence[PastCampaign]]
"""The campaigns of a cell's series: (the cell, name of the figure)."""


@dataclass(frozen=True)
class PastService:
    """Finds the completed campaigns of cells, whatever was said of them; but for cells that are
    worse beyond chance, which tell of builds and not of noise.
    """

    repository: SeriesRepository

    def of_cells(
        self,
        experiment_id: UUID,
        cells: Mapping[Key, CellSeen],
        *,
        before: UUID | None = None,
        without: Collection[UUID] = (),
    ) -> PastOf[Key]:
        """The campaigns of an experiment's cells, measured in their environment, oldest first; one
        query for all. Of cells without a run that gave figures there are none.

        :param before: a campaign; those alone that were asked for before it.
        :param without: campaigns that are being judged.
        """
        keys = _keys(cells)
        identities = {identity for identity, _ in keys.values()}
        return _by_cell(
            cells, keys, self.repository.past(experiment_id, identities, before, without, MOST_PAST)
        )

    def next_to(
        self,
        experiment_id: UUID,
        cells: Mapping[Key, CellSeen],
        campaign_id: UUID | None,
        *,
        before: UUID,
    ) -> PastOf[Key]:
        """The same of the campaigns that are nearest to one in time, on either side.

        :param campaign_id: itself is not among them; None: there are none.
        """
        if campaign_id is None:
            return lambda _name, _metric: ()
        keys = _keys(cells)
        identities = {identity for identity, _ in keys.values()}
        return _by_cell(
            cells,
            keys,
            self.repository.next_to(experiment_id, identities, campaign_id, before, NEXT),
        )


Keys = Mapping[Key, tuple[str, str]]
"""Of cells: identity and family of side."""


def _keys(cells: Mapping[Key, CellSeen]) -> Keys[Key]:
    return {
        name: (cell.identity().digest, family(cell.side.target).digest)
        for name, cell in cells.items()
        if cell.records
    }


def _by_cell(
    cells: Mapping[Key, CellSeen], keys: Keys[Key], rows: Sequence[Row[Any]]
) -> PastOf[Key]:
    kinds = {name: environment_of(cells[name].document, cells[name].runs) for name in keys}
    found: dict[tuple[str, str, str], dict[str, list[PastCampaign]]] = {}
    for row in sorted(rows, key=lambda row: row.began):
        of_series = found.setdefault((row.cell_identity, row.side_family, row.metric), {})
        one = PastCampaign(tuple(row.repeats), row.place or "")
        of_series.setdefault(row.fingerprint, []).append(one)

    def past(name: Key, metric: str) -> Sequence[PastCampaign]:
        if name not in keys:
            return ()
        segments = found.get((*keys[name], metric), {})
        return segments.get(kinds[name].among(segments), ())

    return past
