"""Which records a workload means, and a look at some of them. Pure."""

from collections.abc import Iterable

from weighhouse_protocol.load import Load
from weighhouse_protocol.workload import OperationMix, Workload

READS = frozenset({"read", "scan"})
"""Operations that write nothing."""

MADE_BY_LOADING = (
    "record_count",
    "insert_start",
    "insert_count",
    "field_count",
    "field_length",
    "field_length_distribution",
    "min_field_length",
    "field_length_histogram",
    "field_name_prefix",
    "insert_order",
    "key_prefix",
    "zero_padding",
    "value_repetition",
    "ttl_seconds",
    "expiry",
    "time_series",
)
"""Fields of a workload that decide which records a load writes; the others are what is done with
them.
"""

LOOKED_AT = 1000
"""Records that a sample has, at most."""


def writes(workload: Workload, load: Load) -> bool:
    """Whether anything but reads and scans is asked for once the records are there."""
    return any(name not in READS for name in _asked(workload, load))


def reads(workload: Workload, load: Load) -> bool:
    """Whether records are read once they are there."""
    return any(name in {*READS, "read_modify_write"} for name in _asked(workload, load))


def _asked(workload: Workload, load: Load) -> Iterable[str]:
    """Operations of the measured phase."""
    rates = load.operation_rates if load.model == "open" else {}
    return rates or [name for name, share in workload.operations.model_dump().items() if share > 0]


def same_records(one: Workload, other: Workload) -> bool:
    """Whether two workloads would load the same records, but for their random characters."""
    return all(getattr(one, name) == getattr(other, name) for name in MADE_BY_LOADING)


def sample_of(workload: Workload) -> tuple[Workload, int]:
    """What reads a sample of a workload's records, whole.

    :returns: the workload, and how many reads: each record once where there are no more than
        `LOOKED_AT`, else as many, drawn alike from all of them.
    """
    few = workload.records_to_load <= LOOKED_AT
    reads = {
        "operations": OperationMix(read=1.0),
        "request_distribution": "sequential" if few and not workload.time_series else "uniform",
        "read_all_fields": True,
        "read_fields_by_name": False,
        "verify_fraction": 1.0,
        "keys_per_read": 1,
        "read_miss_fraction": 0.0,
    }
    return workload.model_copy(update=reads), min(LOOKED_AT, workload.records_to_load)
