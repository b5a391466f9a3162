"""The application, which tells of each answer what processor time it took: for one request at a
time, since it is the whole process' time. Hashing of passwords, which has to be dear, is left out.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from argon2 import PasswordHasher
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from weighhouse_backend.app import factory

HEADER = "X-Processor-Microseconds"


class Hashing:
    """What hashing of passwords took so far."""

    spent_ns = 0


class Timed:
    """ASGI middleware: an answer's head waits for its last byte, unless there are several."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, head = _spent_ns(), None

        async def tell(message: Message) -> None:
            nonlocal head
            if message["type"] == "http.response.start":
                head = message
                return
            if head is not None:
                if not message.get("more_body", False):
                    told = str((_spent_ns() - begun) // 1000)
                    MutableHeaders(scope=head)[HEADER] = told
                await send(head)
                head = None
            await send(message)

        await self._app(scope, receive, tell)


def _spent_ns() -> int:
    return time.process_time_ns() - Hashing.spent_ns


def _apart(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def counted(*arguments: Any, **named: Any) -> Any:
        begun = time.process_time_ns()
        try:
            return function(*arguments, **named)
        finally:
            Hashing.spent_ns += time.process_time_ns() - begun

    return counted


def create_app() -> ASGIApp:
    """For uvicorn."""
    for name in ("hash", "verify"):
        setattr(PasswordHasher, name, _apart(getattr(PasswordHasher, name)))
    return Timed(factory.create_app())
