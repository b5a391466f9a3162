"""Passwords and codes are not guessed at more cheaply elsewhere than by signing in."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import Request

from weighhouse_backend.identity.errors import CurrentPasswordWrong, WrongCode, WrongPassword
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.sign_in.logins import Attempt, LoginService
from weighhouse_backend.sign_in.origins import origin_of


@contextmanager
def guessing(request: Request, email: str) -> Iterator[None]:
    """An attempt counts as refused until it is known to be right."""
    sessions = request.app.state.session_factory
    with unit_of_work(sessions) as session:
        attempt = LoginService(session, SystemClock()).begin(email, origin_of(request))
    try:
        yield
    except (WrongPassword, CurrentPasswordWrong, WrongCode):
        raise
    except Exception:
        _withdraw(sessions, attempt)
        raise
    _withdraw(sessions, attempt)


def _withdraw(sessions: SessionFactory, attempt: Attempt) -> None:
    with unit_of_work(sessions) as session:
        LoginService(session, SystemClock()).withdraw(attempt)
