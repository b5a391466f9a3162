"""Asks a server questions in MongoDB's wire protocol, by the library pymongo (Apache-2.0).

Not for load: that is the drivers' work.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pymongo import MongoClient
from pymongo.errors import ConnectionFailure, OperationFailure, PyMongoError

from weighhouse_sdk.wire import Address, Connection, ReplyError

Document = Mapping[str, Any]
COMMAND_NOT_FOUND = 59
"""Code of an error, by src/mongo/base/error_codes.yml of the server."""


class UnknownCommand(ReplyError):
    """The server has no such command."""


def ask(
    address: Address, timeout_seconds: float, *commands: Document, database: str = "admin"
) -> list[dict[str, Any]]:
    """Send commands to one server, each to the same database, over a connection of its own.

    :param address: of the very server; it is not asked for other members of its replica set.
    :returns: an answer for each command.
    :raises UnknownCommand: when the server does not know one.
    :raises ReplyError: when one is refused, or the answer is not of the protocol.
    :raises OSError: when there is no answer.
    """
    # The library tries again and again to reach a server; one that does not listen is told at once.
    with Connection(address, timeout_seconds):
        pass
    milliseconds = max(1, round(timeout_seconds * 1000))
    client: MongoClient[dict[str, Any]] = MongoClient(
        address.host,
        address.port,
        directConnection=True,
        appname="weighhouse",
        maxPoolSize=1,
        retryReads=False,
        serverSelectionTimeoutMS=milliseconds,
        connectTimeoutMS=milliseconds,
        socketTimeoutMS=milliseconds,
    )
    try:
        return [dict(client[database].command(dict(command))) for command in commands]
    except ConnectionFailure as error:
        raise ConnectionError(str(error)) from error
    except OperationFailure as error:
        kind = UnknownCommand if error.code == COMMAND_NOT_FOUND else ReplyError
        raise kind(str(error).partition(", full error")[0]) from error
    except PyMongoError as error:
        raise ReplyError(str(error)) from error
    finally:
        client.close()


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
