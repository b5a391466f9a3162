"""Whether Redis answers, and by what stands in it, whether a worker works."""

import time

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as NoAnswer
from redis.retry import Retry

from weighhouse_backend.kit.conditions import REDIS_AWAY, WORKER_AWAY, Conditions
from weighhouse_backend.kit.signs import KEPT_SECONDS, SILENT_SECONDS, ages_of_signs

OWN_SIGN = "sign:api"
ANSWER_SECONDS = 2.0
RETURN_SECONDS = 10.0
"""For so long after Redis is back no worker is missed: it may not have given a sign yet."""
BEGINNING_SECONDS = 30.0
"""And for so long after the begin of this process one that never gave a sign."""


class RedisWatch:
    """Looks at one Redis for one process."""

    def __init__(self, redis_url: str, conditions: Conditions) -> None:
        self._redis = Redis.from_url(
            redis_url, retry=Retry(NoBackoff(), 0),
            socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS,
        )  # fmt: skip
        self._conditions = conditions
        self._known = False
        self._quiet_until = time.monotonic() + BEGINNING_SECONDS

    def look(self) -> None:
        """Look once, for at most some seconds; says what it found to the conditions."""
        try:
            # A replica, and one that is full, go on answering: no worker can tell of itself there.
            self._redis.set(OWN_SIGN, 1, ex=KEPT_SECONDS)
            age = ages_of_signs(self._redis)["worker"]
        except RedisError as error:
            self._conditions.begin(REDIS_AWAY, f"Redis {_words(error)}")
            # Nobody knows of the worker now; it is not blamed for silence that Redis keeps.
            self._conditions.end(WORKER_AWAY)
            self._quiet_until = time.monotonic() + RETURN_SECONDS
            return
        self._conditions.end(REDIS_AWAY)
        if age is not None and not self._known:
            self._known, self._quiet_until = True, 0.0
        if age is not None and age <= SILENT_SECONDS["worker"]:
            self._conditions.end(WORKER_AWAY)
        elif time.monotonic() >= self._quiet_until:
            self._conditions.begin(WORKER_AWAY, "no worker gives a sign of life")

    def close(self) -> None:
        """Close its connection."""
        self._redis.close()


def _words(error: RedisError) -> str:
    if isinstance(error, NoAnswer):
        return "does not answer"
    return "takes no writes" if isinstance(error, ResponseError) else "is away"
