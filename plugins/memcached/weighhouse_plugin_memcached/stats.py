"""Asks a memcached questions, in its text protocol (memcached's doc/protocol.txt)."""

from weighhouse_sdk.replies import LoginRefused, Refused, ServerFull, other_protocol
from weighhouse_sdk.wire import Address, Connection

PROTOCOL = "Memcached's protocol"
ERRORS = ("ERROR", "CLIENT_ERROR", "SERVER_ERROR")
UNAUTHENTICATED = "CLIENT_ERROR unauthenticated"
WRONG = "CLIENT_ERROR authentication failure"
FULL = "ERROR Too many open connections"


def stats(address: Address, timeout_seconds: float, group: str = "") -> dict[str, str]:
    """The lines of `stats` or `stats GROUP`.

    :raises Refused: when the answer is an error.
    :raises Unfit: when the server does not let it in, or is no memcached.
    :raises OSError: when there is no answer.
    """
    with Connection(address, timeout_seconds, PROTOCOL) as connection:
        log_in(connection, address)
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
        log_in(connection, address)
        connection.send(b"version\r\n")
        line = connection.line()
        if not line.startswith("VERSION "):
            raise failure(line)
        return line.removeprefix("VERSION ").strip()


def cluster(address: Address, timeout_seconds: float) -> tuple[str, ...]:
    """The servers that a managed service's configuration endpoint names, as `HOST:PORT`.

    Format: Amazon ElastiCache, "Adding Auto Discovery to your client library"; Google Memorystore
    has the same. A version, and then `NAME|ADDRESS|PORT` of each; the name or the address may be
    empty.

    :raises Refused, Unfit, OSError: as `stats`; refused by a Memcached as it is released.
    """
    with Connection(address, timeout_seconds, PROTOCOL) as connection:
        log_in(connection, address)
        connection.send(b"config get cluster\r\n")
        line = connection.line()
        word, *rest = line.split(" ")
        if word != "CONFIG" or len(rest) != 3 or not rest[2].isdecimal():  # noqa: PLR2004 - key, flags, bytes
            raise failure(line)
        text = connection.exactly(int(rest[2])).decode("utf-8", errors="replace")
        nodes = [each.split("|") for each in " ".join(text.splitlines()[1:]).split()]
        if not nodes or any(len(each) != 3 for each in nodes):  # noqa: PLR2004 - as above
            raise other_protocol(PROTOCOL, text.encode())
        return tuple(f"{_bracketed(name or at)}:{port}" for name, at, port in nodes)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def log_in(connection: Connection, address: Address) -> None:
    """Show the account of the address, where it has one, in the place of a value (doc/protocol.txt,
    "Authentication"). A server that wants none would keep it as one: whether it does is asked
    before.

    :raises LoginRefused: when it wants none, or not this one.
    :raises Refused, Unfit: when it answers with something else.
    """
    shown = address.credentials
    if shown is None or shown.password is None:
        return
    if shown.username is None:
        raise LoginRefused(
            "Memcached's accounts have names, and the credentials have none",
            "give them a username beside password_file",
        )
    connection.send(b"version\r\n")
    line = connection.line()
    if line.startswith("VERSION "):
        raise LoginRefused(
            "the server wants no account, and was shown one",
            "leave out the credentials, or start it with -Y",
        )
    if not line.startswith(UNAUTHENTICATED):
        raise failure(line)
    account = f"{shown.username} {shown.password}".encode()
    connection.send(b"set weighhouse 0 -1 %d\r\n%s\r\n" % (len(account), account))
    line = connection.line()
    if line != "STORED":
        raise failure(connection.masked(line))


def failure(line: str) -> Exception:
    """What an answer is that is none to the question."""
    if line.startswith(UNAUTHENTICATED):
        return LoginRefused(
            "the server wants an account (it is started with -Y)",
            "let the target name `credentials` with username and password_file, which the agent's "
            "policy keeps",
        )
    if line.startswith(WRONG):
        return LoginRefused(
            "the server does not take this account and password",
            "look at username and password_file of the credentials",
        )
    if line.startswith(FULL):
        return ServerFull(
            f"the server takes no further connection: {line}",
            "raise its max_connections (-c), or end what is connected to it",
        )
    if line.startswith(ERRORS):
        return Refused(line)
    return other_protocol(PROTOCOL, line.encode())
