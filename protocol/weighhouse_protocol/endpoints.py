"""Addresses of systems under test: the forms that people have, and the one that is kept. Pure.

Kept is `tcp://HOST:PORT`, `tls://HOST:PORT`, `unix:///PATH` or `file:///DIRECTORY`: platform,
agent, policy, observer and driver read no other. It has one spelling: none that one program reads
as a number and another as a name (`2130706433`, `0x7f.1`, `127.1`; inet_aton(3)), none with a zone,
a user or port 0. What people write (`redis://h/3`, `[::1]:6379`, `mongodb://a,b/?authSource=admin`)
is read by the forms that a plugin's manifest names, and becomes that and driver options.
"""

import ipaddress
import operator
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from pydantic import Field

from weighhouse_protocol.base import Document, FewBy, Label, Name, Sentence
from weighhouse_protocol.links import NUMBERS
from weighhouse_protocol.reach import Scheme
from weighhouse_protocol.text import one_line, seen

LOCAL_SCHEMES = frozenset({"unix", "file"})
"""Endpoints that name a file of the machine."""
KINDS: tuple[Scheme, ...] = ("tcp", "tls", "unix", "file")
LONGEST = 1000
SCHEME = re.compile(r"[a-z][a-z0-9+.-]{0,30}")
NOT_IN_PLACES, NOT_IN_PATHS = re.compile(r"[\s\\]"), re.compile(r"[^\S ]|\\")
HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?")
USER = "it holds a user or a password, which are named as `credentials`"
HIDDEN = "***"
_ACCOUNT = re.compile(r"^((?:[A-Za-z][A-Za-z0-9+.-]*:/{1,2})?).*@", re.DOTALL)
_BEHIND = re.compile(r"[?#].*", re.DOTALL)


class NotAnEndpoint(Exception):
    """It has no one meaning; the message says what is wrong with it, and holds nothing of it that
    may be secret.
    """


class Endpoint(NamedTuple):
    """Where a server listens, or an embedded engine keeps its files, in the form that is kept."""

    kind: Scheme
    host: str = ""
    """A name or an address, without brackets."""
    port: int = 0
    path: str = ""
    """Of the kinds `unix` and `file`."""

    def __str__(self) -> str:
        if self.kind in LOCAL_SCHEMES:
            return f"{self.kind}://{self.path}"
        return f"{self.kind}://{bracketed(self.host)}:{self.port}"


class Forms(Document):
    """How people write a system's addresses, and what its driver can reach: of its manifest."""

    kinds: Annotated[tuple[Scheme, ...], Field(min_length=1, max_length=4)] = ("tcp",)
    """Ways in that the driver has."""
    port: int | None = Field(default=None, ge=1, le=65_535)
    """What stands where none is written; none: one has to be."""
    schemes: FewBy[Scheme] = Field(default_factory=dict)
    """Scheme that people write → the kind that it is, for example `rediss` → `tls`."""
    path: Label = ""
    """Driver option that a path behind a place is, for example `database`; empty: there is none."""
    query: FewBy[Label] = Field(default_factory=dict)
    """Name behind `?` → the driver option that it is; `kind`: whether it is TLS (`true`)."""
    address_map: bool = Field(default=False, exclude_if=operator.not_)
    """Whether its driver can be told where servers are reached that announce other addresses."""
    refused: FewBy[Sentence] = Field(default_factory=dict)
    """Scheme that is not taken → what to write in its place."""
    example: Label = "tcp://127.0.0.1:6379"


PLAIN = Forms(kinds=KINDS, example="tcp://127.0.0.1:6379")
"""Of manifests that say nothing: what is kept is what is written."""
TLS_SWITCH = "kind"


class Taken(NamedTuple):
    """What an address came to."""

    endpoints: tuple[Endpoint, ...]
    options: Mapping[Name, str]
    """Driver options that it says, as they are written in it."""


def bracketed(host: str) -> str:
    """A host as it stands before a port."""
    return f"[{host}]" if ":" in host else host


