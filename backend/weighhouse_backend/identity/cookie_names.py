"""What cookies are called, and what a request brings of them.

Behind TLS the names have prefixes that browsers hold to: `__Host-` is only taken over HTTPS, from
this very host and for all of it, so that neither a neighbour below the same domain nor whoever
changes HTTP on its way can put a login of their own into somebody's browser; `__Secure-` is for
those that go to some addresses alone. A cookie without its prefix is then nobody's. Source:
RFC 6265bis, section 4.1.3.
"""

from fastapi import Request

from weighhouse_backend.kit.settings import Settings

SESSION = "weighhouse_session"
DEVICE = "weighhouse_device"
SIGN_IN = "weighhouse_sign_in"
"""Binds an attempt with a provider to the browser that began it."""
HOST, SECURE = "__Host-", "__Secure-"
PREFIXES = {SESSION: HOST, DEVICE: SECURE, SIGN_IN: SECURE}


def name_of(cookie: str, settings: Settings) -> str:
    """A cookie's name in browsers."""
    return f"{PREFIXES[cookie]}{cookie}" if settings.cookie_secure else cookie


def sent(request: Request, cookie: str) -> str | None:
    """What the browser has in a cookie; None: it has none."""
    return request.cookies.get(name_of(cookie, request.app.state.settings))


def session_sent(request: Request) -> str:
    """The login that the browser shows; empty: none."""
    return sent(request, SESSION) or ""
