"""Proposes a base beside, where campaigns differ too much by themselves. Pure."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from weighhouse_protocol.experiment import Experiment as Document

from weighhouse_backend.gates.schemas import BesideProposal, GateAnswer, GateCellRead
from weighhouse_backend.runs.models import Campaign, Run

MEASURED = 2
"""Sides that are measured: the base and the build."""


def proposal(
    campaign: Campaign, document: Document, answer: GateAnswer, runs: Callable[[], Iterable[Run]]
) -> BesideProposal | None:
    """What to measure for the cells that are unclear; None where that would not tell, or cannot be.

    :param runs: reads those of the campaign, which tell what it costs; where it is proposed alone.
    """
    impossible = (
        campaign.noise
        or campaign.beside
        or answer.base_campaign_id is None
        or document.searches
        or any(target.deployment == "external" for target in document.targets)
    )
    reason = None if impossible else _reason(answer.cells)
    if reason is None:
        return None
    seconds = sum(
        (run.finished_at - run.started_at).total_seconds()
        for run in runs()
        if run.leader_id is None and run.started_at is not None and run.finished_at is not None
    )
    return BesideProposal(
        reason=reason,
        # The latest that may be a base could be the campaign itself.
        base=f"beside:campaign:{answer.base_campaign_id}",
        minutes=round(MEASURED * seconds / 60, 1),
    )


def _reason(cells: Sequence[GateCellRead]) -> Literal["unknown", "large", "elsewhere"] | None:
    unclear = [cell for cell in cells if cell.outcome == "unclear"]
    if any(cell.elsewhere for cell in unclear):
        return "elsewhere"
    if any(cell.between_known is False for cell in unclear):
        return "unknown"
    return "large" if any(cell.hopeless for cell in unclear) else None
