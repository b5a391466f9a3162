"""Where a system under test may be: every scheme is judged, and what was judged is what is asked.

A name stands for all of its addresses, and is replaced by one of them; a path stands for the file
it leads to. What an endpoint is, the platform and the agent alike have from the protocol.
"""

import socket
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import SplitResult

from weighhouse_protocol.endpoints import LOCAL_SCHEMES, parts_of
from weighhouse_sdk.machine.locality import IpNetwork, parsed


class NotWithin(Exception):
    """It leads elsewhere; the message says where to."""

    def __init__(self, where: str, key: str) -> None:
        """:param key: of the policy, that could name it."""
        super().__init__(where)
        self.key = key


def judged(endpoint: str, networks: Sequence[IpNetwork], paths: Sequence[Path]) -> str:
    """An endpoint with an address in the place of a name, or the file that a path leads to.

    :param endpoint: `SCHEME://HOST[:PORT]`, `unix:///PATH` or `file:///DIRECTORY`.
    :param networks: within one of which each of its addresses has to be.
    :param paths: below one of which, or one of which, its file has to be.
    :raises NotAnEndpoint: when it is none.
    :raises NotWithin: when it leads elsewhere.
    :raises OSError: when its name has no address.
    """
    parts = parts_of(endpoint)
    if parts.scheme in LOCAL_SCHEMES:
        return _path(parts, paths)
    host, port = parts.hostname or "", parts.port
    try:
        addresses = [parsed(host)]
    except ValueError:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [parsed(str(each[4][0])) for each in found]
    for address in addresses:
        if not any(address in network for network in networks):
            raise NotWithin(str(address), "networks")
    shown = f"[{addresses[0]}]" if addresses[0].version == 6 else str(addresses[0])  # noqa: PLR2004
    suffix = "" if port is None else f":{port}"
    return f"{parts.scheme}://{shown}{suffix}{parts.path}"


def _path(parts: SplitResult, paths: Sequence[Path]) -> str:
    real = Path(parts.path).resolve()
    if not any(real.is_relative_to(each.resolve()) for each in paths):
        raise NotWithin(str(real), "paths")
    return f"{parts.scheme}://{real}"