def concealed(text: str) -> str:
    """An address as it may be repeated to people: without the account that it may hold, and
    without what stands behind `?` or `#`.
    """
    return _BEHIND.sub(f"?{HIDDEN}", _ACCOUNT.sub(rf"\1{HIDDEN}@", text))


def parts_of(endpoint: str) -> Endpoint:
    """An endpoint in the form that is kept; no name is looked up.

    :param endpoint: `tcp://HOST:PORT`, `tls://HOST:PORT`, `unix:///PATH` or `file:///DIRECTORY`.
    :raises NotAnEndpoint: when it is none.
    """
    parts = _split(endpoint)
    kind = next((each for each in KINDS if each == parts.scheme), None)
    if kind is None:
        raise NotAnEndpoint("it is to be SCHEME://HOST:PORT")
    if parts.query or parts.fragment:
        raise NotAnEndpoint("it is to have nothing behind `?` or `#`")
    if kind in LOCAL_SCHEMES:
        return Endpoint(kind, path=_path(parts))
    if parts.path:
        raise NotAnEndpoint("it is to have nothing behind its port")
    return _place(kind, parts.netloc, None)


def announced_of(text: str) -> str:
    """`HOST:PORT` as a server announces another one, in its one spelling.

    :raises NotAnEndpoint: when it is something else.
    """
    parts = _split(f"tcp://{text}")
    if parts.query or parts.fragment or parts.path:
        raise NotAnEndpoint("it is to be HOST:PORT, as the servers announce it")
    place = _place("tcp", parts.netloc, None)
    host = str(ipaddress.IPv6Address(place.host)) if ":" in place.host else place.host
    return f"{bracketed(host)}:{place.port}"


def taken(text: str, forms: Forms) -> Taken:
    """An address as people write it, in the form that is kept.

    :param forms: of the system's manifest.
    :raises NotAnEndpoint: when it is none of its forms, or says what no driver option can.
    """
    parts = _split(_with_scheme(text, forms))
    if parts.scheme in forms.refused:
        raise NotAnEndpoint(forms.refused[parts.scheme])
    known: Mapping[str, Scheme] = {**forms.schemes, **{each: each for each in KINDS}}
    kind = known.get(parts.scheme)
    if kind is None:
        told = ", ".join(f"{each}://" for each in (*forms.kinds, *forms.schemes))
        raise NotAnEndpoint(f"`{parts.scheme}://` is not among {told}")
    if parts.fragment:
        raise NotAnEndpoint("it is to have nothing behind `#`")
    options = _asked(parts.query, forms)
    tls = options.pop(TLS_SWITCH, None)
    if tls is not None:
        kind = _switched(kind, tls)
    if kind in LOCAL_SCHEMES:
        found: tuple[Endpoint, ...] = (Endpoint(kind, path=_path(parts)),)
    else:
        options |= _behind(parts.path, forms)
        found = tuple(_placed(kind, each, forms.port) for each in parts.netloc.split(","))
    for each in found:
        if each.kind not in forms.kinds:
            raise NotAnEndpoint(
                f"its driver reaches {' and '.join(f'{one}://' for one in forms.kinds)} alone"
            )
    return Taken(found, options)


def _with_scheme(text: str, forms: Forms) -> str:
    """What people write without a scheme: a place, or the path of a socket."""
    if len(text) <= LONGEST and "://" not in text:
        path = text.startswith("/") and not text.startswith("//")
        return f"unix://{text}" if path else f"{forms.kinds[0]}://{text}"
    return text


def _split(text: str) -> SplitResult:
    try:
        if len(text) > LONGEST:
            raise NotAnEndpoint(f"it has more than {LONGEST} characters")
        one_line(text)
    except ValueError as error:
        raise NotAnEndpoint(str(error)) from error
    scheme = text.partition("://")[0]
    unfit = NOT_IN_PATHS if scheme in LOCAL_SCHEMES else NOT_IN_PLACES
    if "@" in text and scheme not in LOCAL_SCHEMES:
        raise NotAnEndpoint(USER)  # Before all else: what follows may be a password's characters.
    if unfit.search(text) or not SCHEME.fullmatch(scheme):
        raise NotAnEndpoint("it is to be SCHEME://HOST:PORT")
    try:
        return urlsplit(text)
    except ValueError as error:
        raise NotAnEndpoint("it is to be SCHEME://HOST:PORT, an IPv6 address in [ ]") from error


