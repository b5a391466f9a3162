"""How often a project's gate was wrong, as far as it is known."""

from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.alerts.alert_reader import AlertReading
from weighhouse_backend.alerts.states import AlertState
from weighhouse_backend.gates.repository import GateRepository
from weighhouse_backend.gates.schemas import TrackRecordRead
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.noise.service import Equals, NoiseService


@dataclass(frozen=True)
class TrackRecordService:
    """Counts what is kept: verdicts, alerts, and what A/A campaigns said."""

    repository: GateRepository
    alerts: AlertReading
    noise: NoiseService

    def read(self, caller: Caller, project_id: UUID) -> TrackRecordRead:
        """What a project's verdicts and alerts came to.

        :raises Forbidden: when the project is not the caller's.
        """
        states = self.alerts.counts(caller, project_id).states
        given = self.repository.given(project_id)
        alerts, noise = sum(states.values()), states[AlertState.NOISE]
        equals = self.noise.equals(project_id)
        return TrackRecordRead(
            verdicts=given.verdicts,
            regressions=given.regressions,
            taken_back=given.taken_back,
            alerts=alerts,
            alerts_noise=noise,
            equals=equals.compared,
            equals_changed=equals.changed,
            message=_in_words(
                given.verdicts, given.regressions, given.taken_back, alerts, noise, equals
            ),
        )


def _in_words(
    verdicts: int, regressions: int, taken_back: int, alerts: int, noise: int, equals: Equals
) -> str:
    told = (
        f"A/A: {equals.changed:,} of {equals.compared:,} equal cells seemed changed"
        if equals.compared
        else "nothing was measured against itself (A/A) yet"
    )
    return (
        f"{_counted(verdicts, 'verdict')}: {_counted(regressions, 'regression')}, "
        f"{taken_back:,} taken back by a second measurement; "
        f"{noise:,} of {_counted(alerts, 'alert')} closed as noise; {told}."
    )


def _counted(count: int, word: str) -> str:
    return f"1 {word}" if count == 1 else f"{count:,} {word}s"
