"""How servers become a replica set, and when they are one.

Source: https://www.mongodb.com/docs/manual/reference/command/replSetInitiate/ and
https://www.mongodb.com/docs/manual/reference/command/hello/, read on 2026-11-21; and
https://www.mongodb.com/docs/manual/reference/write-concern/, read on 2026-11-22.
"""

from collections.abc import Sequence
from typing import Any

from weighhouse_sdk.families.mongo import Document, ask
from weighhouse_sdk.wire import Address

NAME = "weighhouse"
OWN_DATABASE = "weighhouse_ready"
"""Is there for the moment of one write, and holds no record."""
PATIENCE = 0.6
"""Part of the time for a question that the primary may spend waiting for its secondaries."""


def initiation(addresses: Sequence[Address]) -> dict[str, Any]:
    """The command that makes members of some servers, in their order."""
    members = [
        {"_id": number, "host": f"{address.host}:{address.port}"}
        for number, address in enumerate(addresses)
    ]
    return {"replSetInitiate": {"_id": NAME, "members": members}}


def missing(hellos: Sequence[Document], members: int) -> str | None:
    """What is missing until there are a primary and secondaries that have caught up.

    :param hellos: what the members that are up answer to `hello`.
    :param members: how many the whole set has.
    """
    for number, hello in enumerate(hellos, 1):
        if hello.get("setName") != NAME:
            return f"server {number} of those that are up is in no replica set"
        if len(hello.get("hosts", ())) != members:
            return (
                f"server {number} of those that are up knows {len(hello.get('hosts', ()))} members"
            )
        if not (hello.get("isWritablePrimary") or hello.get("secondary")):
            return f"server {number} of those that are up is neither primary nor secondary"
    primaries = sum(bool(hello.get("isWritablePrimary")) for hello in hellos)
    return None if primaries == 1 else f"there are {primaries} primaries"


def unacknowledged(primary: Address, members: int, timeout_seconds: float) -> str | None:
    """Write to the primary, and take it back: so many members, itself among them, have to say that
    they have it. A secondary calls itself one before it has got anything that is written since.

    :param members: those that are up.
    :raises OSError, ReplyError: when the primary does not answer, or refuses.
    """
    patience_ms = round(timeout_seconds * PATIENCE * 1000)
    concern = {"writeConcern": {"w": members, "wtimeout": patience_ms}}
    answers = ask(
        primary,
        timeout_seconds,
        {"insert": "ready", "documents": [{"_id": "ready"}]},
        {"dropDatabase": 1, **concern},
        database=OWN_DATABASE,
    )
    return refused(answers, members)


def refused(answers: Sequence[Document], members: int) -> str | None:
    """Why a write is not on so many members, by the answers to its commands; None: it is.

    Source: https://www.mongodb.com/docs/manual/reference/command/insert/, read on 2026-11-22.
    """
    for answer in answers:
        trouble = answer.get("writeErrors") or answer.get("writeConcernError")
        if trouble:
            return f"not all of {members} members acknowledge what is written: {trouble}"
    return None
