"""Noise floors: out of the pairs of twins that A/A campaigns measured."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from weighhouse_judging.verdicts.noise import Floor, floor_of
from weighhouse_judging.verdicts.sides import Judgement, judge, with_family
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.noise.keys import NoiseKey
from weighhouse_backend.noise.models import NoiseMeasurement
from weighhouse_backend.noise.repository import NoiseRepository
from weighhouse_backend.noise.schemas import NoiseFloorRead, NoiseFloors, NoisePointRead

CAMPAIGNS_KEPT = 20
"""The latest A/A campaigns that make a floor: machines change, and with them their noise."""

SHOWN_BLOCKS = 5
"""A floor depends on how many pairs are compared; the one that is shown is of the fewest of which
anything is claimed."""

MOST_MEASUREMENTS = 2000
"""Read for one answer: the latest."""


MOST_EQUALS = 200
"""Cells measured against themselves that are judged for one answer."""


@dataclass(frozen=True)
class Equals:
    """Cells that were measured against themselves, and those that would be called changed."""

    compared: int
    changed: int


@dataclass(frozen=True)
class NoiseService:
    """Keeps what A/A campaigns found, and says what machines cannot tell."""

    repository: NoiseRepository

    def keep(self, campaign_id: UUID, rows: Sequence[dict[str, Any]]) -> None:
        """Keep what a campaign measured. Repeatable: it replaces what was kept of it before.

        :param rows: values of `models.NoiseMeasurement`, a row a cell, place and figure.
        """
        self.repository.replace(campaign_id, rows)

    def learned_from(self, campaign_id: UUID) -> bool:
        """Whether a campaign tells what machines cannot; for features above."""
        return self.repository.has(campaign_id)

    def floors(self, project_id: UUID, cells: Collection[NoiseKey]) -> dict[NoiseKey, Floor]:
        """What machines cannot tell of cells, for each figure; without those of which too few pairs
        told. In one query, out of the latest campaigns of each key; comparison and gate take
        floors as they are.

        :param cells: keys of a project; their metric is not looked at.
        """
        if not cells:
            return {}
        rows = self.repository.latest(
            project_id,
            {one.place for one in cells},
            {one.cell_identity for one in cells},
            CAMPAIGNS_KEPT,
        )
        found = {key: _floor(same) for key, same in _by_key(rows).items()}
        return {key: floor for key, floor in found.items() if floor is not None}

    def equals(self, project_id: UUID) -> Equals:
        """What would be said of the cells that a project measured against themselves, each campaign
        a table; of throughput, the latest.
        """
        tables: dict[UUID, list[Judgement]] = {}
        for row in self.repository.of_figure(project_id, "throughput", MOST_EQUALS):
            first, second = (dict(enumerate(side)) for side in zip(*row.pairs, strict=True))
            judgement = judge(CATALOGUE["throughput"], first, second)
            if judgement is not None and judgement.verdict != "insufficient":
                tables.setdefault(row.campaign_id, []).append(judgement)
        said = [one.verdict for table in tables.values() for one in with_family(table)]
        return Equals(len(said), said.count("changed"))

    def read(
        self,
        caller: Caller,
        *,
        project_id: UUID | None,
        agent_id: UUID | None,
        metric: str | None,
        blocks: int = SHOWN_BLOCKS,
    ) -> NoiseFloors:
        """Floors with what each campaign found, of the caller's projects.

        :param blocks: how many pairs of equal sides a floor is of.

        :raises Forbidden: when a project is not the caller's.
        """
        if project_id is not None:
            caller.require(project_id)
        projects = [project_id] if project_id else caller.project_ids
        found = self.repository.listed(projects, agent_id, metric, MOST_MEASUREMENTS)
        return NoiseFloors(items=[_read(rows, blocks) for rows in _by_key(found).values()])


def _by_key(rows: Sequence[NoiseMeasurement]) -> dict[NoiseKey, list[NoiseMeasurement]]:
    found: dict[NoiseKey, list[NoiseMeasurement]] = {}
    for row in rows:
        found.setdefault(NoiseKey.of(row), []).append(row)
    return found


def _floor(rows: Sequence[NoiseMeasurement]) -> Floor | None:
    return floor_of({f"{row.campaign_id}": [(a, b) for a, b in row.pairs] for row in rows})


def _read(newest_first: Sequence[NoiseMeasurement], blocks: int) -> NoiseFloorRead:
    latest = newest_first[0]
    kept = newest_first[:CAMPAIGNS_KEPT]
    floor = _floor(kept)
    between = None if floor is None else floor.between
    return read_of(
        NoiseFloorRead,
        latest,
        floor=None if floor is None else floor.of_pairs(blocks),
        median_difference=None if floor is None else floor.median_difference,
        p95_difference=None if floor is None else floor.p95_difference,
        largest_difference=None if floor is None else floor.largest_difference,
        between_deviation=None if between is None else math.sqrt(float(between.variance)),
        pairs=sum(len(row.pairs) for row in kept),
        campaigns=len(kept),
        points=[
            _point(row, newest_first[place : place + CAMPAIGNS_KEPT], blocks)
            for place, row in reversed(list(enumerate(newest_first)))
        ],
    )


def _point(
    row: NoiseMeasurement, until_then: Sequence[NoiseMeasurement], blocks: int
) -> NoisePointRead:
    pairs = np.asarray(row.pairs, dtype=np.float64)
    sizes = np.abs(pairs[:, 1] / pairs[:, 0] - 1)
    floor = _floor(until_then)
    return NoisePointRead(
        campaign_id=row.campaign_id,
        measured_at=row.measured_at,
        pairs=len(row.pairs),
        median_difference=float(np.median(sizes)),
        largest_difference=float(sizes.max()),
        floor=None if floor is None else floor.of_pairs(blocks),
    )
