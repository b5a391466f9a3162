"""Signs of life of parts that nobody can ask: they write them to Redis, the API reads how old they
are. By Redis's own clock, so that it matters nothing whose clock is wrong.
"""

from collections.abc import Mapping
from typing import Literal

from redis import Redis

Part = Literal["worker", "timetable"]
PARTS: tuple[Part, ...] = ("worker", "timetable")
KEPT_SECONDS = 86_400
"""What gave no sign for so long never gave one."""
SILENT_SECONDS: Mapping[Part, float] = {"worker": 3.5, "timetable": 60.0}
"""A part that gave no sign for so long is taken for away: a worker gives one each second, a
timetable whenever it sends something.
"""


def give_sign(redis: Redis, part: Part) -> None:
    """Tell that a part is at work.

    :raises RedisError: when nobody can be told.
    """
    redis.set(_key(part), 1, ex=KEPT_SECONDS)


def ages_of_signs(redis: Redis) -> Mapping[Part, float | None]:
    """Seconds since the latest sign of each part, whichever of its processes gave it; None when
    there is none.

    :raises RedisError: when Redis is away.
    """
    with redis.pipeline(transaction=False) as pipeline:
        for part in PARTS:
            pipeline.pttl(_key(part))
        left_ms = pipeline.execute()
    return {
        part: max(0.0, KEPT_SECONDS - left / 1000) if left >= 0 else None
        for part, left in zip(PARTS, left_ms, strict=True)
    }


def _key(part: Part) -> str:
    return f"sign:{part}"
