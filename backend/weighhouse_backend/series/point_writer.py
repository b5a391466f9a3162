"""What a settled campaign measured, as points of its series: worked out, and written together."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.orm import Session
from weighhouse_judging.arithmetic import statistics
from weighhouse_judging.arithmetic.intervals import level_or_range
from weighhouse_judging.identity.sides import family
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

from weighhouse_backend.kit.db import Base, among
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.results.identities import CellSeen, place_of_runs
from weighhouse_backend.results.repeats import by_cell, values
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.series.environments import Environment, environment_of
from weighhouse_backend.series.models import Series, SeriesPoint

Key = tuple[Any, ...]
KEY = ("experiment_id", "metric", "cell_identity", "side_family")
"""Names a series."""
COLUMNS = [getattr(Series, name) for name in KEY]


@dataclass(frozen=True)
class Measured:
    """One metric of one cell of one side."""

    series: Mapping[str, Any]
    """Its series: the key, and what describes it now."""
    point: Mapping[str, Any]
    """The rest of the point's columns, but for its segment."""
    environment: Environment
    """What it was measured on."""

    @property
    def key(self) -> Key:
        """Which series it is a point of."""
        return tuple(self.series[name] for name in KEY)


def measured(
    campaign: Campaign,
    document: Experiment,
    runs: Sequence[RunFigures],
    manifests: Mapping[str, Manifest],
) -> Iterator[Measured]:
    """Whatever a campaign's runs gave figures for.

    :param manifests: by system.
    """
    for target in document.targets:
        mine = [run for run in runs if run.target == target.name]
        cells: dict[str, list[RunFigures]] = {}
        for cell_runs in by_cell(mine).values():
            seen = CellSeen(document, cell_runs, manifests.get(target.system))
            cells.setdefault(seen.identity().digest, []).extend(cell_runs)
        for identity, cell_runs in cells.items():
            yield from _of_cell(campaign, document, target, identity, cell_runs)


def _of_cell(
    campaign: Campaign,
    document: Experiment,
    target: Target,
    identity: str,
    runs: Sequence[RunFigures],
) -> Iterator[Measured]:
    run = runs[0]
    series = {
        "experiment_id": campaign.experiment_id,
        "cell_identity": identity,
        "side_family": family(target).digest,
        "project_id": campaign.project_id,
        "system_id": target.system,
        "target": run.target,
        "workload": run.workload,
        "load_label": run.load_label,
        "load_kind": run.load_kind,
        "load_value": run.load_value,
    }
    found = environment_of(document, runs)
    point = {
        "campaign_id": campaign.id,
        "project_id": campaign.project_id,
        "campaign_number": campaign.number,
        "at": campaign.created_at,
        "environment": found.words,
        "version": found.version,
        "kernel": found.kernel,
        "memory_bytes": found.memory_bytes,
        "place": place_of_runs(runs),
    }
    for metric in (one.name for one in CATALOGUE.in_series):
        repeats = values(runs, metric)
        if repeats:
            bounds = level_or_range(repeats)
            figures = {
                "value": statistics.median(repeats),
                "low": bounds.low,
                "high": bounds.high,
                "repeats": list(repeats),
            }
            yield Measured({**series, "metric": metric}, point | figures, found)


@dataclass(frozen=True)
class PointWriter:
    """Writes points: four statements for all that a campaign measured, however much it is."""

    session: Session

    def write(self, points: Collection[Measured]) -> list[UUID]:
        """Write a campaign's points over those that are there; their series are made where there
        are none, and what describes those is brought up to date.

        :param points: of one campaign; of two in one series the later counts.
        :returns: the series.
        """
        by_key = {one.key: one for one in points}
        if not by_key:
            return []
        # Those that are new are numbered as they come: lists of series have them in that order.
        ids = self._series({key: {"id": new_id(), **one.series} for key, one in by_key.items()})
        kinds = self._kinds(list(ids.values()), next(iter(by_key.values())).point["campaign_id"])
        rows = [
            {
                **one.point,
                "series_id": ids[key],
                "fingerprint": one.environment.among(kinds.get(ids[key], ())),
            }
            for key, one in by_key.items()
        ]
        self.session.execute(_over(SeriesPoint, ("series_id", "campaign_id"), rows[0]), rows)
        return list(ids.values())

    def _series(self, rows: Mapping[Key, dict[str, Any]]) -> dict[Key, UUID]:
        known = self._known(rows)
        # Whoever locks several series does so in order of their ids, the watch too; two campaigns
        # that make the same ones do it in order of their keys, behind those that are there.
        in_order = sorted(rows, key=lambda one: (one not in known, known.get(one, one)))
        written = _over(Series, KEY, rows[in_order[0]]).returning(Series.id, *COLUMNS)
        found = self.session.execute(written, [rows[one] for one in in_order])
        ids = {tuple(key): series_id for series_id, *key in found}
        return {key: ids[key] for key in rows}

    def _known(self, keys: Collection[Key]) -> dict[Key, UUID]:
        """Those that are there, with their ids."""
        experiments, _, cells, _ = (set(each) for each in zip(*keys, strict=True))
        there = select(Series.id, *COLUMNS).where(
            among(Series.experiment_id, experiments), Series.cell_identity.in_(cells)
        )
        return {tuple(key): series_id for series_id, *key in self.session.execute(there)}

    def _kinds(self, series_ids: Collection[UUID], but: UUID) -> dict[UUID, list[str]]:
        """Series → the kinds of its segments, in the order in which campaigns of them were asked
        for.

        :param but: a campaign whose points are not looked at.
        """
        found: dict[UUID, list[str]] = {}
        for series_id, kind in self.session.execute(
            select(SeriesPoint.series_id, SeriesPoint.fingerprint)
            .where(among(SeriesPoint.series_id, series_ids), SeriesPoint.campaign_id != but)
            .group_by(SeriesPoint.series_id, SeriesPoint.fingerprint)
            .order_by(func.min(SeriesPoint.at), SeriesPoint.fingerprint)
        ):
            found.setdefault(series_id, []).append(kind)
        return found


def _over(table: type[Base], key: Sequence[str], row: Mapping[str, Any]) -> Insert:
    """Inserts rows of the columns that one has, over those of the same key; these keep their id."""
    made = insert(table)
    new = {name: made.excluded[name] for name in row if name not in {"id", *key}}
    return made.on_conflict_do_update(index_elements=list(key), set_=new)
