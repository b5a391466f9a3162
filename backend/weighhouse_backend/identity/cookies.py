"""The cookies of who is signed in: scripts cannot read them, other sites cannot send them."""

from fastapi import Response

from weighhouse_backend.identity.access import COOKIE
from weighhouse_backend.identity.logins import DEVICE_KNOWN_FOR, SignedIn
from weighhouse_backend.identity.origins import DEVICE_COOKIE
from weighhouse_backend.kit.settings import Settings

SESSIONS_PATH = "/api/v1/sessions"


def set_login_cookies(response: Response, settings: Settings, made: SignedIn) -> None:
    """Leave a login in the browser, and what the browser is known by at the next one."""
    response.set_cookie(
        COOKIE, made.session_token, httponly=True, samesite="strict",
        secure=settings.cookie_secure, path="/", max_age=int(settings.session_hours * 3600),
    )  # fmt: skip
    response.set_cookie(
        DEVICE_COOKIE, made.device_token, httponly=True, samesite="strict",
        secure=settings.cookie_secure, path=SESSIONS_PATH,
        max_age=int(DEVICE_KNOWN_FOR.total_seconds()),
    )  # fmt: skip
