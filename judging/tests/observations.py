"""A sound run, and runs that lack one thing."""

from dataclasses import replace

from weighhouse_judging.findings.checks import Finding
from weighhouse_judging.findings.observation import OperationFigures, RunObservation
from weighhouse_judging.findings.run_checks import check_run
from weighhouse_judging.findings.steadiness import Course


def course(throughputs: list[float], **more: object) -> Course:
    return Course(throughputs, seconds=float(len(throughputs)), **more)  # type: ignore[arg-type]


SOUND = RunObservation(
    load_model="open",
    everything=OperationFigures(
        ok=1_000_000,
        throughput=10_000.0,
        mean_us=90.0,
        quantiles_us={0.5: 80.0, 0.99: 200.0, 0.9999: 900.0},
    ),
    clients=8,
    seconds=100.0,
    rate_per_second=10_000.0,
    course=course([10_000.0 + (index * 37) % 100 for index in range(30)]),
    co_located=False,
    records_asked=1000,
    records_loaded=1000,
    records_held=1000,
    steal_percent=0.0,
    governor="performance",
    other_cpu_percent=20.0,
    swapped_bytes=0.0,
    throttled_seconds=0.0,
    thermal_throttles=0.0,
    cores=8,
)
"""An open loop of 10,000 a second over 100 s, without a fault."""

FILLED = replace(
    SOUND,
    load_model="closed",
    rate_per_second=None,
    everything=replace(SOUND.everything, mean_us=800.0, quantiles_us={0.5: 780.0}),
)
"""A closed loop whose eight clients are always waiting: 10,000 × 800 µs = 8."""


def faulty(**figures: object) -> RunObservation:
    """The sound run with other figures."""
    return replace(SOUND, everything=replace(SOUND.everything, **figures))  # type: ignore[arg-type]


def found(run: RunObservation) -> dict[str, Finding]:
    """What is found, by check."""
    return {finding.id: finding for finding in check_run(run)}