def _placed(kind: Scheme, place: str, port: int | None) -> Endpoint:
    """One of several; a socket's path with its slashes as %2F is one, too."""
    if "%2f" in place.lower():
        return Endpoint("unix", path=_checked(PurePosixPath(unquote(place)), "unix"))
    return _place(kind, place, port)


def _place(kind: Scheme, place: str, usual: int | None) -> Endpoint:
    if place.count(":") > 1 and not place.startswith("["):
        raise NotAnEndpoint("an IPv6 address is to stand in [ ]")
    try:
        parts = urlsplit(f"{kind}://{place}")
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise NotAnEndpoint("its port is to be a number within 1 and 65535") from error
    written = place.rpartition("]")[2] if place.startswith("[") else place
    port = usual if port is None and ":" not in written else port
    if port is None:
        raise NotAnEndpoint("it names no port")
    if port == 0:
        raise NotAnEndpoint("it names port 0")
    _check_host(host)
    return Endpoint(kind, host, port)


def _check_host(host: str) -> None:
    """What has one meaning alone, whoever reads it."""
    if "%" in host:
        raise NotAnEndpoint("it names a zone")
    if ":" in host:
        _check_address(host)
        return
    if not HOST.fullmatch(host):
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


def _check_address(host: str) -> None:
    try:
        ipaddress.IPv6Address(host)
    except ValueError as error:
        raise NotAnEndpoint("what is in [ ] is no IPv6 address") from error


def _path(parts: SplitResult) -> str:
    kind = parts.scheme if parts.scheme in LOCAL_SCHEMES else "unix"
    path = PurePosixPath(parts.path)
    if parts.netloc or "%" in parts.path:
        raise NotAnEndpoint(f"it is to be {kind}:///PATH, written out")
    return _checked(path, kind)


def _checked(path: PurePosixPath, kind: str) -> str:
    if not path.is_absolute() or ".." in path.parts:
        raise NotAnEndpoint(f"it is to be {kind}:///PATH, written out")
    return str(path)


def _behind(path: str, forms: Forms) -> dict[str, str]:
    value = unquote(path.removeprefix("/"))
    if not value:
        return {}
    if not forms.path or "/" in value:
        raise NotAnEndpoint("it is to have nothing behind its port")
    return {forms.path: value}


def _asked(query: str, forms: Forms) -> dict[str, str]:
    """What stands behind `?`, as options; no value is repeated in a message, nor a name that is
    not a plain word.
    """
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, strict_parsing=bool(query), max_num_fields=50
        )
    except ValueError as error:
        raise NotAnEndpoint("what is behind `?` is to be NAME=VALUE&NAME=VALUE") from error
    known = {name.lower(): option for name, option in forms.query.items()}
    found: dict[str, str] = {}
    for name, value in pairs:
        option = known.get(name.lower())
        if option is None:
            told = f"`{seen(name)[:40]}`" if re.fullmatch(r"\w{1,40}", name) else "what"
            says = ", ".join(forms.query) or "nothing"
            raise NotAnEndpoint(f"{told} behind `?` is to be left out; {says} may stand there")
        if option in found and found[option] != value:
            raise NotAnEndpoint(f"it says `{name}` twice")
        found[option] = value
    return found


def _switched(kind: Scheme, value: str) -> Scheme:
    if value.lower() not in {"true", "false"}:
        raise NotAnEndpoint("whether it is TLS is to be true or false")
    if kind in LOCAL_SCHEMES:
        raise NotAnEndpoint("a socket has no TLS")
    return "tls" if value.lower() == "true" else "tcp"
