"""Where a login comes from."""

from fastapi import Request

from weighhouse_backend.identity.cookie_names import DEVICE, sent
from weighhouse_backend.kit.rates import client_address
from weighhouse_backend.sign_in.logins import Origin


def origin_of(request: Request) -> Origin:
    """Address and browser of a request; the device's cookie stays when a login ends, so that its
    browser is known by the next one.
    """
    return Origin(
        client_address(request.scope),
        sent(request, DEVICE),
        request.headers.get("User-Agent"),
    )
