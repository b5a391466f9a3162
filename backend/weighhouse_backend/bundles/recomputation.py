"""A whole bundle worked out again, by the code that worked it out first. Pure.

Nothing is asked of a database: rows are made of what the bundle tells, figures out of histograms,
findings by the checks, verdicts by the judge. What it takes as told stands in docs/bundles.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from weighhouse_protocol.bundles.archive import FIRST, BundleError
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.manifest import Manifest

from weighhouse_backend.bundles.json_differences import differing
from weighhouse_backend.bundles.noises import floors_read
from weighhouse_backend.bundles.opened import Opened
from weighhouse_backend.bundles.run_recomputation import Recomputed, RunAgain, run_again
from weighhouse_backend.bundles.stored_rows import row_of
from weighhouse_backend.campaigns.beside import with_beside
from weighhouse_backend.campaigns.plan import AGAIN
from weighhouse_backend.comparisons import estimates
from weighhouse_backend.comparisons.comparison import by_resources, weigh
from weighhouse_backend.comparisons.floors import SideNoise
from weighhouse_backend.comparisons.leaders import (
    Weighed,
    headline_of,
    headline_read,
    leads,
    leads_read,
)
from weighhouse_backend.comparisons.rankings import rankings
from weighhouse_backend.comparisons.readings import readings
from weighhouse_backend.comparisons.sides import Choice, Side, side_labels
from weighhouse_backend.findings.schemas import RunFinding
from weighhouse_backend.runs.models import Campaign, Cell, Run
from weighhouse_backend.runs.progress import count_runs

EXPERIMENT, CAMPAIGN, CELLS, RUNS = FIRST, "campaign.json", "cells.json", "runs.json"
COMPARISON, NOISE = "comparison.json", "noise.json"


@dataclass(frozen=True)
class Told:
    """What a bundle is of."""

    campaign: Campaign
    document: Experiment
    """With the levels that were chosen while it was measured."""
    cells: Mapping[UUID, Cell]
    runs: Sequence[Run]
    manifests: Mapping[str, Manifest]


@dataclass(frozen=True)
class Again:
    """A bundle, worked out again."""

    told: Told
    runs: Mapping[UUID, RunAgain]
    choice: Choice
    labels: Mapping[str, str]
    found: Recomputed


def told_of(bundle: Opened) -> Told:
    """What a bundle is of.

    :raises BundleError: when a file of it cannot be read.
    """
    try:
        campaign = row_of(Campaign, bundle.json(CAMPAIGN)["campaign"])
        cells = [row_of(Cell, one) for one in bundle.json(CELLS)]
        return Told(
            campaign,
            Experiment.as_kept(bundle.json(EXPERIMENT)),
            {cell.id: cell for cell in cells},
            [row_of(Run, one) for one in bundle.json(RUNS)],
            {
                name.removeprefix("manifests/").removesuffix(".json"): Manifest.as_kept(
                    bundle.json(name)
                )
                for name in bundle.places
                if name.startswith("manifests/")
            },
        )
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, BundleError):
            raise
        raise BundleError(f"what it is of cannot be read: {error}") from error


def worked_out_again(bundle: Opened) -> Again:
    """Every figure, finding, interval and verdict of a bundle, held against what it tells.

    :raises BundleError: when a file of it cannot be read.
    """
    told, found = told_of(bundle), Recomputed()
    measured = with_beside(told.document, told.campaign.beside)
    runs: dict[UUID, RunAgain] = {}
    for run in told.runs:
        cell = told.cells.get(run.cell_id)
        if cell is None or cell.target_index >= len(measured.targets):
            raise BundleError(f"{RUNS}: run {run.id} is of no cell")
        manifest = told.manifests.get(measured.targets[cell.target_index].system)
        runs[run.id] = run_again(bundle, run, cell, measured, manifest, found)
        found.count("runs")
    choice, labels = _sides(told, runs)
    try:
        _hold_comparison(bundle, told, runs, choice, labels, found)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, BundleError):
            raise
        raise BundleError(f"{COMPARISON}: it cannot be read: {error}") from error
    return Again(told, runs, choice, labels, found)


def _sides(told: Told, runs: Mapping[UUID, RunAgain]) -> tuple[Choice, Mapping[str, str]]:
    sides = [
        Side(
            told.campaign, told.document, index, told.manifests.get(target.system),
            told.manifests.get(target.tool or ""),
        )
        for index, target in enumerate(told.document.targets)
    ]  # fmt: skip

    def order(run: Run) -> tuple[int, int, int, int, int]:
        cell = told.cells[run.cell_id]
        return (
            cell.workload_index, cell.load_index, cell.target_index, run.repetition, run.twin
        )  # fmt: skip

    shown = [
        runs[run.id].figures
        for run in sorted(told.runs, key=order)
        if run.twin != AGAIN and not told.cells[run.cell_id].beside
    ]
    choice = Choice(sides, 0, paired=False).with_runs(shown)
    return choice, side_labels(choice.sides)


def _hold_comparison(
    bundle: Opened,
    told: Told,
    runs: Mapping[UUID, RunAgain],
    choice: Choice,
    labels: Mapping[str, str],
    found: Recomputed,
) -> None:
    given, noise = bundle.json(COMPARISON), bundle.json(NOISE)
    barred = [
        RunFinding.of(run_id, finding)
        for run_id, one in runs.items()
        for finding in one.findings
        if finding.severity == "error"
    ]
    weighed = weigh(
        choice, labels, SideNoise(floors_read(noise["floors"])), barred,
        looked_at=bool(noise["looked_at"]),
    )  # fmt: skip
    again = _concluded(choice, labels, weighed, told)
    for name, value in again.items():
        found.differs += differing(given[name], value, name)
    found.count("cells of sides", len(again["cells"]))
    found.count("intervals of figures", sum(len(cell["figures"]) for cell in again["cells"]))
    found.count("verdicts", len(again["differences"]))


def _concluded(
    choice: Choice, labels: Mapping[str, str], weighed: Weighed, told: Told
) -> dict[str, Any]:
    """What follows from the figures, as `ComparisonRead` has it."""
    cells = [side.cells for side in choice.sides]
    differences = sorted(
        [*weighed.differences, *by_resources(weighed).differences],
        key=lambda one: CATALOGUE[one.metric].read_at,
    )
    lead = leads(weighed)
    counts: dict[str, int] = {}
    for run in told.runs:
        counts[run.status] = counts.get(run.status, 0) + 1
    headline = headline_of(lead, labels, count_runs(counts), under_way=choice.under_way)
    return {
        "baseline": choice.baseline,
        "cells": [
            estimates.compared_cell(side.key, mine).model_dump(mode="json")
            for side in cells
            for mine in side.cells.values()
        ],
        "headline": headline_read(headline).model_dump(mode="json"),
        "leads": [one.model_dump(mode="json") for one in leads_read(lead)],
        "readings": [
            one.model_dump(mode="json")
            for one in readings(weighed.opposed, labels, weighed.differences)
        ],
        "differences": [one.model_dump(mode="json") for one in differences],
        "rankings": [
            one.model_dump(mode="json")
            for one in rankings(cells, weighed.noise, looked_at=weighed.looked_at)
        ],
        "unmatched": [one.model_dump(mode="json") for one in estimates.unmatched(cells)],
    }
