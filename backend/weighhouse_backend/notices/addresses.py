"""Where webhooks may go: not into the installation's own network, whatever names resolve to.

A name is resolved once, each of its addresses is looked at, and the connection goes to the one that
was looked at: a name that answers otherwise a moment later changes nothing.
"""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Sequence[str]]

PORTS = {"https": 443, "http": 80}
UNICAST = ipaddress.ip_network("2000::/3")
"""IPv6 that is routed on the Internet (RFC 4291)."""
TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""IPv4 behind a translator (RFC 6052)."""
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
    """An address of a webhook in its parts, as far as it may be one, without asking anybody.

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
        parts.hostname.encode("idna")  # as whoever resolves it does
    except UnicodeError as error:
        raise AddressForbidden(
            "it is no address: a part of its name is too long or empty"
        ) from error
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
    if any(ip in network for network in OWN_NETWORKS):
        if own_networks:
            return
        raise AddressForbidden(
            f"it leads to {ip}, which is of a private network; this installation sends nothing "
            "there (WEIGHHOUSE_NOTICES_TO_OWN_NETWORKS)"
        )
    raise AddressForbidden(f"it leads to {ip}, where nothing is sent")


def is_public(ip: Address) -> bool:
    """Whether an address is one host's on the Internet, tunnels and translators seen through."""
    if isinstance(ip, ipaddress.IPv4Address):
        return ip.is_global and not ip.is_multicast
    inner = ip.ipv4_mapped
    if ip in TRANSLATED:
        inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    if inner is not None:
        return is_public(inner)
    return ip in UNICAST and ip.is_global and ip.sixtofour is None and ip.teredo is None


def _ip(text: str) -> Address:
    found = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        return found.ipv4_mapped
    return found
