"""What memcached counts of its own work: lines of `stats` (memcached's doc/protocol.txt)."""

from collections.abc import Mapping

from weighhouse_protocol.counts import CommandCount, NodeCounts

CONNECT = "connect"
"""No command; but it may not become less, either."""
RESET = "stats reset"
"""Is not counted itself, but what it left behind shows that it was."""
AT_LEAST = (("total_items", "curr_items"), ("total_connections", "curr_connections"))
"""Counters, and the gauges that they are never below."""
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "get": ("cmd_get",),
    "set": ("cmd_set",),
    "delete": ("delete_hits", "delete_misses"),
    "touch": ("cmd_touch",),
    "incr": ("incr_hits", "incr_misses"),
    "decr": ("decr_hits", "decr_misses"),
    "flush": ("cmd_flush",),
    CONNECT: ("total_connections",),
}
"""Command → the lines that count it; the meta commands are counted with the classic ones. A `cas`
is counted with `set`, too."""


def counts_in(endpoint: str, told: Mapping[str, str]) -> NodeCounts | None:
    """The counters among the lines of `stats`; None: they are not there.

    :param told: the lines; of one that does not tell, none.
    """
    numbers = {name: int(value) for name, value in told.items() if value.isdecimal()}
    if "cmd_get" not in numbers:
        return None
    commands = {
        name: CommandCount(calls=sum(numbers.get(line, 0) for line in lines))
        for name, lines in COMMANDS.items()
        if lines[0] in numbers
    }
    # It takes what there was ever to nothing, and leaves what there is.
    if any(numbers.get(ever, 0) < numbers.get(now, 0) for ever, now in AT_LEAST):
        commands[RESET] = CommandCount(calls=0)
    return NodeCounts(
        node=endpoint,
        life=told.get("pid", ""),
        commands=commands,
        hits=numbers.get("get_hits"),
        misses=numbers.get("get_misses"),
        received_bytes=numbers.get("bytes_read"),
        sent_bytes=numbers.get("bytes_written"),
    )
