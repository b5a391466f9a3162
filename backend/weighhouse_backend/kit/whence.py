"""Where a request comes from and whose it is, for what is noted while it is answered.

Set where requests come in, so that nothing between there and the note has to hand it on. What is
done without a request, by the worker or on the machine, comes from nowhere.
"""

import ipaddress
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID

LONGEST = 64


@dataclass
class Whence:
    """Who asks; the ids are there once the caller is recognized."""

    address: str | None = None
    person_id: UUID | None = None
    token_id: UUID | None = None


_WHENCE: ContextVar[Whence | None] = ContextVar("whence", default=None)


def comes_from(scope: Mapping[str, Any]) -> None:
    """Begin a request; all that is done in it, in whatever thread, shares one `Whence`.

    :param scope: ASGI's, with the client as trusted proxies tell it.
    """
    client = scope.get("client")
    _WHENCE.set(Whence(_plain(str(client[0])) if client else None))


def _plain(host: str) -> str:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host[:LONGEST]
    return str(getattr(address, "ipv4_mapped", None) or address)


def whence() -> Whence:
    """Of the request that is being answered; empty outside of one."""
    return _WHENCE.get() or Whence()
