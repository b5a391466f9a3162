"""What is measured again when somebody has failed runs tried again."""

from weighhouse_backend.runs.attempt_repository import GangRepository
from weighhouse_backend.runs.models import Campaign, Run
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import RunStatus


def with_their_chains(
    repository: CampaignRepository, gangs: GangRepository, campaign: Campaign
) -> list[Run]:
    """Failed runs of a locked campaign, locked, and the completed ones that follow each other with
    them on one system: a chain is measured again as a whole.
    """
    failed = repository.lock_runs(campaign.id, [RunStatus.FAILED])
    chains = {run.leader_id or run.id for run in failed}
    done = repository.lock_runs(campaign.id, [RunStatus.COMPLETED]) if failed else []
    again = [run for run in done if (run.leader_id or run.id) in chains]
    for run in again:
        if run.result_attempt_id is not None:
            attempt = gangs.lock_attempt(run.result_attempt_id)
            attempt.set_aside = "a phase of its chain failed: the chain was measured again"
    return [*failed, *again]
