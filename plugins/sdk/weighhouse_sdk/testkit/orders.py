"""Orders for a driver that tests give by hand."""

from collections.abc import Mapping

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverOrder, DriverTarget
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.workload import OperationMix, Workload

RECORDS = 5000
FIELD_BYTES = 100
FIELDS = 10


def order_for(
    endpoints: tuple[str, ...],
    options: Mapping[str, Scalar],
    measure_seconds: float | None = None,
    interval_seconds: float = 0.2,
    records: int = RECORDS,
) -> DriverOrder:
    """Load some records of 1,000 bytes; then, if wanted, read and update them for some time."""
    phases = [Phase(kind="load", clients=2)]
    if measure_seconds is not None:
        phases.append(Phase(kind="measure", duration_seconds=measure_seconds))
    return DriverOrder(
        workload=Workload(
            name="conformance",
            record_count=records,
            field_count=FIELDS,
            field_length=FIELD_BYTES,
            operations=OperationMix(read=0.5, update=0.5),
        ),
        target=DriverTarget(endpoints=endpoints, options=dict(options)),
        load=ClosedLoad(clients=2),
        phases=tuple(phases),
        seed=7,
        interval_seconds=interval_seconds,
    )
