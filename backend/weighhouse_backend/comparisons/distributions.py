"""Whole distributions of sides: their percentile spectra over each other, and how they shift."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from weighhouse_judging.arithmetic.histograms import Histogram
from weighhouse_judging.arithmetic.intervals import FEWEST_FOR_AN_INTERVAL
from weighhouse_judging.arithmetic.spectra import QUANTILES, shift_curve, spectrum

from weighhouse_backend.comparisons.caveats import caveats_of_cell
from weighhouse_backend.comparisons.comparison import Comparison
from weighhouse_backend.comparisons.errors import ComparisonUnclear
from weighhouse_backend.comparisons.schemas import (
    DistributionsRead,
    QuantileRead,
    ShiftCurveRead,
    ShiftRead,
    SideSpectrumRead,
)
from weighhouse_backend.comparisons.sides import Choice, Side
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.findings.histograms import HistogramService, Wanted
from weighhouse_backend.results.distributions import Block, CountedRun, DistributionService
from weighhouse_backend.results.histogram_files import HistogramExport

MOST_HISTOGRAMS = 400
"""Read for one answer. One takes about 0.2 ms to decode and, while its side and the baseline are
looked at, 0.2 MB."""

STEPS_OF_A_DECADE = 8
DECADES = 6
DRAWN = tuple(
    sorted(
        {*QUANTILES}
        | {
            round(1 - 10 ** (-step / STEPS_OF_A_DECADE), 9)
            for step in range(1, DECADES * STEPS_OF_A_DECADE + 1)
        }
    )
)
"""Percentiles of an answer: evenly spaced where 1 / (1 - p) is drawn by its logarithm, and the
usual ones."""

Recorded = Mapping[Block, Histogram]


@dataclass(frozen=True)
class SpectrumService:
    """Reads the distributions of sides at one cell."""

    distributions: DistributionService
    disclosure: DisclosureService
    examination: ExaminationService
    histograms: HistogramService
    most_histograms: int = MOST_HISTOGRAMS

    def read(
        self, comparison: Comparison, *, workload: str, load_level: str, operation: str
    ) -> DistributionsRead:
        """The spectra of all sides and, for each but the baseline, the shift of its percentiles.

        :param load_level: its label, such as `8 clients`.
        :param operation: `all` or one of those measured.
        :raises ComparisonUnclear: when no side has results there, when nothing of that operation
            was measured, or when more than `most_histograms` would have to be read.
        """
        choice = comparison.choice
        runs = self._runs(choice, workload, load_level)
        counted = [run for mine in runs.values() for run in mine]
        known = self.distributions.operations(counted)
        if operation not in known:
            raise ComparisonUnclear(
                f"no operation {operation!r} was measured there; there is {', '.join(known)}"
            )
        encoded = self.distributions.histograms(counted, operation)

        def recorded(side: Side) -> dict[Block, Histogram]:
            return {
                run.block: Histogram.merged([encoded[run.run_id].encoded])
                for run in runs[side.key]
                if run.run_id in encoded
            }

        shown = [
            side for side in choice.sides if any(run.run_id in encoded for run in runs[side.key])
        ]
        keys = {run.run_id: side for side, mine in runs.items() for run in mine}
        return DistributionsRead(
            completeness=comparison.completeness,
            workload=workload,
            load_level=counted[0].load_level,
            operation=operation,
            operations=known,
            fewest_for_a_band=FEWEST_FOR_AN_INTERVAL,
            sides=[_spectrum(side.key, recorded(side)) for side in shown],
            shifts=list(_shifts(choice, {side.key for side in shown}, recorded)),
            caveats=caveats_of_cell(
                shown, self.disclosure, keys, self.examination.of_each_run(keys)
            ),
        )

    def histogram(
        self, comparison: Comparison, *, workload: str, load_level: str, wanted: Wanted
    ) -> HistogramExport:
        """The histograms of all runs of a side at one cell, to keep.

        :param comparison: of the one side.
        :raises ResultNotThere: when nothing of the kind was measured there.
        """
        (chosen,) = comparison.choice.sides
        found = self.distributions.runs([chosen.campaign.id], workload, load_level)
        runs = [run for run in found if run.target == chosen.target.name]
        return self.histograms.of_runs(chosen.campaign, runs, wanted)

    def _runs(
        self, choice: Choice, workload: str, load_level: str
    ) -> dict[str, Sequence[CountedRun]]:
        found = self.distributions.runs(
            {side.campaign.id for side in choice.sides}, workload, load_level
        )
        runs: dict[str, Sequence[CountedRun]] = {
            side.key: [
                run
                for run in found
                if run.campaign_id == side.campaign.id and run.target == side.target.name
            ]
            for side in choice.sides
        }
        count = sum(len(mine) for mine in runs.values())
        if count == 0:
            raise ComparisonUnclear(
                f"no side has results of workload {workload!r} at load {load_level!r}"
            )
        if count > self.most_histograms:
            raise ComparisonUnclear(
                f"{count} runs are more than the {self.most_histograms} that are read for one "
                "answer: name fewer sides with `side`"
            )
        return runs


def _spectrum(side: str, runs: Recorded) -> SideSpectrumRead:
    return SideSpectrumRead(
        side=side,
        runs=len(runs),
        operations=sum(run.total for run in runs.values()),
        banded=len(runs) >= FEWEST_FOR_AN_INTERVAL,
        points=[QuantileRead(**asdict(one)) for one in spectrum(list(runs.values()), DRAWN)],
    )


def _shifts(
    choice: Choice, shown: Collection[str], recorded: Callable[[Side], Recorded]
) -> Iterator[ShiftCurveRead]:
    """Of each side that has figures against its baseline; a baseline is decoded once."""
    held: tuple[str, Recorded] = ("", {})
    for baseline, other in choice.opposed:
        if baseline.key in shown and other.key in shown:
            if held[0] != baseline.key:
                held = (baseline.key, recorded(baseline))
            yield _shift(baseline.key, held[1], other.key, recorded(other))


def _shift(baseline_side: str, before: Recorded, side: str, after: Recorded) -> ShiftCurveRead:
    shared = sum(block in before for block in after)
    points = shift_curve(before, after, DRAWN)
    return ShiftCurveRead(
        baseline_side=baseline_side,
        side=side,
        method="paired" if shared else "unpaired",
        baseline_runs=shared or len(before),
        runs=shared or len(after),
        left_out=len(before) + len(after) - 2 * shared if shared else 0,
        banded=any(point.low is not None for point in points),
        points=[ShiftRead(**asdict(one)) for one in points],
    )
