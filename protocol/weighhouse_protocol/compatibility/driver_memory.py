"""What the requests and replies of a load take in the memory of the machine that makes it. Pure.

Each client has a request in memory until it is sent, as often as its pipeline is deep, and a reply
until it is whole. A driver of ours writes a value in just the memory that it needs, and holds
neither twice; one that goes through its makers' library may hold a copy of each.
"""

from collections.abc import Iterator, Mapping, Sequence

from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.load import Load, Phase
from weighhouse_protocol.record_sizes import long_record, longest_key, names_bytes
from weighhouse_protocol.workload import Workload

GIB = 2**30
BESIDE_BYTES = 64
"""Of the protocol, for each field of a record."""


def kept_bytes(workload: Workload, load: Load, phases: Sequence[Phase] = ()) -> int:
    """The most that one driver has of requests and replies at once, bytes, each held once.

    :param load: of one driver: its part, where several make it together.
    :param phases: of them the load phase with the number of its clients.
    """
    beside = workload.field_count * BESIDE_BYTES + names_bytes(workload) + longest_key(workload)
    record = long_record(workload) + beside
    loading = max((each.clients or 0 for each in phases if each.kind == "load"), default=0)
    shares: Mapping[str, float] = workload.operations.model_dump()
    if load.model == "open" and load.operation_rates:
        shares = {str(name): rate for name, rate in load.operation_rates.items()}

    def asks(*operations: str) -> bool:
        return any(shares.get(name) for name in operations)

    reply = 0
    if asks("read", "read_modify_write"):
        reply = record * workload.keys_per_read
    if asks("scan"):
        reply = max(reply, record * workload.max_scan_length)
    request = record if asks("update", "insert", "read_modify_write") else 0
    if load.model == "closed":
        clients, flying = load.clients, load.clients * load.pipeline
    else:
        clients, flying = load.connections, load.max_in_flight
    return max(flying * request + clients * reply, loading * record)


def memory_errors(
    workload: Workload, load: Load, phases: Sequence[Phase], machine_bytes: int
) -> Iterator[FieldError]:
    """Whether what one driver holds is beyond the memory of its machine; the path is in the load.

    :param machine_bytes: that the machine has, or its control group may use.
    """
    kept = kept_bytes(workload, load, phases)
    if kept > machine_bytes > 0:
        yield FieldError(
            path="clients" if load.model == "closed" else "max_in_flight",
            message=f"{load.label} of {workload.name} have up to {in_gib(kept)} of requests and "
            f"replies at once in the driver's memory, and its machine has {in_gib(machine_bytes)}",
            expected="fewer clients or requests at once, smaller values, or more driver machines",
        )


def in_gib(size: int) -> str:
    """A size as people read it; bytes."""
    return f"{size / GIB:,.1f} GiB"
