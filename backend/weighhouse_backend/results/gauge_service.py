"""The gauges of a run for reading."""

from dataclasses import asdict, dataclass

from weighhouse_backend.measurements.gauges import gauge_steps, gauges_of
from weighhouse_backend.measurements.summaries import US_PER_SECOND
from weighhouse_backend.results.gauge_schemas import GaugeRead, GaugesRead, MachineGaugesRead
from weighhouse_backend.results.run_service import RunReadService
from weighhouse_backend.runs.instants import microseconds
from weighhouse_backend.runs.models import Run

FEWEST_POINTS = 10
"""Enough to know when a run began."""


@dataclass(frozen=True)
class GaugeReadService:
    """Reads what was sampled of runs."""

    reading: RunReadService

    def of_run(self, run: Run, points: int) -> GaugesRead:
        """What a system said of itself, and what passed disks and network, on each machine.

        :param points: about as many at most.
        """
        attempt_id = self.reading.shown_id(run)
        if attempt_id is None:
            return GaugesRead(every=1, machines=[])
        repository = self.reading.repository
        found = gauge_steps(repository.session, attempt_id, points)
        windows = self.reading.drawn(attempt_id, FEWEST_POINTS).windows
        firsts = [steps[0].at for steps in found.by_member.values()]
        starts = [window.start_us for window in windows]
        origin = min(starts or [microseconds(at) for at in firsts[:1]], default=0)
        members = repository.members([attempt_id])[attempt_id]
        machines = []
        for member in members:
            steps = found.by_member.get(member.index, [])
            offset = (member.clock_offset_us or 0) if len(members) > 1 else 0
            machines.append(
                MachineGaugesRead(
                    member=member.index,
                    agent_name=member.agent_name,
                    t=[(microseconds(one.at) + offset - origin) / US_PER_SECOND for one in steps],
                    gauges=[GaugeRead(**asdict(one)) for one in gauges_of(steps)],
                )
            )
        return GaugesRead(every=found.every, machines=machines)
