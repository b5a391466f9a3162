"""Who looks, every second, whether what the platform needs is there; and what follows at once."""

from collections.abc import Callable
from functools import partial

from anyio import CapacityLimiter, sleep, to_thread
from sqlalchemy import Engine
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from weighhouse_backend.app.redis_watch import RedisWatch
from weighhouse_backend.app.space_watch import SpaceWatch
from weighhouse_backend.kit.background import Background
from weighhouse_backend.kit.conditions import Conditions
from weighhouse_backend.kit.database_watch import DatabaseWatch
from weighhouse_backend.kit.outages import AGAIN, DOES_NOT_ANSWER, DatabaseAway
from weighhouse_backend.kit.problems import answer_to
from weighhouse_backend.kit.settings import Settings

EVERY_SECONDS = 1.0
OF_DATABASE = ("/api/", "/agent/", "/scim/")
"""Whose answers come out of the database …"""
WITHOUT = frozenset({"/api/v1/about"})
"""… but these."""


class Watches:
    """The watches of one API process."""

    def __init__(self, settings: Settings, conditions: Conditions) -> None:
        self.database = DatabaseWatch(settings.database_url, conditions)
        self._redis = RedisWatch(settings.redis_url, conditions)
        self._space = SpaceWatch(settings.artifact_dir, settings.spare_mebibytes, conditions)

    def guard(self, *engines: Engine) -> None:
        """Have nobody wait for the database over these engines while it does not answer."""
        for engine in engines:
            self.database.guard(engine)

    def keep(self, background: Background) -> None:
        """Have all of them look, each in a thread of its own, as long as the process lasts."""
        background.keep("watch-database", partial(_look_on, self.database.look))
        background.keep("watch-redis", partial(_look_on, self._redis.look))
        background.keep("watch-space", partial(_look_on, self._space.look))

    def close(self) -> None:
        """Close what they ask over."""
        self.database.close()
        self._redis.close()


async def _look_on(look: Callable[[], None]) -> None:
    thread = CapacityLimiter(1)
    while True:
        await to_thread.run_sync(look, limiter=thread)
        await sleep(EVERY_SECONDS)


class NothingWaits:
    """ASGI middleware: while the database does not answer, nobody begins to wait for it."""

    def __init__(self, app: ASGIApp, watch: DatabaseWatch) -> None:
        self._app = app
        self._watch = watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if (
            self._watch.away
            and scope["type"] == "http"
            and scope["path"].startswith(OF_DATABASE)
            and scope["path"] not in WITHOUT
        ):
            problem = DatabaseAway(DOES_NOT_ANSWER, headers=AGAIN)
            await answer_to(problem, Request(scope))(scope, receive, send)
            return
        await self._app(scope, receive, send)
