"""How servers become a replica set, and when they are one.

Source: https://www.mongodb.com/docs/manual/reference/command/replSetInitiate/ and
https://www.mongodb.com/docs/manual/reference/command/hello/, read on 2026-11-21.
"""

from collections.abc import Sequence
from typing import Any

from weighhouse_sdk.families.mongo import Document
from weighhouse_sdk.wire import Address

NAME = "weighhouse"


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
