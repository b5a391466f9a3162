"""Where the platform may connect to for a tenant: not into the installation's own network, whatever
names resolve to.

A name is resolved once, each of its addresses is looked at, and the connection goes to the one that
was looked at: a name that answers otherwise a moment later changes nothing.
"""

import ipaddress
import socket
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from weighhouse_protocol.links import host_of

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolver = Callable[[str, int], Sequence[str]]

PORTS = {"https": 443, "http": 80}
UNICAST = ipaddress.ip_network("2000::/3")
"""IPv6 that is routed on the Internet (RFC 4291)."""
TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""IPv4 behind a translator (RFC 6052)."""
SPECIAL = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
            "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24",
            "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
            "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
            "::/128", "::1/128", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64",
            "100:0:0:1::/64", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48",
            "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
        ),
    )
)  # fmt: skip
"""All of what IANA keeps for a special purpose, whether it is reached from everywhere or not:
https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry, of
2025-10; and groups (RFC 5771, RFC 4291) and what once was of a site (RFC 3879). Python's own list
depends on its version, and lets parts of 192.0.0.0/24 and of 2001::/23 through."""
OWN_NETWORKS = tuple(
    map(
        ipaddress.ip_network,
        (
            "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10",
            "::1/128", "fc00::/7",
        ),
    )
)  # fmt: skip
"""What an operator may allow. Link-local addresses, where clouds tell machines their secrets, are
none of these."""
METADATA = tuple(
    map(
        ipaddress.ip_network,
        (
            "100.100.100.200/32", "168.63.129.16/32", "fd00:ec2::254/128", "fd20:ce::254/128",
        ),
    )
)  # fmt: skip
"""Where clouds do so by other addresses: Alibaba Cloud; Azure; AWS; Google Cloud."""


class AddressForbidden(Exception):
    """Nothing is sent there; the message says why, and has nothing secret."""


@dataclass(frozen=True)
class Destination:
    """An address that was looked at."""

    url: str
    """With the address of IP in the place of the name."""
    host: str
    """The name, for the certificate."""
    authority: str
    """What belongs into the `Host` header."""


def resolve(host: str, port: int) -> Sequence[str]:
    """All addresses of a name.

    :raises OSError: when it has none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


def split(address: str) -> SplitResult:
    """An address of http or https in its parts, as far as it may be one, without asking anybody.

    :raises AddressForbidden: when it can be none.
    """
    try:
        parts = urlsplit(address.strip())
        port = parts.port
    except ValueError as error:
        raise AddressForbidden("it is no address: give https://…") from error
    if parts.scheme not in PORTS or not parts.hostname:
        raise AddressForbidden("give an address with https://")
    if parts.username is not None or parts.password is not None:
        raise AddressForbidden("leave name and password out: bodies are signed instead")
    plain = address.strip()
    if port == 0 or not plain.isascii() or not plain.isprintable() or " " in plain:
        raise AddressForbidden("it is no address: give https://…")
    try:
        host_of(parts)
    except ValueError as error:
        raise AddressForbidden(f"it is no address: {error}") from error
    return parts


def look_at(address: str, *, own_networks: bool) -> None:
    """Refuse an address as far as it can be without asking anybody what its name resolves to.

    :param own_networks: as of `look_up`.
    :raises AddressForbidden: when nothing will be sent there.
    """
    parts = split(address)
    if parts.scheme == "http" and not own_networks:
        raise AddressForbidden("give an address with https://")
    try:
        ip = _ip(parts.hostname or "")
    except ValueError:
        return  # a name
    _insist(ip, own_networks=own_networks)


def look_up(address: str, *, own_networks: bool, resolver: Resolver = resolve) -> Destination:
    """Where an address leads, looked at.

    :param own_networks: whether this machine and private networks may be sent to; then this machine
        also without TLS.
    :raises AddressForbidden: when nothing is to be sent there.
    :raises OSError: when the name does not resolve.
    """
    parts = split(address)
    host = parts.hostname or ""
    port = parts.port or PORTS[parts.scheme]
    found = [_ip(one) for one in resolver(host, port)]
    if not found:
        raise OSError(f"{host} has no address")
    for ip in found:
        _insist(ip, own_networks=own_networks)
    chosen = found[0]
    if parts.scheme == "http" and not chosen.is_loopback:
        raise AddressForbidden("give an address with https://")
    shown = f"[{chosen}]" if chosen.version == 6 else str(chosen)  # noqa: PLR2004 - IPv6
    named = f"[{host}]" if ":" in host else host
    usual = port == PORTS[parts.scheme]
    return Destination(
        url=parts._replace(netloc=f"{shown}:{port}", fragment="").geturl(),
        host=host,
        authority=named if usual else f"{named}:{port}",
    )


def _insist(ip: Address, *, own_networks: bool) -> None:
    if is_public(ip):
        return
    if _is_in(OWN_NETWORKS, ip) and not _is_in(METADATA, ip):
        if own_networks:
            return
        raise AddressForbidden(
            f"it leads to {ip}, which is of a private network; this installation connects to none "
            "(WEIGHHOUSE_NOTICES_TO_OWN_NETWORKS, WEIGHHOUSE_PROVIDERS_IN_OWN_NETWORKS)"
        )
    raise AddressForbidden(f"it leads to {ip}, where nothing is sent")


def is_public(ip: Address) -> bool:
    """Whether an address is one host's on the Internet, tunnels and translators seen through."""
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped
        if ip in TRANSLATED:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if ip not in UNICAST:
            return False
    return not _is_in((*SPECIAL, *METADATA), ip)


def _is_in(networks: Iterable[Network], ip: Address) -> bool:
    return any(ip in network for network in networks)


def _ip(text: str) -> Address:
    found = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        return found.ipv4_mapped
    return found
