"""The cookies of who is signed in: scripts cannot read them, other sites cannot send them."""

from datetime import timedelta

from fastapi import Response

from weighhouse_backend.identity.cookie_names import DEVICE, SESSION, name_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.sign_in.logins import DEVICE_KNOWN_FOR, SignedIn

SESSIONS_PATH = "/api/v1/sessions"


def set_login_cookies(response: Response, settings: Settings, made: SignedIn) -> None:
    """Leave a login in the browser, and what the browser is known by at the next one."""
    lasts = timedelta(hours=settings.session_hours)
    leave(response, settings, SESSION, made.session_token, "/", lasts)
    leave(response, settings, DEVICE, made.device_token, SESSIONS_PATH, DEVICE_KNOWN_FOR)


def leave(
    response: Response, settings: Settings, cookie: str, value: str, path: str, lasts: timedelta
) -> None:
    """Leave a cookie in the browser.

    :param path: where it is sent.
    """
    response.set_cookie(
        name_of(cookie, settings), value, httponly=True, samesite="strict",
        secure=settings.cookie_secure, path=path, max_age=int(lasts.total_seconds()),
    )  # fmt: skip


def take_back(response: Response, settings: Settings, cookie: str, path: str) -> None:
    """Have the browser forget a cookie."""
    response.delete_cookie(
        name_of(cookie, settings), path=path,
        secure=settings.cookie_secure, httponly=True, samesite="strict",
    )  # fmt: skip
