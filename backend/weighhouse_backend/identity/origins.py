"""Where a login comes from."""

from fastapi import Request

from weighhouse_backend.identity.logins import Origin
from weighhouse_backend.kit.rates import client_address

DEVICE_COOKIE = "weighhouse_device"
"""Stays when a login ends, so that its browser is known by the next one."""


def origin_of(request: Request) -> Origin:
    """Address and browser of a request."""
    return Origin(
        client_address(request.scope),
        request.cookies.get(DEVICE_COOKIE),
        request.headers.get("User-Agent"),
    )
