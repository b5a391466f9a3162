"""From a campaign's document to the judge's plans. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_judging.scenarios import calibrate, peak, sweep
from weighhouse_judging.scenarios.calibrate import Calibration
from weighhouse_judging.scenarios.peak import Peak
from weighhouse_judging.scenarios.scalability import NotSaid
from weighhouse_judging.scenarios.scenario import Measurement, Result, Step
from weighhouse_judging.scenarios.sweep import Curve
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.figures import percentile
from weighhouse_protocol.scenarios import SEARCHES, LatencyEnvelope, Scenario, Searching

from weighhouse_backend.scenarios.searches import Search

ASKS = {
    "sweep": "What is the load curve, and where is its knee?",
    "calibrate": "How much load fits inside the latency envelope?",
    "peak": "How much with pipelining, and what does it cost in latency?",
}
USUAL = 99.0
"""Percentile of a sweep that stops at none."""

Answer = Step | Result[Curve] | Result[Calibration] | Result[Peak]
NO_LAW = NotSaid("not_for_rates", "Depths of a pipeline are no clients: no law is fitted.")


@dataclass(frozen=True)
class Planner:
    """What decides the next load of a search."""

    plan: sweep.Plan | calibrate.Plan | peak.Plan
    drawn: sweep.Plan | peak.Plan
    """By which its points are drawn as a curve."""

    @property
    def latency(self) -> str:
        """The figure of a run that it keeps an eye on."""
        return self.plan.latency

    @property
    def envelope_us(self) -> float | None:
        """Where it stops, or what it keeps within."""
        plan = self.plan
        return plan.envelope_us if isinstance(plan, calibrate.Plan) else plan.stop_at_us

    def advance(self, measured: Sequence[Measurement]) -> Answer:
        """The next load, or what came out; decided from what was measured alone."""
        if isinstance(self.plan, sweep.Plan):
            return sweep.advance(self.plan, measured)
        if isinstance(self.plan, peak.Plan):
            return peak.advance(self.plan, measured)
        return calibrate.advance(self.plan, measured)

    def curve(self, measured: Sequence[Measurement]) -> Curve:
        """The points so far."""
        if isinstance(self.drawn, sweep.Plan):
            return sweep.curve(self.drawn, measured)
        ladder = peak.ladder(self.drawn, measured)
        return Curve(
            axis="depth",
            latency=self.latency,
            points=ladder.points,
            knee=None,
            knee_inside=False,
            saturation=ladder.enough,
            efficiencies=(),
            scalability=NO_LAW,
            noise=ladder.noise,
        )

    def ladder(self, measured: Sequence[Measurement]) -> Peak | None:
        """What each depth gives and costs; None where clients or a rate are varied."""
        return peak.ladder(self.drawn, measured) if isinstance(self.drawn, peak.Plan) else None

    def whole_points(self, step: Step) -> bool:
        """Whether a step asks for a load with all its repetitions, not for one more run."""
        return not isinstance(self.plan, calibrate.Plan) and step.purpose != "again"


def planner(document: Experiment, search: Search, repetitions: int) -> Planner:
    """The planner of a search.

    :param document: the campaign's.
    :param repetitions: of each point of a sweep; of what a calibration found.
    """
    if document.scenario == "peak":
        return _ladder(document, search, repetitions)
    begun = document.begun(search.load_index).value
    most = document.most_load(search.load_index)
    if document.sweep is not None:
        stop = document.sweep.stop_at
        rising = sweep.Plan(
            axis=search.axis,
            start=begun,
            end=most,
            stop_at_us=None if stop is None else stop.limit_us,
            latency=percentile(USUAL if stop is None else stop.percentile).name,
            repeats=repetitions,
            refinements=document.sweep.refine,
            # A run that the machine spoiled is made again once.
            most_measurements=2 * document.most_points(search.load_index) * repetitions,
        )
        return Planner(rising, rising)
    rule = document.calibration
    envelope = document.latency_envelope or LatencyEnvelope(limit_us=1.0)
    latency = percentile(envelope.percentile).name
    inside = calibrate.Plan(
        axis=search.axis,
        low=begun,
        high=most,
        envelope_us=envelope.limit_us,
        latency=latency,
        precision=rule.precision_percent / 100,
        confirmations=repetitions,
        most_measurements=rule.measurements,
        ramp=False,
    )
    return Planner(inside, sweep.Plan(axis=search.axis, start=begun, end=most, latency=latency))


def searching(scenario: Scenario) -> Searching:
    """A scenario that chooses its loads.

    :raises ValueError: when it does not.
    """
    found = next((one for one in SEARCHES if one == scenario), None)
    if found is None:
        message = f"{scenario} chooses no loads"
        raise ValueError(message)
    return found


def _ladder(document: Experiment, search: Search, repetitions: int) -> Planner:
    load, stop = document.begun(search.load_index), document.ladder.stop_at
    depths = document.ladder.ladder(load)
    plan = peak.Plan(
        clients=round(load.value),
        depths=depths,
        stop_at_us=None if stop is None else stop.limit_us,
        latency=percentile(USUAL if stop is None else stop.percentile).name,
        repeats=repetitions,
        most_measurements=2 * len(depths) * repetitions,
    )
    return Planner(plan, plan)
