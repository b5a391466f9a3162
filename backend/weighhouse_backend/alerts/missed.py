"""What did not take place: dates of schedules, campaigns without a result, agents nobody hears of.

Looked for by the worker's sweep. What goes on has one alert; it is over by itself when the next one
works.
"""

import datetime
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from weighhouse_protocol import pages
from weighhouse_protocol.text import numbered

from weighhouse_backend.alerts.alert_repository import AlertRowRepository
from weighhouse_backend.alerts.models import Alert
from weighhouse_backend.alerts.states import OPEN, AlertKind, AlertState, EventKind
from weighhouse_backend.alerts.words import missed_title
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.experiments.schedules import ScheduleService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.notices.announcements import notify
from weighhouse_backend.notices.kinds import NoticeKind

_ONE_AT_A_TIME = 0x616C65727473
"""Of the advisory lock."""
_NOTIFIED = {
    AlertKind.MISSED_RUN: NoticeKind.MISSED_RUN,
    AlertKind.SILENT_AGENT: NoticeKind.AGENT_SILENT,
}
"""A campaign without a result is told of by itself."""


@dataclass(frozen=True)
class _Missed:
    """What goes on now."""

    project_id: UUID
    details: dict[str, Any]


@dataclass(frozen=True)
class MissedService:
    """Raises and ends alerts of what did not take place."""

    repository: AlertRowRepository
    schedules: ScheduleService
    experiments: ExperimentService
    campaigns: CampaignService
    fleet: FleetService
    clock: Clock
    settings: Settings
    """An agent that is waited for is silent after so long without a sign of life."""

    def look(self) -> None:
        """Bring the alerts up to date with what goes on. Idempotent."""
        self.repository.session.execute(select(func.pg_advisory_xact_lock(_ONE_AT_A_TIME)))
        self._keep(
            AlertKind.MISSED_RUN,
            {
                one.experiment_id: _Missed(
                    one.project_id,
                    {
                        "times": one.dates_count,
                        "first_at": one.first_at.isoformat(),
                        "last_at": one.last_at.isoformat(),
                        "reason": one.reason,
                    },
                )
                for one in self.schedules.not_started()
            },
            "the schedule started a campaign again, or was switched off",
        )
        self._keep(
            AlertKind.NO_RESULT, self._without_result(), "the next campaign ended with a result"
        )
        self._keep(
            AlertKind.SILENT_AGENT,
            self._silent(),
            "it was heard of again, or is not waited for any more",
        )

    def _without_result(self) -> dict[UUID, _Missed]:
        found = {}
        for experiment in self.experiments.last_failed():
            if experiment.last_campaign_id is None:
                continue
            campaign = self.campaigns.get(experiment.last_campaign_id)
            ended = campaign.finished_at or campaign.changed_at
            found[experiment.id] = _Missed(
                experiment.project_id,
                {
                    "times": 1,
                    "first_at": ended.isoformat(),
                    "last_at": ended.isoformat(),
                    "reason": f"no run of campaign {numbered(campaign.number)} was completed",
                    "campaign_id": str(campaign.id),
                    "campaign_number": campaign.number,
                },
            )
        # One that is tried again, or follows a failed one, has not worked yet.
        going_on = self.repository.going_on(AlertKind.NO_RESULT)
        unknown = [key for key in going_on if key not in found]
        for experiment in self.experiments.get_many(unknown).values():
            if experiment.last_campaign_state != "completed":
                alert = going_on[experiment.id]
                found[experiment.id] = _Missed(alert.project_id, alert.details)
        return found

    def _silent(self) -> dict[UUID, _Missed]:
        silent = self.fleet.silent(
            self.clock.now() - datetime.timedelta(minutes=self.settings.silent_agent_minutes)
        )
        if not silent:
            return {}
        waiting = self.schedules.projects() | self.campaigns.projects_waiting()
        found = {}
        for agent in silent:
            if waiting & set(self.fleet.projects_of(agent)):
                seen = agent.seen_at or agent.registered_at
                said = f"; it last said: {agent.resting}" if agent.resting else ""
                details = {
                    "times": 1,
                    "first_at": seen.isoformat(),
                    "last_at": seen.isoformat(),
                    "reason": f"nobody heard of it since, and work waits for it{said}",
                }
                found[agent.id] = _Missed(agent.project_id, details)
        return found

    def _keep(self, kind: AlertKind, now: Mapping[UUID, _Missed], over: str) -> None:
        known = self.repository.going_on(kind)
        for subject, missed in now.items():
            alert = known.get(subject)
            if alert is None:
                self._raise(kind, subject, missed)
            else:
                self._repeat(alert, missed.details)
        self._end([alert for subject, alert in known.items() if subject not in now], over)

    def _raise(self, kind: AlertKind, subject: UUID, missed: _Missed) -> None:
        now = self.clock.now()
        is_agent = kind == AlertKind.SILENT_AGENT
        alert = Alert(
            id=self.repository.new_id(),
            project_id=missed.project_id,
            kind=kind,
            experiment_id=None if is_agent else subject,
            agent_id=subject if is_agent else None,
            details=missed.details,
            state=AlertState.UNTRIAGED,
            note="",
            version=1,
            raised_at=now,
            state_at=now,
        )
        self.repository.add(alert)
        self.repository.note(alert, EventKind.RAISED, now, reason=missed.details["reason"])
        if kind in _NOTIFIED:
            self._tell(alert, _NOTIFIED[kind], missed.details["reason"])

    def _tell(self, alert: Alert, kind: NoticeKind, reason: str) -> None:
        experiment = agent = ""
        if alert.experiment_id is not None:
            experiment = self.experiments.get_many([alert.experiment_id])[alert.experiment_id].name
        if alert.agent_id is not None:
            agent = self.fleet.names([alert.agent_id])[alert.agent_id]
        notify(
            self.repository.session,
            self.clock,
            project_id=alert.project_id,
            kind=kind,
            cause=f"alert:{alert.id}",
            title=missed_title(alert, experiment, agent),
            words=reason[:1].upper() + reason[1:],
            path=pages.alert(alert.id),
        )

    def _repeat(self, alert: Alert, details: dict[str, Any]) -> None:
        before = alert.details
        if before["last_at"] == details["last_at"]:
            return
        times = max(details["times"], before["times"] + 1)
        alert.details = {**details, "times": times, "first_at": before["first_at"]}
        self.repository.note(
            alert, EventKind.REPEATED, self.clock.now(), reason=str(details["reason"])
        )

    def _end(self, alerts: Collection[Alert], reason: str) -> None:
        now = self.clock.now()
        for alert in alerts:
            alert.ended_at = now
            if alert.state in OPEN:
                self.repository.change_state(alert, AlertState.FIXED, EventKind.ENDED, now, reason)
            else:
                self.repository.note(alert, EventKind.ENDED, now, reason=reason)
