"""How many bytes of values the operations of a workload ask for. Pure.

What the application would read or change: where a system keeps a record in one piece it moves more
of it, which the bytes on the connections tell.
"""

from dataclasses import dataclass

from weighhouse_protocol.workload import Workload


@dataclass(frozen=True)
class Payload:
    """Bytes of values of one successful operation, on the average."""

    read: float | None
    """None: it is not known, as of a scan, which gives as many records as there are."""
    written: float


def payload_of(workload: Workload, operation: str) -> Payload:
    """Of an operation by its name, without keys and names of fields."""
    field = workload.record_bytes / workload.field_count
    read = workload.record_bytes if workload.read_all_fields else field
    written = workload.record_bytes if workload.write_all_fields else field
    match operation:
        case "read":
            return Payload(float(read) * workload.keys_per_read, 0.0)
        case "update":
            return Payload(0.0, written)
        case "insert":
            return Payload(0.0, float(workload.record_bytes))
        case "read_modify_write":
            return Payload(float(read), written)
        case "scan":
            return Payload(None, 0.0)
        case _:
            return Payload(0.0, 0.0)
