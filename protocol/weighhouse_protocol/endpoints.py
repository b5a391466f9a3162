"""Addresses of systems under test: what is one, and what has no one meaning. Pure.

An address has one spelling: none that one program reads as a number and another as a name
(`2130706433`, `0x7f.1`, `127.1`; inet_aton(3)), none with a zone, a user or port 0.
"""

import ipaddress
import re
from pathlib import PurePosixPath
from urllib.parse import SplitResult, urlsplit

from weighhouse_protocol.links import NUMBERS
from weighhouse_protocol.text import one_line

LOCAL_SCHEMES = frozenset({"unix", "file"})
"""Endpoints that name a file of the machine."""
LONGEST = 1000
SCHEME = re.compile(r"[a-z][a-z0-9+.-]{0,30}")
NOT_IN_PLACES, NOT_IN_PATHS = re.compile(r"[\s\\]"), re.compile(r"[^\S ]|\\")
HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?")


class NotAnEndpoint(Exception):
    """It has no one meaning; the message says what is wrong with it."""


def parts_of(endpoint: str) -> SplitResult:
    """An endpoint in its parts, of which nothing is left to guess; no name is looked up.

    :param endpoint: `SCHEME://HOST[:PORT]`, `unix:///PATH` or `file:///DIRECTORY`.
    :raises NotAnEndpoint: when it is none.
    """
    try:
        if len(endpoint) > LONGEST:
            raise NotAnEndpoint(f"it has more than {LONGEST} characters")
        one_line(endpoint)
        parts = urlsplit(endpoint)
    except ValueError as error:
        raise NotAnEndpoint(str(error)) from error
    local = parts.scheme in LOCAL_SCHEMES
    unfit = NOT_IN_PATHS if local else NOT_IN_PLACES
    if unfit.search(endpoint) or not SCHEME.fullmatch(parts.scheme):
        raise NotAnEndpoint("it is to be SCHEME://HOST:PORT")
    if parts.query or parts.fragment:
        raise NotAnEndpoint("it is to have nothing behind `?` or `#`")
    if local:
        _check_path(parts)
    else:
        _check_place(parts)
    return parts


def _check_place(parts: SplitResult) -> None:
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
    try:
        host.encode("idna")
    except UnicodeError as error:  # a part of it is empty or too long
        raise NotAnEndpoint("it names no host") from error


def _check_path(parts: SplitResult) -> None:
    path = PurePosixPath(parts.path)
    if parts.netloc or not path.is_absolute() or ".." in path.parts or "%" in parts.path:
        raise NotAnEndpoint(f"it is to be {parts.scheme}:///PATH, written out")
