"""Asks a server questions in MongoDB's wire protocol, by the library pymongo (Apache-2.0).

Not for load: that is the drivers' work.
"""

import socket
import ssl
import struct
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import bson
from pymongo import MongoClient
from pymongo.errors import ConnectionFailure, OperationFailure, PyMongoError

from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.replies import LoginRefused, NotYet, Refused, ReplyError, Unfit, other_protocol
from weighhouse_sdk.wire import Address, Connection, secured

Document = Mapping[str, Any]
PROTOCOL = "MongoDB's protocol"
ADMIN = "admin"
"""The database of accounts, unless one says otherwise."""
SOCKET = ".sock"
COMMAND_NOT_FOUND, UNAUTHORIZED = 59, 13
WITHOUT_ACCOUNT = "requires authentication"
"""In what a server says to who has not logged in; to an account without the right it says else."""
LOGIN = frozenset({11, 18, 334})
"""Codes of errors: no such user, authentication failed, no such mechanism."""
PASSING = frozenset({91, 11600, 11602, 10107, 13435, 13436, 189, 133, 6, 89, 262})
"""Those that are over in a while: shutting down, elections, recovery, time over. All are by
src/mongo/base/error_codes.yml of the server."""
OP_REPLY, OP_MSG = 1, 2013
OURS = 0x7768
"""Number of the first message."""
HEADER = struct.Struct("<iiii")


class UnknownCommand(Refused):
    """The server has no such command."""


def ask(
    address: Address, timeout_seconds: float, *commands: Document, database: str = ADMIN
) -> list[dict[str, Any]]:
    """Send commands to one server, each to the same database, over a connection of its own.

    :param address: of the very server; it is not asked for other members of its replica set.
    :returns: an answer for each command.
    :raises UnknownCommand: when the server does not know one.
    :raises Refused: when one is refused.
    :raises NotYet: when that passes.
    :raises Unfit: when the server does not let it in, or speaks something else.
    :raises OSError: when there is no answer.
    """
    # The library tries again and again to reach a server, and tells of none what it speaks.
    with Connection(address, timeout_seconds, PROTOCOL) as connection:
        _greet(connection)
        answering = connection.peer
    shown = address.credentials
    milliseconds = max(1, round(timeout_seconds * 1000))
    client: MongoClient[dict[str, Any]] = MongoClient(
        _place(address, answering),
        directConnection=True,
        appname="weighhouse",
        maxPoolSize=1,
        retryReads=False,
        serverSelectionTimeoutMS=milliseconds,
        connectTimeoutMS=milliseconds,
        socketTimeoutMS=milliseconds,
        username=shown.username if shown else None,
        password=shown.password if shown and shown.username is not None else None,
        authSource=address.accounts or ADMIN,
        tls=address.tls,
        connect=False,
    )
    if address.tls:
        _secure(client, address)
    try:
        return [dict(client[database].command(dict(command))) for command in commands]
    except ConnectionFailure as error:
        raise ConnectionError(str(error)) from error
    except OperationFailure as error:
        raise _failure(error, shown) from error
    except PyMongoError as error:
        raise ReplyError(str(error)) from error
    finally:
        client.close()


def _place(address: Address, answering: str) -> str:
    """Where the library is to go; a name it would look up by itself.

    :raises Unfit: when it does not go there.
    """
    if not address.path:
        host = f"[{answering}]" if ":" in answering else answering
        return f"mongodb://{host}:{address.port}"
    if not address.path.endswith(SOCKET):
        raise Unfit(
            f"{address.path} is not called as sockets of this protocol are, which end in {SOCKET}",
            f"let the server make one whose name ends in {SOCKET}",
        )
    return f"mongodb://{quote(address.path, safe='')}"


class _Named:
    """Speaks TLS as an address says, whatever host the library asks it for."""

    check_hostname, verify_mode = True, ssl.CERT_REQUIRED

    def __init__(self, address: Address) -> None:
        self._context, self._name = secured(address), address.server_name or address.host

    def wrap_socket(
        self,
        plain: socket.socket,
        server_hostname: str,  # noqa: ARG002 - the library's, which knows an address alone
        session: ssl.SSLSession | None,
    ) -> ssl.SSLSocket:
        """Verified for the name that was written."""
        return self._context.wrap_socket(plain, server_hostname=self._name, session=session)


def _secure(client: MongoClient[dict[str, Any]], address: Address) -> None:
    """Let a client that has not connected yet verify the name that was written.

    The library has no option for it. Were its own context used all the same, it would refuse what
    is no certificate for an address: nothing is taken that should not be.
    """
    pool = client.options.pool_options
    setattr(pool, "_PoolOptions__ssl_context", _Named(address))  # noqa: B010 - of a private name


def _greet(connection: Connection) -> None:
    """Hold that what answers speaks the protocol.

    Source: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
    """
    body = bytes(4) + b"\0" + bson.encode({"hello": 1, "$db": ADMIN})
    connection.send(HEADER.pack(HEADER.size + len(body), OURS, 0, OP_MSG) + body)
    head = connection.exactly(HEADER.size)
    _, _, answered, kind = HEADER.unpack(head)
    if kind not in (OP_REPLY, OP_MSG) or answered != OURS:
        raise other_protocol(PROTOCOL, head)


def _failure(error: OperationFailure, shown: Credentials | None) -> ReplyError:
    """What an error is that a server answers with, by its code."""
    said = str(error).partition(", full error")[0]
    said = shown.masked(said) if shown else said
    if error.code == COMMAND_NOT_FOUND:
        return UnknownCommand(said)
    if error.code in LOGIN:
        return LoginRefused(
            f"the server does not take this account and password: {said}",
            "look at username and password_file of the credentials, and at the option auth_source: "
            "the account has to be one of that database",
        )
    if error.code == UNAUTHORIZED and WITHOUT_ACCOUNT in said:
        return LoginRefused(
            f"the server wants an account: {said}",
            "let the target name `credentials`, which the agent's policy keeps",
        )
    return NotYet(said) if error.code in PASSING else Refused(said)


def flat(document: Document, prefix: str = "") -> dict[str, Any]:
    """A document's values by their dotted paths; lists stay whole."""
    found: dict[str, Any] = {}
    for name, value in document.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping):
            found |= flat(value, f"{path}.")
        else:
            found[path] = value
    return found


def words(document: Document) -> dict[str, str]:
    """The same, with values as they are printed: `true`, `1024`, `a, b`."""
    return {name: _word(value) for name, value in flat(document).items()}


def figures(document: Document) -> dict[str, float]:
    """The same, of values that are figures or flags (1.0, 0.0)."""
    return {
        name: float(value)
        for name, value in flat(document).items()
        if isinstance(value, int | float)
    }


def _word(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return ", ".join(_word(each) for each in value)
    return str(value)
