"""The checks of one run, put together. Pure: an observation in, findings out."""

from collections.abc import Callable

from weighhouse_judging.findings import (
    caches,
    course,
    held_data,
    outcomes,
    plausibility,
    reconciliation,
    surroundings,
)
from weighhouse_judging.findings.checks import Finding
from weighhouse_judging.findings.observation import RunObservation

GRAVITY = {"error": 0, "caution": 1, "info": 2}


def check_run(run: RunObservation) -> list[Finding]:
    """All findings of a run, the gravest first, else in the order of the catalogue."""
    found = [finding for check in RUN_CHECKS if (finding := check(run)) is not None]
    return sorted(found, key=lambda finding: GRAVITY[finding.severity])


RUN_CHECKS: tuple[Callable[[RunObservation], Finding | None], ...] = (
    plausibility.littles_law_of,
    plausibility.unaccounted_clients,
    plausibility.latency_understated,
    plausibility.beyond_range,
    reconciliation.reconciliation,
    outcomes.load_complete,
    held_data.data_found,
    caches.caches_unsaid,
    outcomes.verification,
    outcomes.errors,
    outcomes.not_found,
    outcomes.rate_not_reached,
    surroundings.client_bound,
    surroundings.clock_offset,
    surroundings.co_located,
    plausibility.samples,
    plausibility.averaged_percentiles_of,
    course.steady_state,
    surroundings.environment,
    plausibility.coordinated_omission,
    surroundings.memory_fit,
    surroundings.not_told,
    surroundings.effective_configuration,
)
"""The checks of a run, in the order they are shown within a severity."""
