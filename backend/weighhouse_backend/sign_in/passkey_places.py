"""Where an installation's passkeys belong to, by the address that people open it at. Pure."""

import ipaddress
from dataclasses import dataclass

from pydantic_core import Url

from weighhouse_backend.identity.errors import PasskeysNotHere
from weighhouse_backend.kit.settings import Settings

LOCALHOST = "localhost"
USUAL_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True)
class Place:
    """Where an installation's passkeys belong to."""

    host: str
    """Browsers hold them to it."""
    origin: str
    """The address that people open it at."""


def place_of(settings: Settings) -> Place | None:
    """Where passkeys belong to; None: browsers know none there.

    They take HTTPS and a name; or this machine, where it is called `localhost`.
    """
    try:
        url = Url(settings.public_url)  # as browsers read it: names in ASCII, no usual port
    except ValueError:
        return None
    host = (url.host or "").strip("[]")
    port = "" if url.port in (None, USUAL_PORTS.get(url.scheme)) else f":{url.port}"
    if _is_this_machine(host):
        return Place(LOCALHOST, f"{url.scheme}://{LOCALHOST}{port}")
    if url.scheme != "https" or not host or _is_address(host):
        return None
    return Place(host, f"https://{host}{port}")


def insist_on_place(settings: Settings) -> Place:
    """As `place_of`.

    :raises PasskeysNotHere: when there is none.
    """
    place = place_of(settings)
    if place is None:
        raise PasskeysNotHere(
            "browsers know passkeys of a name over HTTPS; the platform's address is "
            f"{settings.public_url} (WEIGHHOUSE_PUBLIC_URL)"
        )
    return place


def _is_this_machine(host: str) -> bool:
    if host == LOCALHOST:
        return True
    return _is_address(host) and ipaddress.ip_address(host).is_loopback


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
