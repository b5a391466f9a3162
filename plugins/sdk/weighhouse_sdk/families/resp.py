"""Asks a server that speaks Redis' protocol questions, in RESP2.

Source: Redis serialization protocol specification,
https://redis.io/docs/latest/develop/reference/protocol-spec/
"""

from collections.abc import Sequence

from weighhouse_sdk.replies import (
    SHOWN,
    LoginRefused,
    NotYet,
    Refused,
    ReplyError,
    ServerFull,
    Unfit,
    other_protocol,
)
from weighhouse_sdk.wire import Address, Connection

PROTOCOL = "Redis' protocol"
PASSING = frozenset({
    "LOADING", "BUSY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS", "UNKILLABLE",
})  # fmt: skip
"""First words of errors that are over in a while."""
ENDINGS: tuple[tuple[str, type[Unfit], str, str], ...] = (
    (
        "ERR max number of clients",
        ServerFull,
        "the server takes no further connection",
        "raise its maxclients, or end what is connected to it",
    ),
    (
        "NOAUTH",
        LoginRefused,
        "the server wants an account",
        "let the target name `credentials`, which the agent's policy keeps",
    ),
    (
        "WRONGPASS",
        LoginRefused,
        "the server does not take this account and password",
        "look at username and password_file of the credentials",
    ),
    (
        "ERR invalid password",
        LoginRefused,
        "the server does not take this password",
        "look at password_file of the credentials",
    ),
    (
        "ERR AUTH",
        LoginRefused,
        "the server has no password, and was shown one",
        "leave out the credentials, or name the account in them: username",
    ),
    (
        "ERR Client sent AUTH",
        LoginRefused,
        "the server has no password, and was shown one",
        "leave out the credentials",
    ),
    (
        "DENIED",
        LoginRefused,
        "the server is in protected mode: it takes connections of its own machine alone",
        "give it an account with a password, and the target credentials",
    ),
)
"""How errors begin by which nobody is let in, what they mean, and how that is mended. Source: what
src/acl.c and src/networking.c of Redis answer, of version 4 and later."""

Reply = str | int | list["Reply"] | None


def ask(address: Address, timeout_seconds: float, *words: str) -> Reply:
    """Send one command over a connection of its own, which logs in where the address says how.

    :raises Refused: when the answer is an error.
    :raises NotYet: when it is one that passes.
    :raises Unfit: when the server does not let it in, or is no such server.
    :raises OSError: when there is no answer.
    """
    return converse(address, timeout_seconds, words)[0]


def converse(address: Address, timeout_seconds: float, *commands: Sequence[str]) -> list[Reply]:
    """Send commands one after the other over one connection; ends with the first error.

    :returns: their answers.
    :raises ReplyError, OSError: as `ask`.
    """
    with Connection(address, timeout_seconds, PROTOCOL) as connection:
        shown = address.credentials
        if shown is not None and shown.password is not None:
            account = (shown.username,) if shown.username is not None else ()
            connection.send(_command("AUTH", *account, shown.password))
            _reply(connection)
        replies = []
        for words in commands:
            connection.send(_command(*words))
            replies.append(_reply(connection))
        return replies


def lines(address: Address, timeout_seconds: float, *words: str) -> dict[str, str]:
    """Send a command that answers in lines `name:value`, as INFO and CLUSTER INFO do.

    :raises ReplyError, OSError: as `ask`.
    """
    text = ask(address, timeout_seconds, *words)
    if not isinstance(text, str):
        raise ReplyError(f"{' '.join(words)} answers {text!r}")
    pairs = (line.partition(":") for line in text.splitlines() if not line.startswith("#"))
    return {name: value for name, colon, value in pairs if colon}


def _command(*words: str) -> bytes:
    parts = [f"*{len(words)}\r\n".encode()]
    for word in words:
        data = word.encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
    return b"".join(parts)


def info(address: Address, timeout_seconds: float) -> dict[str, str]:
    """The lines of INFO's default sections.

    :raises ReplyError, OSError: as `ask`.
    """
    return lines(address, timeout_seconds, "INFO")


def configuration(address: Address, timeout_seconds: float) -> dict[str, str]:
    """All of CONFIG GET.

    :raises ReplyError, OSError: as `ask`.
    """
    flat = ask(address, timeout_seconds, "CONFIG", "GET", "*")
    if not isinstance(flat, list):
        raise ReplyError(f"CONFIG GET answers {flat!r}")
    return {str(name): str(value) for name, value in zip(flat[::2], flat[1::2], strict=True)}


def failure(words: str, shown: str) -> ReplyError:
    """What an error is that a server answers with, by its first words.

    :param shown: the same, without a secret.
    """
    if words.partition(" ")[0] in PASSING:
        return NotYet(shown)
    for beginning, kind, meaning, hint in ENDINGS:
        if words.startswith(beginning):
            return kind(f"{meaning}; it says: {shown[:SHOWN]}", hint)
    return Refused(shown)


def _reply(connection: Connection) -> Reply:
    line = connection.line()
    kind, rest = line[:1], line[1:]
    try:
        match kind:
            case "+":
                return rest
            case "-":
                raise failure(rest, connection.masked(rest))
            case ":":
                return int(rest)
            case "$":
                size = int(rest)
                if size < 0:
                    return None
                return connection.exactly(size + 2)[:-2].decode("utf-8", errors="replace")
            case "*":
                return [_reply(connection) for _ in range(int(rest))]
    except ValueError:
        pass
    raise other_protocol(PROTOCOL, connection.masked(line).encode())
