"""What a Cassandra node counts of its own work: virtual tables of what it did as a coordinator.

Source: https://cassandra.apache.org/doc/latest/cassandra/managing/operating/virtualtables.html
"""

from collections.abc import Mapping, Sequence

from weighhouse_protocol.counts import CommandCount, NodeCounts
from weighhouse_sdk.families.cql import Value, told
from weighhouse_sdk.wire import Address

Row = Mapping[str, Value]
TABLES: Mapping[str, str] = {
    "system_views.coordinator_read_latency": "read",
    "system_views.coordinator_write_latency": "write",
    "system_views.coordinator_scan_latency": "range",
}
"""Virtual table → what of it is counted."""
QUESTIONS = {name: f"SELECT keyspace_name, count FROM {name}" for name in TABLES}  # noqa: S608 - of names above
OWN = "system"
"""How keyspaces begin that a node keeps for itself."""


def counted(address: Address, timeout_seconds: float) -> NodeCounts | None:
    """Requests that the node coordinated, of all tables but its own; None: it does not tell.

    :raises ReplyError, OSError: when it does not answer.
    """
    return counts_in(address.endpoint, told(address, timeout_seconds, QUESTIONS))


def counts_in(endpoint: str, found: Mapping[str, Sequence[Row] | None]) -> NodeCounts | None:
    """The counters in those rows."""
    commands = {}
    for table, rows in found.items():
        if rows is None:
            return None
        counts = [
            int(row["count"] or 0) for row in rows if not str(row["keyspace_name"]).startswith(OWN)
        ]
        commands[TABLES[table]] = CommandCount(calls=sum(counts))
    return NodeCounts(node=endpoint, commands=commands)
