"""What became of the dates of schedules."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy.orm import Session
from weighhouse_protocol.masks import masked

from weighhouse_backend.experiments.calendar import Passed
from weighhouse_backend.experiments.models import Outcome, Schedule, ScheduleOccurrence
from weighhouse_backend.experiments.repository import ExperimentRepository
from weighhouse_backend.experiments.schemas import CampaignOfOccurrence, OccurrenceRead
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.problems import Problem
from weighhouse_backend.kit.schemas import read_of

KEPT = 1000
"""Occurrences of an experiment; older ones are forgotten."""
REASON_LENGTH = 500


@dataclass(frozen=True)
class NamedCampaign:
    """A campaign as an occurrence remembers it."""

    id: UUID
    number: int


@dataclass(frozen=True)
class HandedOut:
    """A date for which a campaign is to be started."""

    schedule: Schedule
    """Locked."""
    at: datetime.datetime
    waited: ScheduleOccurrence | None = None
    """The line of a date that waited: it is written on, in place of a new one."""
    is_late: bool = False
    """The date was missed, and is made up for."""


@dataclass(frozen=True)
class OccurrenceLog:
    """Records, a line a date; whoever writes holds the schedule's row."""

    session: Session
    repository: ExperimentRepository
    clock: Clock
    kept: int = KEPT
    """How many lines an experiment has at most."""

    def listed(self, experiment_id: UUID, query: PageQuery) -> Page[OccurrenceRead]:
        """What became of an experiment's dates, newest first."""
        return page_of(
            self.session,
            self.repository.occurrences(experiment_id),
            ScheduleOccurrence.id,
            query,
            read_occurrence,
        )

    def started(
        self,
        date: HandedOut,
        campaign: NamedCampaign,
        reason: str = "",
        replaced: NamedCampaign | None = None,
    ) -> None:
        """A date started a campaign; the schedule is well again.

        :param replaced: the campaign that was cancelled for it.
        """
        date.schedule.problem = None
        made = self._note(date, Outcome.STARTED, reason, replaced)
        made.campaign_id, made.campaign_number = campaign.id, campaign.number
        self.session.flush()

    def skipped(self, date: HandedOut, reason: str, other: NamedCampaign) -> None:
        """A date passed, because a campaign was under way."""
        self._note(date, Outcome.SKIPPED, reason, other)

    def waits(self, date: HandedOut, reason: str, other: NamedCampaign) -> None:
        """A date waits for a campaign's end; there must be no other that does."""
        self._note(date, Outcome.WAITING, reason, other)

    def missed(
        self,
        schedule: Schedule,
        gone: Passed,
        reason: str,
    ) -> None:
        """Some dates passed and nothing was started."""
        made = self._note(HandedOut(schedule, gone.last), Outcome.MISSED, reason)
        made.first_at = gone.first
        made.dates_count = gone.count
        self.session.flush()

    def failed(self, date: HandedOut, error: Exception) -> None:
        """A date could not start its campaign; the schedule says so until another does."""
        date.schedule.problem = reason_of(error)
        self._note(date, Outcome.FAILED, date.schedule.problem)

    def took_its_place(
        self, replaced: Iterable[UUID], date: HandedOut, campaign: NamedCampaign
    ) -> None:
        """The dates of campaigns that were cancelled for another's sake say so from now on.

        :param replaced: the campaigns.
        :param date: the one that took their place, with its campaign.
        """
        for occurrence in self.repository.occurrences_of(date.schedule.experiment_id, replaced):
            occurrence.outcome = Outcome.REPLACED
            occurrence.reason = f"its campaign was cancelled for that of {_words(date.at)}"
            occurrence.other_campaign_id = campaign.id
            occurrence.other_campaign_number = campaign.number
            occurrence.noted_at = self.clock.now()

    def drop(self, waiting: ScheduleOccurrence, reason: str) -> None:
        """A date that waited is not to be started any more."""
        waiting.outcome = Outcome.SKIPPED
        waiting.reason = reason
        waiting.noted_at = self.clock.now()
        self.session.flush()

    def drop_waiting(self, experiment_id: UUID, reason: str) -> None:
        """The same of whatever date of an experiment waits."""
        waiting = self.repository.waiting_occurrence(experiment_id)
        if waiting is not None:
            self.drop(waiting, reason)

    def _note(
        self,
        date: HandedOut,
        outcome: Outcome,
        reason: str,
        other: NamedCampaign | None = None,
    ) -> ScheduleOccurrence:
        made = date.waited
        if made is None:
            made = ScheduleOccurrence(
                id=new_id(),
                project_id=date.schedule.project_id,
                experiment_id=date.schedule.experiment_id,
                first_at=date.at,
                scheduled_for=date.at,
                dates_count=1,
            )
            self.session.add(made)
        made.outcome = outcome
        made.reason = reason[:REASON_LENGTH]
        if other is not None:
            made.other_campaign_id, made.other_campaign_number = other.id, other.number
        made.noted_at = self.clock.now()
        self.session.flush()
        self.repository.forget_occurrences(date.schedule.experiment_id, self.kept)
        return made


def reason_of(error: Exception) -> str:
    """An error as people are told it: a problem's own words, else what was raised."""
    if isinstance(error, Problem):
        words = str(error)
    elif isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        words = f"the stored {error.title.lower()} cannot be read: {place}: {first['msg']}"
    else:
        words = f"{type(error).__name__}: {error}"
    return masked(" ".join(words.replace("\x00", "�").split()))[:REASON_LENGTH]


def read_occurrence(occurrence: ScheduleOccurrence) -> OccurrenceRead:
    """An occurrence as the API shows it."""
    return read_of(
        OccurrenceRead,
        occurrence,
        outcome=Outcome(occurrence.outcome),
        campaign=_campaign(occurrence.campaign_id, occurrence.campaign_number),
        other_campaign=_campaign(occurrence.other_campaign_id, occurrence.other_campaign_number),
    )


def _campaign(campaign_id: UUID | None, number: int | None) -> CampaignOfOccurrence | None:
    if campaign_id is None or number is None:
        return None
    return CampaignOfOccurrence(id=campaign_id, number=number)


def _words(date: datetime.datetime) -> str:
    return date.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
