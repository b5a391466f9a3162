"""What a gate concluded, as it is kept and shown. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from pydantic import TypeAdapter, ValidationError
from weighhouse_judging.identity.sides import family
from weighhouse_judging.rules import RULES_VERSION
from weighhouse_judging.verdicts.gate_cells import CellVerdict
from weighhouse_judging.verdicts.gate_measures import Against
from weighhouse_judging.verdicts.gate_verdict import EXIT_CODES, GateResult, GateVerdict

from weighhouse_backend.comparisons import estimates
from weighhouse_backend.comparisons.schemas import DifferenceRead
from weighhouse_backend.gates.bases import Bases
from weighhouse_backend.gates.cell_match import Matched
from weighhouse_backend.gates.limits import Limits
from weighhouse_backend.gates.models import CampaignVerdict
from weighhouse_backend.gates.schemas import (
    GateAnswer,
    GateCellRead,
    GateDetails,
    GateFigureRead,
    MismatchRead,
    SubjectChangeRead,
    SupersededVerdictRead,
)
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.series.history import CellFamily

_VERDICT: TypeAdapter[GateVerdict] = TypeAdapter(GateVerdict)


NOTHING_KEPT = GateDetails(comparisons=[], cells=[], subject=[], mismatches=[])


@dataclass(frozen=True)
class Decided:
    """A gate's result, with the runs its cells were judged by."""

    campaign_id: UUID
    result: GateResult
    bases: Bases
    limits: Limits
    cells: Sequence[Matched] = ()
    """As the result has them."""

    @property
    def regressed(self) -> set[CellFamily]:
        """The cells that are worse by more than figures of one campaign against others."""
        return {
            (cell.candidate.identity().digest, family(cell.candidate.side.target).digest)
            for verdict, cell in zip(self.result.cells, self.cells, strict=True)
            if verdict.certain
        }

    @property
    def base_campaign_id(self) -> UUID | None:
        """The latest of the bases."""
        return next(iter(self.bases.campaigns), None)

    def details(self) -> GateDetails:
        """What the verdict rests on."""
        base_id = self.base_campaign_id
        pairs = list(zip(self.result.cells, self.cells, strict=True))
        return GateDetails(
            comparisons=[
                _difference_read(against, verdict, cell, self.campaign_id, base_id)
                for verdict, cell in pairs
                if base_id is not None and (against := verdict.base) is not None
            ],
            cells=[_cell_read(verdict, cell) for verdict, cell in pairs],
            subject=[
                SubjectChangeRead.model_validate(change, from_attributes=True)
                for change in self.result.subject
            ],
            mismatches=_mismatches(self.cells),
            anchor_threshold_percent=self.limits.anchor_percent,
        )


def as_worked_out(decided: Decided) -> GateAnswer:
    """A verdict that is made for one answer, and not kept."""
    return GateAnswer(
        **dict(decided.details()),
        verdict=decided.result.verdict,
        exit_code=decided.result.exit_code,
        message=decided.result.message,
        threshold_percent=decided.limits.base_percent,
        base_campaign_id=decided.base_campaign_id,
        base_campaign_ids=list(decided.bases.campaigns),
        anchor_campaign_id=decided.bases.anchor,
        judged_at=None,
        rules_version=RULES_VERSION,
        rules_version_now=RULES_VERSION,
        details_kept=True,
    )


def as_kept(kept: CampaignVerdict, bases: Bases) -> GateAnswer:
    """The verdict that holds, as it was made: nothing in it is worked out anew.

    :param bases: those of its bases that are still there.
    """
    details = details_of(kept)
    verdict = _VERDICT.validate_python(kept.verdict)
    return GateAnswer(
        **dict(details or NOTHING_KEPT),
        verdict=verdict,
        exit_code=EXIT_CODES[verdict],
        message=kept.message,
        threshold_percent=in_percent(kept.threshold),
        base_campaign_id=next(iter(bases.campaigns), None),
        base_campaign_ids=list(bases.campaigns),
        anchor_campaign_id=kept.anchor_campaign_id,
        judged_at=kept.judged_at,
        rules_version=kept.rules_version,
        rules_version_now=RULES_VERSION,
        details_kept=details is not None,
    )


def details_of(kept: CampaignVerdict) -> GateDetails | None:
    """What a kept verdict rests on; None where it is not kept, or in a form of another day, which
    judging again mends.
    """
    if kept.details is None:
        return None
    try:
        return GateDetails.model_validate(kept.details)
    except ValidationError:
        return None


def superseded_read(former: CampaignVerdict) -> SupersededVerdictRead:
    """A verdict that held before."""
    return read_of(
        SupersededVerdictRead,
        former,
        verdict=_VERDICT.validate_python(former.verdict),
        threshold_percent=in_percent(former.threshold),
        base_campaign_ids=[UUID(one) for one in former.bases],
    )


def in_percent(relative: float) -> float:
    """As it was asked for: 0.07 is 7 %, not 7.000000000000001."""
    return round(relative * 100, 6)


def _mismatches(cells: Sequence[Matched]) -> list[MismatchRead]:
    return [
        MismatchRead(
            target=cell.key[0],
            workload=cell.key[1],
            load_level=estimates.load_level(cell.candidate.runs[0]),
            field=change.field,
            base=change.before,
            candidate=change.after,
        )
        for cell in cells
        for change in cell.changes
    ]


def _cell_read(verdict: CellVerdict, cell: Matched) -> GateCellRead:
    target, workload, _ = cell.key
    return read_of(
        GateCellRead,
        verdict,
        target=target,
        workload=workload,
        load_level=estimates.load_level(cell.candidate.runs[0]),
        metric=verdict.evidence.metric.name,
        p_worse=None if verdict.base is None else verdict.base.p_worse,
        between_known=None if verdict.base is None else verdict.base.between_known,
        elsewhere=verdict.base is not None and verdict.base.elsewhere,
        hopeless=None if verdict.base is None else verdict.base.hopeless,
        first=_figure_read(verdict.first),
        again=_figure_read(verdict.again),
    )


def _figure_read(against: Against | None) -> GateFigureRead | None:
    if against is None:
        return None
    return GateFigureRead.model_validate(against, from_attributes=True)


def _difference_read(
    against: Against, verdict: CellVerdict, cell: Matched, campaign_id: UUID, base_id: UUID
) -> DifferenceRead:
    """A cell of the gate as comparisons are shown."""
    target, workload, _ = cell.key
    worse = verdict.outcome == "worse"
    changed = worse or verdict.outcome == "better"
    equivalent = verdict.outcome == "equivalent"
    certain = max(0.0, against.low, -against.high)
    return DifferenceRead(
        metric=verdict.evidence.metric.name,
        workload=workload,
        load_level=estimates.load_level(cell.candidate.runs[0]),
        baseline_side=f"{base_id}~{target}",
        side=f"{campaign_id}~{target}",
        baseline_median=against.base_median,
        median=against.median,
        relative=against.relative,
        low=against.low,
        high=against.high,
        kind="interval" if against.between_known else "range",
        method=against.method,
        baseline_repeats=against.base_repeats,
        repeats=against.repeats,
        left_out=0,
        p_value=None,
        p_holm=min(1.0, 2 * min(against.p_worse, against.p_better)),
        verdict="changed" if changed else "equivalent" if equivalent else "inconclusive",
        decided_by="family" if changed else "equality" if equivalent else "interval",
        better=not worse if changed else None,
        significance=certain / against.threshold,
        threshold=against.threshold,
        floor=against.floor,
        repeats_needed=None,
    )
