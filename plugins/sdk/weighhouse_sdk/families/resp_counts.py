"""What a server of Redis' kind counts of its own work: INFO's `commandstats` and `stats`.

Source: https://redis.io/docs/latest/commands/info/
"""

import re
from collections.abc import Mapping

from weighhouse_protocol.counts import CommandCount, NodeCounts

from weighhouse_sdk.families.resp import converse
from weighhouse_sdk.replies import ReplyError, unless_refused
from weighhouse_sdk.wire import Address

COMMAND = re.compile(r"^cmdstat_(?P<name>[^:]+):calls=(?P<calls>\d+),usec=(?P<us>\d+)")
FAILED = re.compile(r"\bfailed_calls=(\d+)")
HITS, MISSES = ("keyspace_hits", "total_found"), ("keyspace_misses", "total_notfound")
"""What Redis and Garnet call them."""
MONITOR = "commandstats_monitor"
"""Garnet says by it whether it counts; before its first connection is closed it lists nothing."""
ASKED = ("stats", "server", "replication", "commandstats")


def counted(address: Address, timeout_seconds: float) -> NodeCounts | None:
    """The counters of a primary; None: a replica, whose commands are its primary's, or one that
    does not tell.

    :raises ReplyError, OSError: when it does not answer.
    """
    questions = [("INFO", section) for section in ASKED]
    texts = unless_refused(address, "INFO", lambda: converse(address, timeout_seconds, *questions))
    if texts is None:
        return None
    if not all(isinstance(text, str) for text in texts):
        raise ReplyError(f"INFO answers {texts!r}")
    return read(str(address.endpoint), "\n".join(map(str, texts)))


def read(endpoint: str, text: str) -> NodeCounts | None:
    """The lines of those sections of INFO."""
    commands = {}
    told: dict[str, str] = {}
    for line in text.splitlines():
        if found := COMMAND.match(line):
            failed = FAILED.search(line)
            commands[found["name"].lower()] = CommandCount(
                calls=int(found["calls"]),
                us=int(found["us"]),
                failed=None if failed is None else int(failed[1]),
            )
        else:
            name, _, value = line.partition(":")
            told[name] = value
    counts = bool(commands) or told.get(MONITOR) == "enabled"
    if told.get("role", "master") != "master" or not counts:
        return None
    if not any(one.us for one in commands.values()):
        # Garnet measures no time, and says 0.
        commands = {name: one.model_copy(update={"us": None}) for name, one in commands.items()}
    return NodeCounts(
        node=endpoint,
        life=f"{told.get('run_id', '')} {told.get('process_id', '')}",
        commands=commands,
        hits=_number(told, *HITS),
        misses=_number(told, *MISSES),
        received_bytes=_number(told, "total_net_input_bytes"),
        sent_bytes=_number(told, "total_net_output_bytes"),
    )


def _number(told: Mapping[str, str], *names: str) -> int | None:
    values = (told.get(name, "") for name in names)
    return next((int(value) for value in values if value.isdecimal()), None)
