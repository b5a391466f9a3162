"""What an Aerospike node counts of its own work: transactions of a namespace, from clients.

Source: https://aerospike.com/docs/database/reference/metrics/
"""

from collections.abc import Mapping

from weighhouse_protocol.counts import CommandCount, NodeCounts

COMMANDS: Mapping[str, str] = {
    "read": "client_read",
    "write": "client_write",
    "delete": "client_delete",
    "udf": "client_udf",
    "batch read": "batch_sub_read",
    "batch write": "batch_sub_write",
    "batch delete": "batch_sub_delete",
    "batch udf": "batch_sub_udf",
}
"""What of it is counted → how the names of its counters begin."""
ANSWERED = ("success", "complete", "not_found", "filtered_out")
FAILED = ("error", "timeout")
READS = ("client_read", "batch_sub_read")


def counts_in(endpoint: str, told: Mapping[str, str]) -> NodeCounts | None:
    """The counters among the fields of `namespace/NAME`; None: they are not there."""
    numbers = {name: int(value) for name, value in told.items() if value.isdecimal()}
    if "client_read_success" not in numbers:
        return None

    def of(beginning: str, *ends: str) -> int:
        return sum(numbers.get(f"{beginning}_{end}", 0) for end in ends)

    commands = {}
    for name, beginning in COMMANDS.items():
        failed = of(beginning, *FAILED)
        if calls := of(beginning, *ANSWERED) + failed:
            commands[name] = CommandCount(calls=calls, failed=failed)
    return NodeCounts(
        node=endpoint,
        commands=commands,
        hits=sum(of(each, "success") for each in READS),
        misses=sum(of(each, "not_found") for each in READS),
    )
