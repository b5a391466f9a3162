"""What a driver counted, as the platform takes it."""

from collections.abc import Iterable

from weighhouse_backend.results.schemas import PhaseRecord
from weighhouse_protocol.driver import DriverEvent, PhaseFinished


def phases_of(told: Iterable[DriverEvent]) -> list[PhaseRecord]:
    """Its phases."""
    return [
        PhaseRecord.model_validate({
            "phase": each.phase,
            "duration_us": each.duration_us,
            "operations": {
                name: {
                    "ok": one.ok, "not_found": one.not_found, "errors": sum(one.errors.values()),
                    "verify_failed": one.verify_failed,
                }
                for name, one in each.operations.items()
            },
            "counted": each.counted,
        })
        for each in told
        if isinstance(each, PhaseFinished)
    ]  # fmt: skip
