"""What is asked of a campaign whose planned runs have ended: which of its cells are undecided?

Two questions, both about the figure that the load model leaves free (throughput in a closed loop,
p99 in an open one). Between the targets of the campaign, each against the first: do they differ, or
are they equivalent? And against the campaign's base: has the cell become worse? A cell is decided
when all questions about it are. The rule of what is decided, and the error that is spent over the
looks, are `weighhouse_judging.verdicts.repetitions`'; here figures become its arguments. Pure.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from weighhouse_judging.verdicts.campaigns import PastCampaign
from weighhouse_judging.verdicts.gate_cells import CellVerdict, judge_cells
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.noise import Floor
from weighhouse_judging.verdicts.repetitions import (
    Progress,
    Repetitions,
    level_half_width,
    of_gate_cell,
    of_judgement,
    wants_more,
)
from weighhouse_judging.verdicts.sides import Judgement, judge, with_family
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.figures import CATALOGUE, Figure
from weighhouse_protocol.percent import percent, signed_percent
from weighhouse_protocol.repetitions import SequentialRepetitions
from weighhouse_protocol.verdicts import verdict_words

from weighhouse_backend.campaigns.courses import CellState
from weighhouse_backend.campaigns.plan import PlannedCell
from weighhouse_backend.comparisons.estimates import thresholds_of
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.results.identities import place_of_runs
from weighhouse_backend.results.repeats import attempts, blocks
from weighhouse_backend.runs.states import CellCourse, RunStatus

Floors = Callable[[Sequence[RunFigures], str], Floor | None]
"""What is known of the noise of a cell's machine: (its runs, name of the figure)."""

Pasts = Callable[[Sequence[RunFigures], str], Sequence[PastCampaign]]
"""The campaigns of a cell's series: (its runs, name of the figure)."""

BaseRuns = Mapping[UUID, Sequence[RunFigures]]
"""Runs of one cell in the campaigns of a base."""

GRAVEST = (CellCourse.UNDECIDED, CellCourse.AT_MOST, CellCourse.HOPELESS, CellCourse.DECIDED)


@dataclass(frozen=True)
class Answer:
    """One question, the cells it is about, and what is known."""

    cells: tuple[PlannedCell, ...]
    progress: Progress
    words: str
    """What is known, for people."""


@dataclass(frozen=True)
class CampaignFigures:
    """A campaign's runs by cell, in the document's order."""

    document: Experiment
    cells: Mapping[PlannedCell, Sequence[RunFigures]]
    names: Mapping[str, str]
    """What its targets are called, by their own names."""

    def metric(self, cell: PlannedCell) -> Figure:
        """The figure that is watched in a cell."""
        load = self.document.load_of(cell.target_index, cell.workload_index, cell.load_index)
        return CATALOGUE.primary("closed" if load.model == "closed" else "open")

    def name(self, cell: PlannedCell) -> str:
        """What the target of a cell is called."""
        return self.names[self.document.targets[cell.target_index].name]

    def blocks(self, *cells: PlannedCell) -> int:
        """Repetitions planned of some cells; of several, the most."""
        return max(len({run.repetition for run in self.cells[cell]}) for cell in cells)

    def measured(self, cell: PlannedCell) -> bool:
        """Did any run of a cell give figures?"""
        return any(run.status == RunStatus.COMPLETED for run in self.cells[cell])


def figures_of(
    document: Experiment, runs: Iterable[RunFigures], names: Mapping[str, str]
) -> CampaignFigures:
    """Runs of one campaign gathered by their place in the matrix.

    :param names: what its targets are called, by their own names.
    """
    targets = {target.name: index for index, target in enumerate(document.targets)}
    workloads = {workload.name: index for index, workload in enumerate(document.workloads)}
    levels = {level.label: index for index, level in enumerate(document.load_levels)}
    cells: dict[PlannedCell, list[RunFigures]] = {}
    for run in runs:
        cell = PlannedCell(targets[run.target], workloads[run.workload], levels[run.load_label])
        cells.setdefault(cell, []).append(run)
    return CampaignFigures(document, cells, names)


