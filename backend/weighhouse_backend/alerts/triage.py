"""What people say of alerts: kept, written down, and not written over by others unseen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from weighhouse_backend.alerts.alert_reader import AlertReading
from weighhouse_backend.alerts.alert_repository import AlertRowRepository
from weighhouse_backend.alerts.alert_schemas import (
    AlertDetailRead,
    AlertRead,
    AlertUpdate,
    TriageRequest,
)
from weighhouse_backend.alerts.errors import AlertNotFound
from weighhouse_backend.alerts.models import Alert
from weighhouse_backend.alerts.states import AlertState, EventKind
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.etags import etag, require_match
from weighhouse_backend.kit.problems import FieldProblem, Invalid
from weighhouse_backend.membership.service import MembershipService


@dataclass(frozen=True)
class TriageService:
    """Triages alerts, one or several; takes a member. All of it stands in the audit log."""

    repository: AlertRowRepository
    reading: AlertReading
    people: MembershipService
    clock: Clock

    def change(
        self, caller: Caller, alert_id: UUID, wanted: AlertUpdate, if_match: str | None
    ) -> AlertDetailRead:
        """Say something of an alert.

        :param if_match: tag of the version that was seen; None: whatever is current.
        :raises AlertNotFound: when it is not the caller's to see.
        :raises Changed: when it was changed meanwhile.
        :raises Invalid: when what is named does not exist.
        """
        (alert,) = self._locked(caller, [alert_id])
        require_match(if_match, etag(alert.version))
        self._apply(caller, alert, wanted)
        return self.reading.read(caller, alert_id)

    def change_many(self, caller: Caller, wanted: TriageRequest) -> list[AlertRead]:
        """Say the same of several alerts: of all or of none.

        :raises AlertNotFound: when one of them is not the caller's to see.
        :raises Changed: when one was changed meanwhile.
        """
        versions = {one.id: one.version for one in wanted.alerts}
        alerts = self._locked(caller, list(versions))
        for alert in alerts:
            version = versions[alert.id]
            require_match(None if version is None else etag(version), etag(alert.version))
        for alert in alerts:
            self._apply(caller, alert, wanted.change)
        by_id = {one.id: one for one in self.reading.reads(alerts)}
        return [by_id[one] for one in versions]

    def _locked(self, caller: Caller, alert_ids: Sequence[UUID]) -> Sequence[Alert]:
        alerts = self.repository.lock(alert_ids)
        seen = [one for one in alerts if one.project_id in caller.project_ids]
        missing = set(alert_ids) - {one.id for one in seen}
        if missing:
            raise AlertNotFound(f"there is no alert {min(map(str, missing))}")
        for alert in alerts:
            caller.require(alert.project_id, Role.MEMBER)
        return alerts

    def _apply(self, caller: Caller, alert: Alert, wanted: AlertUpdate) -> None:
        given = wanted.model_dump(exclude_unset=True)
        _refuse_null(given)
        is_downstream = wanted.state == AlertState.DOWNSTREAM
        if is_downstream != (wanted.downstream_of_id is not None):
            raise _wrong(
                "downstream_of_id",
                "is missing" if is_downstream else "goes with state 'downstream' alone",
                "the alert that explains this one, and state 'downstream'",
            )
        if "state" in given:
            given["downstream_of_id"] = self._explains(alert, wanted.downstream_of_id)
        if given.get("assignee_id") is not None:
            self._require_member(caller, alert, given["assignee_id"])
        changes = {
            name: (getattr(alert, name), value)
            for name, value in given.items()
            if getattr(alert, name) != value
        }
        if not changes:
            return
        told = self._in_words(changes)
        now = self.clock.now()
        for name, (_, value) in changes.items():
            setattr(alert, name, value)
        if "state" in changes:
            alert.state_at = now
        alert.version += 1
        self.repository.note(alert, EventKind.TRIAGED, now, actor=caller.name, changes=told)
        self.repository.session.flush()
        (read,) = self.reading.reads([alert])
        audit.record(
            self.repository.session,
            self.clock,
            actor=caller.name,
            action="alert.triaged",
            subject=read.title,
            project_id=alert.project_id,
            alert=str(alert.id),
            changes=told,
        )

    def _explains(self, alert: Alert, other_id: UUID | None) -> UUID | None:
        """The alert that explains one; checked, so that none explains itself in the end."""
        step, seen = other_id, {alert.id}
        while step is not None:
            if step in seen:
                raise _wrong("downstream_of_id", "explains itself in the end", "another alert")
            seen.add(step)
            found = next(iter(self.repository.alerts([step])), None)
            if found is None or found.project_id != alert.project_id:
                raise _wrong("downstream_of_id", "is no alert of this project", "an alert's id")
            step = found.downstream_of_id
        return other_id

    def _require_member(self, caller: Caller, alert: Alert, user_id: UUID) -> None:
        caller.require(alert.project_id)
        if not self.people.is_colleague(alert.project_id, user_id):
            raise _wrong(
                "assignee_id", "is no member of the organization", "an id from GET /api/v1/members"
            )

    def _in_words(self, changes: Mapping[str, tuple[Any, Any]]) -> dict[str, list[Any]]:
        """Changes as they are remembered: people by name, dates as text."""
        told: dict[str, list[Any]] = {}
        for name, pair in changes.items():
            if name == "assignee_id":
                names = self.people.names({one for one in pair if one is not None})
                told["assignee"] = [names.get(one) if one else None for one in pair]
            else:
                told[name] = [None if one is None else str(one) for one in pair]
        return told


def _refuse_null(given: Mapping[str, Any]) -> None:
    for name, words in (("state", "one of the states"), ("note", "a text; '' for none")):
        if name in given and given[name] is None:
            raise _wrong(name, "is null", words)


def _wrong(path: str, message: str, expected: str) -> Invalid:
    problem = FieldProblem(path=path, message=message, expected=expected)
    return Invalid(f"{path}: {message}", errors=[problem])
