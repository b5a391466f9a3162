"""Asks a memcached questions, in its text protocol (memcached's doc/protocol.txt)."""

from weighhouse_sdk.replies import LoginRefused, Refused, ServerFull, other_protocol
from weighhouse_sdk.wire import Address, Connection

PROTOCOL = "Memcached's protocol"
ERRORS = ("ERROR", "CLIENT_ERROR", "SERVER_ERROR")
UNAUTHENTICATED = "CLIENT_ERROR unauthenticated"
FULL = "ERROR Too many open connections"


def stats(address: Address, timeout_seconds: float, group: str = "") -> dict[str, str]:
    """The lines of `stats` or `stats GROUP`.

    :raises Refused: when the answer is an error.
    :raises Unfit: when the server does not let it in, or is no memcached.
    :raises OSError: when there is no answer.
    """
    with Connection(address, timeout_seconds, PROTOCOL) as connection:
        connection.send(f"stats {group}".strip().encode() + b"\r\n")
        found: dict[str, str] = {}
        while (line := connection.line()) != "END":
            word, _, rest = line.partition(" ")
            if word != "STAT":
                raise failure(line)
            name, _, value = rest.partition(" ")
            found[name] = value
        return found


def version(address: Address, timeout_seconds: float) -> str:
    """The answer to `version`.

    :raises Refused, Unfit, OSError: as `stats`.
    """
    with Connection(address, timeout_seconds, PROTOCOL) as connection:
        connection.send(b"version\r\n")
        line = connection.line()
        if not line.startswith("VERSION "):
            raise failure(line)
        return line.removeprefix("VERSION ").strip()


def failure(line: str) -> Exception:
    """What an answer is that is none to the question."""
    if line.startswith(UNAUTHENTICATED):
        return LoginRefused(
            "the server wants an account",
            "driver and agent have none to show to Memcached: use one that is started without -Y",
        )
    if line.startswith(FULL):
        return ServerFull(
            f"the server takes no further connection: {line}",
            "raise its max_connections (-c), or end what is connected to it",
        )
    if line.startswith(ERRORS):
        return Refused(line)
    return other_protocol(PROTOCOL, line.encode())
