"""Where a system under test may be: every address of it is judged, and what was judged is asked.

A name stands for all of its addresses. It stays what was written, for a certificate is of a name;
who connects is handed the addresses beside it, and looks up nothing. A path stands for the file it
leads to. What an endpoint is, the platform and the agent alike have from the protocol.
"""

import socket
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from weighhouse_protocol.endpoints import LOCAL_SCHEMES, Endpoint, parts_of
from weighhouse_sdk.machine.locality import IpAddress, IpNetwork, parsed


class NotWithin(Exception):
    """It leads elsewhere; the message says where to."""

    def __init__(self, where: str, key: str) -> None:
        """:param key: of the policy, that could name it."""
        super().__init__(where)
        self.key = key


class Judged(NamedTuple):
    """An endpoint that leads nowhere but where it may."""

    endpoint: Endpoint
    """With the file that a path leads to; an address in its one spelling."""
    addresses: tuple[str, ...] = ()
    """Of a name, in the order in which they are to be tried; empty: it is none."""


def judged(endpoint: str, networks: Sequence[IpNetwork], paths: Sequence[Path]) -> Judged:
    """An endpoint, held against where it may lead.

    :param endpoint: in the form that is kept.
    :param networks: within one of which each of its addresses has to be.
    :param paths: below one of which, or one of which, its file has to be.
    :raises NotAnEndpoint: when it is none.
    :raises NotWithin: when it leads elsewhere.
    :raises OSError: when its name has no address.
    """
    parts = parts_of(endpoint)
    if parts.kind in LOCAL_SCHEMES:
        return Judged(parts._replace(path=_path(parts.path, paths)))
    found, is_name = judged_host(parts.host, networks)
    if is_name:
        return Judged(parts, tuple(map(str, found)))
    return Judged(parts._replace(host=str(found[0])))


def judged_host(host: str, networks: Sequence[IpNetwork]) -> tuple[list[IpAddress], bool]:
    """The addresses of a host, and whether it is a name.

    :raises NotWithin: when one is in none of the networks.
    :raises OSError: when it has none.
    """
    try:
        found, is_name = [parsed(host)], False
    except ValueError:
        told = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        found, is_name = list(dict.fromkeys(parsed(str(each[4][0])) for each in told)), True
    for address in found:
        if not any(address in network for network in networks):
            raise NotWithin(str(address), "networks")
    return found, is_name


def _path(path: str, paths: Sequence[Path]) -> str:
    real = Path(path).resolve()
    if not any(real.is_relative_to(each.resolve()) for each in paths):
        raise NotWithin(str(real), "paths")
    return str(real)