def look(
    campaign: CampaignFigures,
    rule: SequentialRepetitions,
    base: Mapping[PlannedCell, BaseRuns],
    floors: Floors,
    pasts: Pasts,
    standing: Mapping[PlannedCell, CellState],
) -> list[CellState]:
    """Where each cell of a campaign stands.

    :param base: runs of the base's campaigns, of cells that are the same measurement.
    :param floors: what is known of noise.
    :param pasts: from which is learned how much campaigns differ.
    :param standing: where cells stand that were not measured since they were last looked at: there.
    """
    plan = Repetitions(rule.at_least, rule.at_most, rule.half_width)
    answers = [*_sides(campaign, plan, floors), *_levels(campaign)]
    if plan.half_width is None:
        answers += _against_base(campaign, base, floors, pasts)
    return [
        standing.get(cell) or _state(cell, plan, answers, campaign.blocks(cell))
        for cell in campaign.cells
    ]


def in_words(rule: SequentialRepetitions, states: Collection[CellState]) -> str:
    """A look in a sentence."""
    counts = {course: sum(state.course == course for state in states) for course in GRAVEST}
    undecided = counts[CellCourse.UNDECIDED]
    goal = "decided" if rule.half_width is None else f"within ±{percent(rule.half_width, None)}"
    parts = [f"{counts[CellCourse.DECIDED]} of {len(states)} cells are {goal}"]
    if undecided:
        parts.append(f"{undecided} get one more block")
    if counts[CellCourse.AT_MOST]:
        parts.append(f"{counts[CellCourse.AT_MOST]} are at the {rule.at_most} repeats asked for")
    if counts[CellCourse.HOPELESS]:
        parts.append(f"{counts[CellCourse.HOPELESS]} would not be decided by more repeats")
    return ", ".join(parts)


def _state(
    cell: PlannedCell, plan: Repetitions, answers: Sequence[Answer], blocks: int
) -> CellState:
    about = [answer for answer in answers if cell in answer.cells]
    if not about:
        nothing = Progress(cell, blocks, decided=True, half_width=0.0)
        about = [Answer((cell,), nothing, "there is nothing to compare it with")]
    courses = {GRAVEST.index(_course(plan, answer.progress)): answer for answer in reversed(about)}
    gravest = min(courses)
    return CellState(
        target_index=cell.target_index,
        workload_index=cell.workload_index,
        load_index=cell.load_index,
        course=GRAVEST[gravest],
        reason=courses[gravest].words,
    )


def _course(plan: Repetitions, progress: Progress) -> CellCourse:
    if wants_more(plan, progress):
        return CellCourse.UNDECIDED
    if progress.hopeless or (progress.futile and plan.half_width is None):
        return CellCourse.HOPELESS
    if wants_more(replace(plan, at_most=progress.blocks + 1), progress):
        return CellCourse.AT_MOST
    return CellCourse.DECIDED


def _sides(campaign: CampaignFigures, plan: Repetitions, floors: Floors) -> list[Answer]:
    """Each target against the first, corrected together as the comparison's table of what clients
    see is.
    """
    thresholds = thresholds_of(campaign.document.thresholds)
    judged: list[Judgement] = []
    places: dict[tuple[PlannedCell, PlannedCell], int | None] = {}
    for cell, runs in campaign.cells.items():
        first = replace(cell, target_index=0)
        if cell.target_index == 0 or first not in campaign.cells:
            continue
        places[first, cell] = None
        for metric in CATALOGUE.judged_in("performance"):
            judgement = judge(
                metric,
                blocks(campaign.cells[first], metric.name),
                blocks(runs, metric.name),
                threshold=thresholds.get(metric.name),
                floor=floors(runs, metric.name),
                looked_at=True,
            )
            if judgement is None:
                continue
            if metric.name == campaign.metric(cell).name:
                places[first, cell] = len(judged)
            judged.append(judgement)
    corrected = with_family(judged)
    return [
        _side(campaign, plan, pair, None if place is None else corrected[place])
        for pair, place in places.items()
    ]


