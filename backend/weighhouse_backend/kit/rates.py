"""How often somebody may ask: token buckets in Redis, one script a request.

A caller whose token or cookie was recognized lately has a bucket of their own; everybody else
shares the bucket of the address they ask from. So who tries tokens at random, each of them new,
empties their address' bucket, and nobody's who shares that address and is recognized.
"""

import hashlib
import ipaddress
import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from starlette.requests import HTTPConnection

from weighhouse_backend.kit.problems import Problem
from weighhouse_backend.kit.whence import host_of

log = structlog.get_logger(__name__)

WINDOW_SECONDS = 60
KNOWN_SECONDS = 3600
"""How long a token counts as recognized after its last use."""
AWAY_SECONDS = 5.0
"""Redis that did not answer is not asked again for so long."""
ANSWER_SECONDS = 0.5
"""Redis that takes longer does not hold a request up."""
AWAY = (RedisError, OSError, TimeoutError)
REFUSED = 401
SCOPE_KEY = "weighhouse.visit"
PREFIX = "weighhouse:rate:"

TAKE = """
local who = KEYS[1] ~= '' and redis.call('GET', KEYS[1]) or false
local bucket, per_minute = KEYS[2], tonumber(ARGV[2])
if who then
  redis.call('EXPIRE', KEYS[1], ARGV[1])
  bucket = ARGV[4] .. who
  per_minute = tonumber(ARGV[3])
  if string.sub(who, 1, 5) == 'user:' then per_minute = tonumber(ARGV[5]) end
end
if per_minute <= 0 then return {who or '', 0, 0, '0'} end
local now = redis.call('TIME')
now = tonumber(now[1]) + tonumber(now[2]) / 1000000
local kept = redis.call('HMGET', bucket, 'tokens', 'at')
local rate = per_minute / 60
local tokens = math.min(per_minute, (tonumber(kept[1]) or per_minute)
  + math.max(0, now - (tonumber(kept[2]) or now)) * rate)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = (1 - tokens) / rate end
redis.call('HSET', bucket, 'tokens', tostring(tokens), 'at', tostring(now))
redis.call('EXPIRE', bucket, 120)
return {who or '', per_minute, math.floor(tokens), tostring(wait)}
"""
"""Takes one token of a bucket that holds a minute's worth and is filled evenly; all in one step.

The key of the bucket of somebody recognized is made from what is kept about the credential, so this
wants one Redis, not a cluster of several; Celery's broker wants the same.
"""


