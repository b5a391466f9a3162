"""Campaigns that grow: blocks planned after a look at the figures, or because somebody asked.

What a look says comes from the features above, which know the figures; here it is put on record and
carried out. Record, further runs and the campaign's status change in one transaction, so that a
worker which dies in the middle leaves a campaign that is looked at again, and no block twice.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session
from weighhouse_protocol.repetitions import MOST_REPETITIONS
from weighhouse_protocol.text import numbered

from weighhouse_backend.campaigns.beside import cells_beside
from weighhouse_backend.campaigns.courses import CellState, SearchStep, latest
from weighhouse_backend.campaigns.documents import document_of
from weighhouse_backend.campaigns.layout import put_cells, put_runs
from weighhouse_backend.campaigns.outbox import Outbox
from weighhouse_backend.campaigns.plan import AGAIN, TWINS, PlannedCell, Progress, more
from weighhouse_backend.campaigns.schemas import RepeatsWanted
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.experiments.validation import MOST_RUNS
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit import idempotency
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.runs.errors import RepeatsRefused, TransitionRefused
from weighhouse_backend.runs.models import Campaign, CampaignLook, Cell, Run
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import CampaignStatus, CellCourse, LookDecision


@dataclass(frozen=True)
class LookService:
    """Keeps looks, and plans what follows from them."""

    session: Session
    repository: CampaignRepository
    campaigns: CampaignService
    transitions: Transitions
    outbox: Outbox
    experiments: ExperimentService
    jobs: Jobs
    clock: Clock

    def of(self, campaign_id: UUID) -> Sequence[CampaignLook]:
        """A campaign's looks, and repeats that were asked for, in their order."""
        return self.repository.looks(campaign_id)

    def looked_at(self, campaign_id: UUID) -> bool:
        """Whether a campaign's figures were, or may have been, seen while they grew: they are to be
        judged by what holds at every look. A second measurement is not theirs.
        """
        campaign = self.session.get_one(Campaign, campaign_id)
        sequential = document_of(self.experiments, campaign).sequential
        looks = self.of(campaign_id)
        return sequential is not None or any(one.decision != LookDecision.AGAIN for one in looks)

    def last_was_again(self, campaign_id: UUID) -> bool:
        """Was what a campaign planned last a second measurement?"""
        looks = self.of(campaign_id)
        return bool(looks) and looks[-1].decision == LookDecision.AGAIN

    def measured_again(self, campaign_id: UUID) -> set[PlannedCell]:
        """The cells of a campaign of which a second measurement was planned."""
        cells = self.session.scalars(
            select(Cell)
            .join(Run, Run.cell_id == Cell.id)
            .where(Run.campaign_id == campaign_id, Run.twin == AGAIN)
            .distinct()
        )
        return {_planned(cell) for cell in cells}

    def again(self, campaign: Campaign, states: Sequence[CellState], reason: str) -> None:
        """Measure cells once more, all of their first repetitions, before the verdict.

        :param campaign: locked, and being settled.
        :param states: of these cells.
        """
        count = document_of(self.experiments, campaign).first_repetitions
        wanted = [state.cell for state in states]
        planned = self._plan(campaign, wanted, count=count, again=True)
        self._record(campaign, LookDecision.AGAIN, reason, states, len(planned))
        self._go_on(campaign, planned)

    def note(self, campaign: Campaign, states: Sequence[CellState], reason: str) -> bool:
        """Put a look on record; undecided cells get one more block each.

        :param campaign: locked, and being settled.
        :param states: of all its cells.
        :returns: whether the campaign goes on; False: it may be settled.
        """
        wanted = [state.cell for state in states if state.course == CellCourse.UNDECIDED]
        decision = LookDecision.MORE if wanted else LookDecision.ENOUGH
        planned = self._plan(campaign, wanted, count=1) if wanted else []
        self._record(campaign, decision, reason, states, len(planned))
        if wanted:
            self._go_on(campaign, planned)
        return bool(wanted)

    def choose(self, campaign: Campaign, steps: Sequence[SearchStep], reason: str) -> bool:
        """Put on record which loads searches go on with, and plan them: a campaign's repetitions of
        each.

        :param campaign: locked, and being settled.
        :param steps: of all its searches; one that has ended has no value.
        :returns: whether the campaign goes on; False: it may be settled.
        """
        cells = {
            step: PlannedCell(
                step.target_index,
                step.workload_index,
                self._level(campaign, step.load_index, step.value),
            )
            for step in steps
            if step.value is not None
        }
        planned: list[UUID] = []
        for again, count in ((False, campaign.repetitions), (True, 1)):
            if wanted := [cell for step, cell in cells.items() if step.again == again]:
                planned += self._plan(campaign, wanted, count=count)
        decision = LookDecision.MORE if cells else LookDecision.ENOUGH
        states = [
            CellState(
                target_index=cell.target_index,
                workload_index=cell.workload_index,
                load_index=cell.load_index,
                course=CellCourse.UNDECIDED,
                reason=step.reason,
            )
            for step, cell in cells.items()
        ]
        self._record(campaign, decision, reason, states, len(planned), steps=steps)
        if cells:
            self._go_on(campaign, planned)
        return bool(cells)

    def _level(self, campaign: Campaign, begun: int, value: float) -> int:
        """Place among the campaign's levels of one that varies another; it is added where it is
        new.

        :param begun: place of the level where the search began.
        """
        document = document_of(self.experiments, campaign)
        load = document.varied_load(begun, value)
        if load in document.load_levels:
            return document.load_levels.index(load)
        level = {"of": begun, "load": load.model_dump(mode="json")}
        campaign.chosen_levels = [*campaign.chosen_levels, level]
        return len(document.load_levels)

    def add(
        self,
        caller: Caller,
        campaign_id: UUID,
        wanted: RepeatsWanted,
        idempotency_key: str | None = None,
    ) -> Campaign:
        """Plan further blocks of a campaign that has ended; takes a member.

        Its runs wait for agents as those of a new campaign; when they have ended it is settled
        again, with a verdict that replaces the earlier one.

        :param idempotency_key: the same key with the same body adds nothing more.
        :raises CampaignNotFound: when there is none the caller sees.
        :raises TransitionRefused: when it has not completed.
        :raises RepeatsRefused: when it would grow beyond all bounds, or nothing is undecided.
        :raises KeyReused: when the key stands for another request.
        :raises QuotaExceeded: when the project may not use more.
        """
        found = self.campaigns.find(caller, campaign_id, Role.MEMBER)
        if idempotency_key is not None:
            scope = f"{caller.kind} {caller.id} POST /api/v1/campaigns/{campaign_id}/repeats"
            digest = idempotency.request_hash(wanted.model_dump_json().encode())
            made = idempotency.claim(self.session, scope, idempotency_key, digest, self.clock.now())
            if made is not None:
                return self.session.get_one(Campaign, made)
            idempotency.settle(self.session, scope, idempotency_key, campaign_id)
        self.campaigns.quotas.may_spend(found.project_id)
        campaign = self.repository.lock_campaign(campaign_id)
        if campaign is None or campaign.status != CampaignStatus.COMPLETED:
            status = "gone" if campaign is None else campaign.status
            raise TransitionRefused(
                f"the campaign is {status}; repeats are added to completed ones"
            )
        states = self._asked(campaign, only_undecided=wanted.only_undecided)
        planned = self._plan(campaign, [state.cell for state in states], count=wanted.count)
        self._require_bounds(campaign)
        blocks = "1 block" if wanted.count == 1 else f"{wanted.count} blocks"
        reason = f"{caller.name} asked for {blocks} more of {_cells(len(states))}"
        self._record(campaign, LookDecision.ASKED, reason, states, len(planned), caller.name)
        audit.record(
            self.session,
            self.clock,
            actor=caller.name,
            action="campaign.repeated",
            subject=f"campaign {numbered(campaign.number)}",
            project_id=campaign.project_id,
            campaign_id=str(campaign.id),
            count=wanted.count,
        )
        campaign.verdict = None
        self._go_on(campaign, planned)
        return campaign

    def _asked(self, campaign: Campaign, *, only_undecided: bool) -> list[CellState]:
        known = latest(self.of(campaign.id))
        if only_undecided:
            found = [one for one in known.values() if one.course != CellCourse.DECIDED]
            if not found:
                why = "all its cells are decided" if known else "nobody asked what is undecided"
                raise RepeatsRefused(
                    f"campaign {numbered(campaign.number)}: {why}; ask for all cells"
                )
            return found
        return [
            known.get(_planned(cell))
            or CellState(
                target_index=cell.target_index,
                workload_index=cell.workload_index,
                load_index=cell.load_index,
                course=CellCourse.UNDECIDED,
                reason="asked for",
            )
            for cell in self.repository.cells(campaign.id)
            if not cell.beside
        ]

    def _plan(
        self,
        campaign: Campaign,
        wanted: Collection[PlannedCell],
        *,
        count: int,
        again: bool = False,
    ) -> list[UUID]:
        document = document_of(self.experiments, campaign)
        wanted = [*wanted, *cells_beside(document, campaign.beside, wanted)]
        cells = {_planned(cell): cell.id for cell in self.repository.cells(campaign.id)}
        new = [cell for cell in wanted if cell not in cells]
        if new:
            digests = {
                cell.system_id: cell.manifest_digest
                for cell in self.repository.cells(campaign.id)
                if cell.manifest_digest is not None
            }
            cells |= put_cells(self.session, campaign, document, new, digests)
        so_far = self._progress(campaign.id)
        runs = more(
            document,
            campaign.seed,
            wanted,
            so_far,
            count=count,
            twins=TWINS if campaign.noise else 1,
            again=again,
        )
        return put_runs(self.session, campaign, runs, cells, self.clock.now())

    def _require_bounds(self, campaign: Campaign) -> None:
        progress = self._progress(campaign.id)
        if progress.runs > MOST_RUNS:
            raise RepeatsRefused(
                f"campaign {numbered(campaign.number)} would have {progress.runs:,} runs; "
                f"at most {MOST_RUNS:,} are possible"
            )
        repetitions = max(progress.repetitions.values())
        if repetitions > MOST_REPETITIONS:
            raise RepeatsRefused(
                f"campaign {numbered(campaign.number)} would have {repetitions:,} repetitions; "
                f"at most {MOST_REPETITIONS:,} are possible"
            )

    def _progress(self, campaign_id: UUID) -> Progress:
        rows = self.session.execute(
            select(Cell.workload_index, Cell.load_index, func.max(Run.repetition))
            .join(Run, Run.cell_id == Cell.id)
            .where(Cell.campaign_id == campaign_id)
            .group_by(Cell.workload_index, Cell.load_index)
        )
        repetitions = {(workload, load): last for workload, load, last in rows}
        position, block = self.session.execute(
            select(func.max(Run.position), func.max(Run.block)).where(
                Run.campaign_id == campaign_id
            )
        ).one()
        return Progress(repetitions, position + 1, block + 1)

    def _record(
        self,
        campaign: Campaign,
        decision: LookDecision,
        reason: str,
        states: Sequence[CellState],
        runs_planned: int,
        asked_by: str | None = None,
        steps: Sequence[SearchStep] = (),
    ) -> None:
        self.session.add(
            CampaignLook(
                campaign_id=campaign.id,
                number=len(self.of(campaign.id)) + 1,
                project_id=campaign.project_id,
                decision=decision,
                reason=reason,
                asked_by=asked_by,
                cells=[state.model_dump(mode="json") for state in states],
                steps=[step.model_dump(mode="json") for step in steps],
                runs_planned=runs_planned,
                looked_at=self.clock.now(),
            )
        )
        self.session.flush()

    def _go_on(self, campaign: Campaign, planned: Collection[UUID]) -> None:
        self.transitions.campaign(campaign, CampaignStatus.RUNNING)
        added = set(planned)
        self.outbox.runs(
            campaign, [run for run in self.repository.runs(campaign.id) if run.id in added]
        )
        self.outbox.progress(campaign)
        self.jobs.send("campaigns.allocate")


def _planned(cell: Cell) -> PlannedCell:
    return PlannedCell(cell.target_index, cell.workload_index, cell.load_index)


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"
