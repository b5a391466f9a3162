"""Where the cells of a campaign stand that is looked at while it grows. Pure."""

from collections.abc import Collection, Mapping, Sequence

from pydantic import BaseModel, ConfigDict
from weighhouse_protocol.repetitions import SequentialRepetitions

from weighhouse_backend.campaigns.plan import PlannedCell
from weighhouse_backend.campaigns.schemas import LookRead, SequentialRead
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.runs.models import CampaignLook
from weighhouse_backend.runs.states import CellCourse, LookDecision


class CellState(BaseModel):
    """Where a cell stands after a look, and why; stored with the look."""

    model_config = ConfigDict(frozen=True)

    target_index: int
    workload_index: int
    load_index: int
    course: CellCourse
    reason: str

    @property
    def cell(self) -> PlannedCell:
        """The point of the matrix."""
        return PlannedCell(self.target_index, self.workload_index, self.load_index)


class SearchStep(BaseModel):
    """What a look decided of one search (a target and a workload, from a load level of the file
    on); stored with the look.
    """

    model_config = ConfigDict(frozen=True)

    target_index: int
    workload_index: int
    load_index: int
    """Of the load level where the search began."""
    value: float | None
    """The load that is measured next, as clients or operations a second; None: it has ended."""
    again: bool = False
    """Whether one more run of a load is wanted, not a point with all its repetitions."""
    reason: str
    """In a sentence."""


def latest(looks: Sequence[CampaignLook]) -> dict[PlannedCell, CellState]:
    """What the latest look said of each cell; empty before the first.

    :param looks: in their order; repeats that were asked for, and second measurements, say nothing.
    """
    for look in reversed(looks):
        if look.decision not in {LookDecision.ASKED, LookDecision.AGAIN}:
            states = map(CellState.model_validate, look.cells)
            return {state.cell: state for state in states}
    return {}


def standing(looks: Sequence[CampaignLook]) -> dict[PlannedCell, CellState]:
    """Where cells stand of which nothing was planned since the latest look.

    They were asked once and answered: that figures of other cells have changed since, and with them
    what a family of comparisons is corrected for, is no reason to measure these again.

    :param looks: in their order.
    """
    since = set()
    for look in reversed(looks):
        states = [CellState.model_validate(cell) for cell in look.cells]
        if look.decision not in {LookDecision.ASKED, LookDecision.AGAIN}:
            return {
                state.cell: state
                for state in states
                if state.course != CellCourse.UNDECIDED and state.cell not in since
            }
        since |= {state.cell for state in states}
    return {}


def blocks_saved(
    states: Collection[CellState], planned: Mapping[PlannedCell, int], most: int
) -> int:
    """Blocks of cells that get no more, which `most` fixed repetitions would have measured besides.

    :param planned: repetitions planned of each cell.
    """
    ended = [state.cell for state in states if state.course != CellCourse.UNDECIDED]
    return sum(max(most - planned.get(cell, 0), 0) for cell in ended)


def sequential_read(
    rule: SequentialRepetitions,
    states: Mapping[PlannedCell, CellState],
    planned: Mapping[PlannedCell, int],
) -> SequentialRead:
    """The rule of a campaign and how far it is, as the API shows them."""
    decided = sum(state.course != CellCourse.UNDECIDED for state in states.values())
    width = rule.half_width
    return SequentialRead(
        at_least=rule.at_least,
        at_most=rule.at_most,
        half_width_percent=None if width is None else width * 100,
        cells_decided=decided,
        blocks_saved=blocks_saved(states.values(), planned, rule.at_most),
    )


def look_read(look: CampaignLook) -> LookRead:
    """A look as the API shows it."""
    states = [CellState.model_validate(cell) for cell in look.cells]
    return read_of(
        LookRead,
        look,
        decision=LookDecision(look.decision),
        cells_undecided=sum(state.course == CellCourse.UNDECIDED for state in states),
    )