def _side(
    campaign: CampaignFigures,
    plan: Repetitions,
    pair: tuple[PlannedCell, PlannedCell],
    judgement: Judgement | None,
) -> Answer:
    first, other = pair
    progress = of_judgement(other, plan, campaign.blocks(*pair), judgement)
    lost = [cell for cell in pair if not campaign.measured(cell)]
    if lost:
        name = campaign.name(lost[0])
        return Answer(pair, replace(progress, hopeless=True), f"no run of {name} succeeded")
    said = "no figures in common" if judgement is None else _judgement_in_words(judgement)
    if progress.futile and plan.half_width is None:
        said += f"; more repeats up to {plan.at_most} would hardly decide it"
    return Answer(pair, progress, f"{campaign.name(other)} against {campaign.name(first)}: {said}")


def _judgement_in_words(judgement: Judgement) -> str:
    label = CATALOGUE[judgement.metric].label.lower()
    if judgement.low is None or judgement.high is None:
        return f"{label} {judgement.verdict}"
    bounds = f"[{signed_percent(judgement.low)}, {signed_percent(judgement.high)}]"
    return f"{label} {signed_percent(judgement.relative)} {bounds}, {judgement.verdict}"


def _levels(campaign: CampaignFigures) -> list[Answer]:
    """The level of a cell that has no other to stand beside: for how narrow its interval is."""
    if len(campaign.document.targets) > 1 or campaign.document.sequential is None:
        return []
    if campaign.document.sequential.half_width is None:
        return []
    answers = []
    for cell, runs in campaign.cells.items():
        metric = campaign.metric(cell)
        width = level_half_width(list(blocks(runs, metric.name).values()))
        progress = Progress(cell, campaign.blocks(cell), decided=False, half_width=width,
                            hopeless=not campaign.measured(cell))  # fmt: skip
        said = "no interval yet" if width is None else f"±{percent(width)}"
        answers.append(Answer((cell,), progress, f"{metric.label.lower()} {said}"))
    return answers


def _against_base(
    campaign: CampaignFigures,
    base: Mapping[PlannedCell, BaseRuns],
    floors: Floors,
    pasts: Pasts,
) -> list[Answer]:
    shared = [cell for cell in campaign.cells if base.get(cell)]
    if not shared:
        return []
    evidence = [_evidence(campaign, cell, base[cell], floors, pasts) for cell in shared]
    threshold = campaign.document.thresholds.gate_percent / 100
    verdicts = judge_cells(evidence, threshold=threshold, looked_at=True)
    return [
        _of_gate(campaign, cell, verdict) for cell, verdict in zip(shared, verdicts, strict=True)
    ]


def _of_gate(campaign: CampaignFigures, cell: PlannedCell, verdict: CellVerdict) -> Answer:
    progress = of_gate_cell(cell, campaign.blocks(cell), verdict)
    if verdict.base is None and not progress.decided:
        few = not campaign.measured(cell) or not verdict.evidence.base
        progress = replace(progress, hopeless=few)
    return Answer((cell,), progress, f"against the base: {verdict_words(verdict.outcome)}")


def _evidence(
    campaign: CampaignFigures, cell: PlannedCell, base: BaseRuns, floors: Floors, pasts: Pasts
) -> CellEvidence:
    runs = campaign.cells[cell]
    metric = campaign.metric(cell)
    watched = partial(blocks, metric=metric.name)
    before = [run for theirs in base.values() for run in theirs]
    return CellEvidence(
        identity=f"{cell}",
        label=f"{campaign.name(cell)}, {runs[0].workload}, {runs[0].load_label}",
        load_model=runs[0].load_kind,
        candidate=watched(runs),
        base={str(one): watched(theirs) for one, theirs in base.items()},
        place=place_of_runs(runs) or "",
        places={str(one): place_of_runs(theirs) or "" for one, theirs in base.items()},
        past=pasts(runs, metric.name),
        floor=floors(runs, metric.name),
        candidate_attempts=attempts(runs),
        base_attempts=attempts(before),
    )
