"""Where a system under test may be: every scheme is judged, and what was judged is what is asked.

A name stands for all of its addresses, and is replaced by one of them; a path stands for the file
it leads to. An address has one spelling: none that one program reads as a number and another as a
name (`2130706433`, `0x7f.1`, `127.1`; inet_aton(3)), none with a zone, a user or port 0.
"""

import ipaddress
import re
import socket
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from weighhouse_protocol.links import NUMBERS
from weighhouse_protocol.text import one_line
from weighhouse_sdk.machine.locality import LOCAL_SCHEMES, IpNetwork, parsed

LONGEST = 1000
SCHEME = re.compile(r"[a-z][a-z0-9+.-]{0,30}")
NOT_IN_PLACES, NOT_IN_PATHS = re.compile(r"[\s\\]"), re.compile(r"[^\S ]|\\")
HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?")


class NotAnEndpoint(Exception):
    """It has no one meaning; the message says what is wrong with it."""


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
    parts = _parts(endpoint)
    if parts.scheme in LOCAL_SCHEMES:
        return _path(parts, paths)
    host, port = _place(parts)
    try:
        addresses = [parsed(host)]
    except ValueError:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except UnicodeError as error:  # a part of it is empty or too long
            raise NotAnEndpoint("it names no host") from error
        addresses = [parsed(str(each[4][0])) for each in found]
    for address in addresses:
        if not any(address in network for network in networks):
            raise NotWithin(str(address), "networks")
    shown = f"[{addresses[0]}]" if addresses[0].version == 6 else str(addresses[0])  # noqa: PLR2004
    suffix = "" if port is None else f":{port}"
    return f"{parts.scheme}://{shown}{suffix}{parts.path}"


def _parts(endpoint: str) -> SplitResult:
    try:
        if len(endpoint) > LONGEST:
            raise NotAnEndpoint(f"it has more than {LONGEST} characters")
        one_line(endpoint)
        parts = urlsplit(endpoint)
    except ValueError as error:
        raise NotAnEndpoint(str(error)) from error
    unfit = NOT_IN_PATHS if parts.scheme in LOCAL_SCHEMES else NOT_IN_PLACES
    if unfit.search(endpoint) or not SCHEME.fullmatch(parts.scheme):
        raise NotAnEndpoint("it is to be SCHEME://HOST:PORT")
    if parts.query or parts.fragment:
        raise NotAnEndpoint("it is to have nothing behind `?` or `#`")
    return parts


def _place(parts: SplitResult) -> tuple[str, int | None]:
    if "@" in parts.netloc:
        raise NotAnEndpoint("it holds a user or a password, which are named as `credentials`")
    try:
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise NotAnEndpoint(str(error)) from error
    if port == 0:
        raise NotAnEndpoint("it names port 0")
    if "%" in host:
        raise NotAnEndpoint("it names a zone")
    if ":" not in host and not HOST.fullmatch(host):
        raise NotAnEndpoint("it names no host")
    if NUMBERS.fullmatch(host):
        try:
            ipaddress.IPv4Address(host)
        except ValueError as error:
            raise NotAnEndpoint("its address is to be written as four decimal numbers") from error
    return host, port


def _path(parts: SplitResult, paths: Sequence[Path]) -> str:
    path = Path(parts.path)
    if parts.netloc or not path.is_absolute() or ".." in path.parts or "%" in parts.path:
        raise NotAnEndpoint(f"it is to be {parts.scheme}:///PATH, written out")
    real = path.resolve()
    if not any(real.is_relative_to(each.resolve()) for each in paths):
        raise NotWithin(str(real), "paths")
    return f"{parts.scheme}://{real}"