class TooManyRequests(
    Problem, status=429, title="Too many requests; wait as long as Retry-After says"
):
    """More requests than the caller's budget."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """Requests a minute; 0: without limit."""

    person: int
    token: int
    agent: int
    address: int


@dataclass(slots=True)
class Visit:
    """One request's way through; features above say who was recognized."""

    credential: str | None
    """Digest of the token or cookie; None: there is none."""
    surface: str
    """`people` or `agents`."""
    address: str
    known: bool = False
    who: str | None = None
    tenant: Hashable = None
    """The organization that it is of; None: nobody's yet."""
    learned: bool = False
    """Whether the tenant was told by this very request."""
    due: bool = True
    """Whether the tenant is to be told (again)."""
    waited_seconds: float = 0.0
    """For a turn."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is left of a budget after a request."""

    limit: int
    remaining: int
    wait_seconds: float
    """0: the request may go on."""

    HEADERS: ClassVar[tuple[str, ...]] = (
        "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy",
    )  # fmt: skip

    def headers(self) -> dict[str, str]:
        """As `RateLimit-*` headers; reset: seconds until the whole budget is there again."""
        missing = max(0, self.limit - self.remaining)
        reset = -(-missing * WINDOW_SECONDS // self.limit)
        values = (self.limit, self.remaining, reset, f"{self.limit};w={WINDOW_SECONDS}")
        return {name: str(value) for name, value in zip(self.HEADERS, values, strict=True)}

    def problem(self) -> TooManyRequests:
        """What to answer when nothing is left."""
        seconds = max(1, round(self.wait_seconds + 0.5))
        return TooManyRequests(
            f"{self.limit:,} requests a minute are allowed here; ask again in {seconds} s",
            headers={"Retry-After": str(seconds)},
        )


def recognized(request: HTTPConnection, who: str) -> None:
    """Say who a request's token or cookie stands for, so that they have a budget of their own.

    :param who: `user:ID` for a person, whatever browser they use; anything else: a token.
    """
    visit: Visit | None = request.scope.get(SCOPE_KEY)
    if visit is not None:
        visit.who = who


def of_tenant(request: HTTPConnection, tenant: Hashable) -> None:
    """Say whose a request's token or cookie is, so that the next ones are worked on as theirs."""
    visit: Visit | None = request.scope.get(SCOPE_KEY)
    if visit is not None and tenant is not None:
        visit.tenant, visit.learned = tenant, True


def has_tenant(request: HTTPConnection) -> bool:
    """Whether there is nothing left to say about whose a request's token or cookie is."""
    visit: Visit | None = request.scope.get(SCOPE_KEY)
    return visit is None or not visit.due


def client_address(scope: Mapping[str, Any]) -> str:
    """The address that a request is counted under: IPv6 by its network of 64 bits, which is one
    customer's.
    """
    host = host_of(scope)
    if isinstance(host, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((host, 64), strict=False))
    return "nowhere" if host is None else str(host)


def digest_of(credential: str) -> str:
    """What stands for a token in Redis; the token itself never does."""
    return hashlib.sha256(credential.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Rates:
    """The buckets; while Redis is away nobody is limited."""

    def __init__(self, redis_url: str, budgets: Budgets) -> None:
        """:param redis_url: the connection is made at the first request."""
        self._redis = Redis.from_url(
            redis_url, retry=Retry(NoBackoff(), 0),
            socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS,
        )  # fmt: skip
        self._take = self._redis.register_script(TAKE)
        self._budgets = budgets
        self._ask_again_at = 0.0
        self._away = False

    async def take(self, visit: Visit) -> Standing | None:
        """Count a request.

        :returns: None when nothing is limited: by the settings, or since Redis is away.
        """
        if not self._asked():
            return None
        agents = visit.surface == "agents"
        own = self._budgets.agent if agents else self._budgets.token
        known = f"{PREFIX}known:{visit.surface}:{visit.credential}" if visit.credential else ""
        try:
            found = await self._take(
                keys=[known, f"{PREFIX}{visit.surface}:address:{visit.address}"],
                args=[
                    KNOWN_SECONDS, self._budgets.address, own,
                    f"{PREFIX}{visit.surface}:", self._budgets.person,
                ],
            )  # fmt: skip
        except AWAY as error:
            self._gone(error)
            return None
        self._back()
        visit.known = bool(found[0])
        limit = int(found[1])
        return Standing(limit, int(found[2]), float(found[3])) if limit > 0 else None

    async def settle(self, visit: Visit, status: int) -> None:
        """Keep what an answer tells about a credential: that it is recognized, or no more."""
        if visit.credential is None or not self._asked():
            return
        key = f"{PREFIX}known:{visit.surface}:{visit.credential}"
        try:
            if not visit.known and visit.who is not None and status != REFUSED:
                await self._redis.set(key, visit.who, ex=KNOWN_SECONDS)
            elif visit.known and status == REFUSED:
                await self._redis.delete(key)
        except AWAY as error:
            self._gone(error)

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.aclose()

    def _asked(self) -> bool:
        return time.monotonic() >= self._ask_again_at

    def _gone(self, error: Exception) -> None:
        self._ask_again_at = time.monotonic() + AWAY_SECONDS
        if not self._away:
            self._away = True
            log.warning("requests_unlimited", because="Redis is away", error=repr(error))

    def _back(self) -> None:
        if self._away:
            self._away = False
            log.info("requests_limited_again")
