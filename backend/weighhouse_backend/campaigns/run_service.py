"""Runs for the features above: found, completed, failed."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.report import Failure

from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.runs.attempt_repository import GangRepository
from weighhouse_backend.runs.errors import RunNotFound
from weighhouse_backend.runs.models import Cell, Run
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import CampaignStatus, RunStatus


@dataclass(frozen=True)
class RunService:
    """Runs, and how settling them ends."""

    repository: CampaignRepository
    attempts: GangRepository
    transitions: Transitions

    def find(self, run_id: UUID) -> Run | None:
        """A run as it stands, whoever's it is."""
        return self.repository.run(run_id)

    def agents(self, run_ids: Collection[UUID]) -> set[UUID]:
        """Agents whose results count as those of some runs, whoever's they are."""
        return self.attempts.agents_of_runs(run_ids)

    def of_campaign(self, campaign_id: UUID) -> list[Run]:
        """A campaign's runs in the order they are to be measured, whoever's it is."""
        return list(self.repository.runs(campaign_id))

    def cells_of(self, campaign_id: UUID) -> list[Cell]:
        """A campaign's cells in the document's order, whoever's it is."""
        return list(self.repository.cells(campaign_id))

    def visible(self, caller: Caller, run_id: UUID) -> Run:
        """A run the caller may see.

        :raises RunNotFound: when there is none.
        """
        run = self.repository.run(run_id)
        if run is None or run.project_id not in caller.project_ids:
            raise RunNotFound
        return run

    def complete(
        self, run_id: UUID, *, throughput: float, p99_us: float | None, version: str | None = None
    ) -> bool:
        """End a run whose summary is written; the last of a campaign lets that settle.

        :param throughput: of the measured phase, all operations, per second.
        :param version: what the system said it was.
        :returns: False when it was settled before: nothing changed.
        """
        settled = self._settle(run_id, RunStatus.COMPLETED, throughput, p99_us, None)
        run = self.repository.run(run_id) if settled and version is not None else None
        if run is not None:
            self.repository.cell(run.cell_id).version = version
        return settled

    def fail(self, run_id: UUID, failure: Failure) -> bool:
        """End a run whose result cannot count.

        :returns: False when it was settled before: nothing changed.
        """
        return self._settle(run_id, RunStatus.FAILED, None, None, failure)

    def fail_waiting(self, campaign_id: UUID, failure: Failure) -> None:
        """End the runs of a campaign that wait for machines that will not come."""
        campaign = self.repository.lock_campaign(campaign_id)
        if campaign is not None and campaign.status in {
            CampaignStatus.QUEUED,
            CampaignStatus.RUNNING,
        }:
            for run in self.repository.lock_runs(campaign_id, [RunStatus.QUEUED]):
                if run.status == RunStatus.QUEUED:  # those of its chain end with the first
                    self.transitions.run(campaign, run, RunStatus.FAILED, failure)

    def _settle(
        self,
        run_id: UUID,
        to: RunStatus,
        throughput: float | None,
        p99_us: float | None,
        failure: Failure | None,
    ) -> bool:
        held = self.repository.lock_run(run_id)
        if held is None or held[1].status != RunStatus.SETTLING:
            return False
        campaign, run = held
        measured_until = run.finished_at
        run.throughput = throughput
        run.p99_us = p99_us
        self.transitions.run(campaign, run, to, failure)
        run.finished_at = measured_until
        return True
