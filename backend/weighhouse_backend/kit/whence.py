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
"""Characters of a host that is no address of IP."""


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
    host = host_of(scope)
    _WHENCE.set(Whence(None if host is None else str(host)))


def host_of(
    scope: Mapping[str, Any],
) -> ipaddress.IPv4Address | ipaddress.IPv6Address | str | None:
    """Who a request comes from: an address, IPv4's never in IPv6's clothes, or what else stands
    there; None: nothing does.

    :param scope: ASGI's.
    """
    client = scope.get("client")
    if not client:
        return None
    try:
        address = ipaddress.ip_address(str(client[0]))
    except ValueError:
        return str(client[0])[:LONGEST]
    return getattr(address, "ipv4_mapped", None) or address


def whence() -> Whence:
    """Of the request that is being answered; empty outside of one."""
    return _WHENCE.get() or Whence()
