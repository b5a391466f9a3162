"""Asks a memcached for statistics, in its text protocol (memcached's doc/protocol.txt)."""

from weighhouse_sdk.wire import Address, Connection, ReplyError


def stats(address: Address, timeout_seconds: float, group: str = "") -> dict[str, str]:
    """The lines of `stats` or `stats GROUP`.

    :raises ReplyError: when the answer is an error.
    :raises OSError: when there is no answer.
    """
    with Connection(address, timeout_seconds) as connection:
        connection.send(f"stats {group}".strip().encode() + b"\r\n")
        found: dict[str, str] = {}
        while (line := connection.line()) != "END":
            word, _, rest = line.partition(" ")
            if word != "STAT":
                raise ReplyError(line[:200])
            name, _, value = rest.partition(" ")
            found[name] = value
        return found
