"""Nodes that servers of somebody else's name, and where they are reached from here."""

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from weighhouse_protocol.endpoints import NotAnEndpoint, announced_of, parts_of
from weighhouse_protocol.target import Target

from weighhouse_sdk.errors import DeployFailed


class Announced(NamedTuple):
    """A node, as a server of its system names it."""

    place: str
    """`HOST:PORT`."""
    role: Literal["primary", "replica", "node"] = "node"
    asked: bool = True
    """Whether it is asked in the place of the endpoints by which it was found."""
    loaded: bool = True
    """Whether the driver is told of it."""


def reached(target: Target, nodes: Sequence[Announced]) -> tuple[str, ...]:
    """Where announced nodes are reached, one for each, by the target's map and its own way in.

    :raises DeployFailed: when what is announced is no address.
    """
    # What announces itself has a port, however those that tell of it were come to.
    kind = "tls" if parts_of(target.endpoints[0]).kind == "tls" else "tcp"
    found = []
    for each in nodes:
        try:
            place = announced_of(each.place)
        except NotAnEndpoint as error:
            raise DeployFailed(
                f"a server names a node `{each.place[:200]}`: {error}",
                "let it announce an address, as its system's settings for that say",
            ) from error
        found.append(target.address_map.get(place, f"{kind}://{place}"))
    return tuple(found)


class Known(NamedTuple):
    """Endpoints of a system whose nodes are known."""

    asked: tuple[str, ...]
    """Of those who ask it."""
    loaded: tuple[str, ...]
    """Of the driver, which begins by those that were written, as a certificate is for their name,
    unless it is to load some of the nodes alone."""
    address_map: Mapping[str, str]
    """Of the driver: the target's, and nodes that its library finds by itself."""


def known_by(
    target: Target, nodes: Sequence[Announced], ends: Sequence[str], *, spread: bool
) -> Known:
    """Where a system is asked and loaded.

    :param ends: where the nodes are reached.
    :param spread: whether clients spread the keys over the nodes.
    """
    pairs = tuple(zip(nodes, ends, strict=True))
    asked = tuple(end for each, end in pairs if each.asked)
    loaded = tuple(end for each, end in pairs if each.asked and each.loaded)
    before = () if spread or len(loaded) < len(asked) else target.endpoints
    return Known(
        tuple(dict.fromkeys(asked or target.endpoints)),
        tuple(dict.fromkeys((*before, *loaded))),
        {**target.address_map, **{announced_of(e.place): end for e, end in pairs if not e.asked}},
    )


def told_of(nodes: Sequence[Announced], ends: Sequence[str]) -> str:
    """What was found, in words for people: of those that are reached elsewhere both addresses."""
    words = []
    for each, end in zip(nodes, ends, strict=True):
        where = end.partition("://")[2]
        at = each.place if where == each.place else f"{each.place} (reached at {where})"
        words.append(at if each.role == "node" else f"{each.role} {at}")
    return f"{len(nodes)} nodes: {', '.join(words)}"


def certified_name(target: Target, host: str) -> str:
    """What the certificate of a found node is for: a name of its own, else the one that its system
    is reached by.
    """
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return ""
    first = parts_of(target.endpoints[0]).host if target.endpoints else ""
    return first if host not in {parts_of(each).host for each in target.endpoints} else ""
