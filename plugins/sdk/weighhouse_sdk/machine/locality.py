"""Whether an address is of this machine: known by its addresses and routes, not by how it looks.

Sources: proc(5) and Linux's net/ipv4/fib_trie.c and net/ipv6/addrconf.c for what is local;
net/ipv4/fib_trie.c (`route`) and net/ipv6/route.c (`ipv6_route`) for where the rest is sent.
"""

import contextlib
import ipaddress
import re
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path

from weighhouse_protocol.endpoints import LOCAL_SCHEMES, NotAnEndpoint, parts_of

from weighhouse_sdk.machine.procfs import PROC

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

DEVICES = Path("/sys/class/net")
_BLOCK = re.compile(r"\|-- (\S+)\n((?:\s+/\d+ .*\n?)+)")
_LOCAL = re.compile(r"/(\d+) host LOCAL")
_UP, _REJECT = 0x0001, 0x0200


def endpoint_is_here(endpoint: str) -> bool | None:
    """Whether whoever listens at an endpoint is on this machine; None: it cannot be known.

    :param endpoint: in the form that is kept; a name counts when one of its addresses does.
    """
    try:
        kind, host, *_ = parts_of(endpoint)
    except NotAnEndpoint:
        return None
    return True if kind in LOCAL_SCHEMES else is_here(host)


def any_is_here(endpoints: Iterable[str]) -> bool | None:
    """Whether a part of a system is on this machine; None: no part surely, and one maybe."""
    found = [endpoint_is_here(each) for each in endpoints]
    if True in found:
        return True
    return None if None in found or not found else False


def is_here(host: str) -> bool | None:
    """Whether an address, or a name, is reached without leaving this machine.

    True: it is an address of one of its interfaces, in any network namespace that can be seen.
    False: it is none, and the way to it leads out by a card. None: it has no address, or the way
    leads through a bridge, a tunnel or out of a container, behind which anything may be; or this
    machine's own addresses cannot be read.
    """
    found = [_address_is_here(each) for each in _addresses(host)]
    if True in found:
        return True
    return None if None in found or not found else False


def parsed(text: str) -> IpAddress:
    """An address as it is written, without a zone; one of version 4 in the clothes of version 6
    (RFC 4291, 2.5.5.2) as what it is.

    :raises ValueError: when it is none.
    """
    address = ipaddress.ip_address(text.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _address_is_here(address: IpAddress) -> bool | None:
    if address.is_loopback or address.is_unspecified:
        return True
    own = _own(address.version)
    if own is None:
        return None
    if _within(address, own):
        return True
    if not address.is_link_local and _within(address, _of_other_namespaces()):
        return True
    device = _way(address)
    return False if device is not None and _is_hardware(device) else None


def _addresses(host: str) -> list[IpAddress]:
    with contextlib.suppress(ValueError):
        return [parsed(host)]
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM) if host else []
    except OSError:
        return []
    return [parsed(str(each[4][0])) for each in found]


def _within(address: IpAddress, networks: Iterable[IpNetwork]) -> bool:
    return any(address in network for network in networks)


def _own(version: int) -> tuple[IpNetwork, ...] | None:
    """Addresses of this machine; None: those of a version are not there to be read."""
    net = PROC / "self" / "net"
    told = _text(net / {4: "fib_trie", 6: "if_inet6"}[version])
    return tuple(_local_to(net)) if told else None


def _of_other_namespaces() -> Iterator[IpNetwork]:
    """Containers' and the like, but for what every namespace has."""
    seen = {_namespace(PROC / "self")}
    for process in PROC.iterdir():
        if not process.name.isdigit() or (name := _namespace(process)) in seen:
            continue
        seen.add(name)
        for network in _local_to(process / "net"):
            if not (network.is_loopback or network.is_link_local):
                yield network


def _namespace(process: Path) -> str | None:
    try:
        return str((process / "ns" / "net").readlink())
    except OSError:
        return None  # gone, or somebody else's


def _local_to(net: Path) -> Iterator[IpNetwork]:
    for prefix, lengths in _BLOCK.findall(_text(net / "fib_trie")):
        for length in _LOCAL.findall(lengths):
            yield ipaddress.ip_network(f"{prefix}/{length}")
    for line in _text(net / "if_inet6").splitlines():
        yield ipaddress.ip_network(int(line.split()[0], 16).to_bytes(16, "big"))


def _way(address: IpAddress) -> str | None:
    """The device by which packets to an address leave, by the main table; None: by none."""
    routes = _routes_4() if isinstance(address, ipaddress.IPv4Address) else _routes_6()
    fitting = [each for each in routes if address in each[0]]
    if not fitting:
        return None
    return max(fitting, key=lambda each: (each[0].prefixlen, -each[1]))[2]


def _routes_4() -> Iterator[tuple[IpNetwork, int, str]]:
    for line in _text(PROC / "self" / "net" / "route").splitlines()[1:]:
        device, to, _, flags, _, _, metric, mask, *_ = line.split()
        if int(flags, 16) & _UP and not int(flags, 16) & _REJECT:
            # In the byte order of the machine, as the kernel keeps what came in the network's.
            address = ipaddress.IPv4Address(_swapped(to))
            length = _swapped(mask).bit_count()
            yield ipaddress.ip_network((address, length), strict=False), int(metric), device


def _swapped(word: str) -> int:
    return socket.ntohl(int(word, 16))


def _routes_6() -> Iterator[tuple[IpNetwork, int, str]]:
    for line in _text(PROC / "self" / "net" / "ipv6_route").splitlines():
        to, length, _, _, _, metric, _, _, flags, device = line.split()
        if int(flags, 16) & _UP and not int(flags, 16) & _REJECT:
            address = ipaddress.IPv6Address(int(to, 16))
            network = ipaddress.ip_network((address, int(length, 16)), strict=False)
            yield network, int(metric, 16), device


def _is_hardware(device: str) -> bool:
    """A card, or what is made of cards: a bond, a VLAN, a bridge with a card in it."""
    place = DEVICES / device
    if (place / "device").exists():
        return True
    return any(_is_hardware(each.name.removeprefix("lower_")) for each in place.glob("lower_*"))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return ""
