"""What is learnt from a campaign that was measured as A/A."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from weighhouse_judging.identity.sides import family
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.campaigns.run_service import RunService
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.noise.service import NoiseService
from weighhouse_backend.results.figures import FigureService, RunFigures
from weighhouse_backend.results.identities import CellSeen, place_of_runs
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import RunStatus

Pair = tuple[RunFigures, RunFigures]


@dataclass(frozen=True)
class LearningService:
    """Pairs the twins of an A/A campaign and keeps their figures."""

    noise: NoiseService
    figures: FigureService
    catalog: CatalogService
    runs: RunService
    clock: Clock

    def learn(self, campaign: Campaign, document: Experiment) -> None:
        """Keep every pair of twins of a campaign that both gave a figure, by place. Repeatable."""
        manifests = self.catalog.manifests([campaign.project_id])
        targets = {target.name: target for target in document.targets}
        by_cell: dict[UUID, list[RunFigures]] = {}
        for run in self.figures.of_campaigns([campaign.id]):
            by_cell.setdefault(run.cell_id, []).append(run)
        rows: list[dict[str, Any]] = []
        for cell_id, runs in by_cell.items():
            target = targets[runs[0].target]
            for place, pairs in by_place(runs).items():
                measured = [run for pair in pairs for run in pair]
                seen = CellSeen(document, measured, manifests.get(target.system))
                agents = self.runs.agents([run.run_id for run in measured])
                told: Mapping[str, Any] = {
                    "campaign_id": campaign.id,
                    "cell_id": cell_id,
                    "place": place,
                    "project_id": campaign.project_id,
                    "cell_identity": seen.identity().digest,
                    "side_family": family(target).digest,
                    "system_id": target.system,
                    "target": target.name,
                    "workload": runs[0].workload,
                    "load_label": runs[0].load_label,
                    "agents": sorted(str(agent) for agent in agents),
                    "measured_at": self.clock.now(),
                }
                rows += [{**told, **figures} for figures in _figures(pairs)]
        self.noise.keep(campaign.id, rows)


def by_place(runs: Sequence[RunFigures]) -> dict[str, list[Pair]]:
    """Twins that both completed, gathered by the machines they were measured on. Pure."""
    blocks: dict[int, dict[int, RunFigures]] = {}
    for run in runs:
        if run.status == RunStatus.COMPLETED:
            blocks.setdefault(run.block, {})[run.twin] = run
    found: dict[str, list[Pair]] = {}
    for twins in blocks.values():
        if len(twins) == 2:  # noqa: PLR2004 - twins
            pair = twins[0], twins[1]
            place = place_of_runs(pair)
            if place is not None:
                found.setdefault(place, []).append(pair)
    return found


def _figures(pairs: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    for figure in CATALOGUE:
        if not (figure.is_judged or figure.in_series):
            continue
        values = [tuple(run.of(figure.name) for run in pair) for pair in pairs]
        known = [list(pair) for pair in values if all(one is not None and one > 0 for one in pair)]
        if known:
            yield {"metric": figure.name, "pairs": known}
