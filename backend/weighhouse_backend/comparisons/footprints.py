"""Memory and disk of sides by moment, beside each other, at one cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args
from uuid import UUID

from weighhouse_backend.comparisons.caveats import caveats_of_cell
from weighhouse_backend.comparisons.comparison import Comparison
from weighhouse_backend.comparisons.errors import ComparisonUnclear
from weighhouse_backend.comparisons.estimates import estimate
from weighhouse_backend.comparisons.scaling_schemas import (
    FootprintFigureRead,
    FootprintRead,
    FootprintSideRead,
    Shown,
)
from weighhouse_backend.comparisons.sides import Side
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.results.distributions import CountedRun, DistributionService
from weighhouse_backend.results.footprints import Footprint, FootprintService, Measure, per_record


@dataclass(frozen=True)
class FootprintReadService:
    """Tells what sides take."""

    runs: DistributionService
    footprints: FootprintService
    disclosure: DisclosureService
    examination: ExaminationService

    def read(self, comparison: Comparison, *, workload: str, load_level: str) -> FootprintRead:
        """Memory and disk of all sides that have results at a cell.

        :param load_level: its label, such as `8 clients`.
        :raises ComparisonUnclear: when no side has results there.
        """
        choice = comparison.choice
        found = self.runs.runs({side.campaign.id for side in choice.sides}, workload, load_level)
        of_side = {
            side.key: [
                run
                for run in found
                if (run.campaign_id, run.target) == (side.campaign.id, side.target.name)
            ]
            for side in choice.sides
        }
        counted = [run for mine in of_side.values() for run in mine]
        if not counted:
            raise ComparisonUnclear(
                f"no side has results of workload {workload!r} at load {load_level!r}"
            )
        taken = self.footprints.of_attempts({run.attempt_id for run in counted})
        shown = [side for side in choice.sides if of_side[side.key]]
        keys = {run.run_id: side for side, mine in of_side.items() for run in mine}
        return FootprintRead(
            completeness=comparison.completeness,
            workload=workload,
            load_level=counted[0].load_level,
            sides=[_side(side, workload, _of(taken, of_side[side.key])) for side in shown],
            caveats=caveats_of_cell(
                shown, self.disclosure, keys, self.examination.of_each_run(keys)
            ),
        )


def _of(taken: Mapping[UUID, Footprint], runs: Sequence[CountedRun]) -> list[Footprint]:
    return [taken[run.attempt_id] for run in runs if run.attempt_id in taken]


def _side(side: Side, workload: str, footprints: Sequence[Footprint]) -> FootprintSideRead:
    loads = (one for one in side.document.workloads if one.name == workload)
    asked = next((one.record_count for one in loads), None)
    told = [one.records for one in footprints if one.records]
    measures: tuple[Measure, ...] = get_args(Measure)
    moments: tuple[Shown, ...] = get_args(Shown)
    figures = [
        FootprintFigureRead(measure=measure, moment=moment, estimate=level)
        for measure in measures
        for moment in moments
        if (level := estimate(_values(footprints, measure, moment, asked))) is not None
    ]
    return FootprintSideRead(
        side=side.key,
        machines=max((one.machines for one in footprints), default=0),
        records=told[0] if told else asked,
        records_told=bool(told),
        figures=figures,
    )


def _values(
    footprints: Sequence[Footprint], measure: Measure, moment: Shown, asked: int | None
) -> list[float]:
    if moment != "per_record":
        return [
            float(one.sizes[measure, moment])
            for one in footprints
            if (measure, moment) in one.sizes
        ]
    added = (
        per_record(
            one.sizes.get((measure, "before")),
            one.sizes.get((measure, "after_load")),
            one.records or asked,
        )
        for one in footprints
    )
    return [one for one in added if one is not None]
