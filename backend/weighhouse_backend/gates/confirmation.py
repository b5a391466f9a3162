"""What seems worse is measured once more before the verdict."""

from dataclasses import dataclass

from weighhouse_judging.verdicts.gate_cells import CellVerdict
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.percent import signed_percent

from weighhouse_backend.campaigns.courses import CellState
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.campaigns.plan import PlannedCell
from weighhouse_backend.gates.answers import Decided
from weighhouse_backend.gates.cell_match import GateKey
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import CellCourse


@dataclass(frozen=True)
class ConfirmingService:
    """Has cells measured again that are worse by figures of other campaigns, each of them once."""

    looks: LookService

    def goes_on(self, campaign: Campaign, document: Experiment, decided: Decided) -> bool:
        """Plan a second measurement of the cells that seem worse.

        Nothing is planned where the experiment does not want it, where the base was measured
        beside, nor where loads are searched or phases chained: no cell is measured there by itself.

        :param campaign: locked, and being settled.
        :param decided: what would be its verdict.
        :returns: whether it goes on; False: the verdict holds.
        """
        if not document.confirms or decided.bases.beside:
            return False
        places = _places(document)
        done = self.looks.measured_again(campaign.id)
        states = [
            _state(places[cell.key], verdict)
            for verdict, cell in zip(decided.result.cells, decided.cells, strict=True)
            if verdict.may_be_chance and places[cell.key] not in done
        ]
        if states:
            self.looks.again(campaign, states, _in_words(len(states)))
        return bool(states)


def _places(document: Experiment) -> dict[GateKey, PlannedCell]:
    cells = [PlannedCell(*cell) for cell in document.cells]
    return {
        (
            document.targets[cell.target_index].name,
            document.workloads[cell.workload_index].name,
            document.load_levels[cell.load_index].label,
        ): cell
        for cell in cells
    }


def _state(cell: PlannedCell, verdict: CellVerdict) -> CellState:
    against = verdict.anchor if verdict.stopped_by == "anchor" else verdict.base
    relative = 0.0 if against is None else against.relative
    figure = verdict.evidence.metric.label.lower()
    return CellState(
        target_index=cell.target_index,
        workload_index=cell.workload_index,
        load_index=cell.load_index,
        course=CellCourse.UNDECIDED,
        reason=f"{figure} seems worse by {signed_percent(relative)}",
    )


def _in_words(count: int) -> str:
    if count == 1:
        return "1 cell seems worse, and is measured once more"
    return f"{count} cells seem worse, and are measured once more"
