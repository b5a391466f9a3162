"""Whose request a process works on next, so that no tenant's hurry is another's delay.

A process has one interpreter, and requests that are worked on at a time slow each other down. As
long as a tenant asks for less than its share, its requests begin at once. Whoever asks for more
while others ask too waits: one such request is worked on at a time, none while one of those others
is, and with pauses between them. Who is alone is not held up.

What a tenant uses is its part of the time under work, averaged over an instant: of several
requests at a time each counts its fraction, and a tenant that is held back counts as wanting all.
The share is the water level under which all uses together fit into one request at a time (max-min
fairness: Bertsekas and Gallager, Data Networks, 6.5.2).
"""

import asyncio
import math
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from weighhouse_backend.kit.rates import TooManyRequests
from weighhouse_backend.kit.water_level import water_level

CAPACITY = 0.8
"""Requests under work at a time that a process is good for."""
HELD_USE, HELD_SECONDS = 2.0, 1.0
"""Of whoever is held back, and was: more than there is, for to wait does not make them modest."""
AVERAGED_SECONDS, SPARED = 0.4, 1.5
"""An instant, for until it is known who asks for too much everybody is slowed by them; of a share:
who uses no more is not held back where others want more than that.
"""
ACTIVE_SECONDS = 10.0
"""For whoever asked within it the others are held back."""
ALONE_AT_ONCE, AT_ONCE = 8, 2
"""Of one tenant at a time, however much is left over: while nobody else asks; while others do."""
SHORT_SECONDS, LONG_SECONDS = 0.02, 0.5
"""Who waits for longer than the one rests; what works for longer than the other holds up none.
"""
PATIENCE_SECONDS = 0.25
"""One who waited so long begins even while others' requests are under work."""
MOST_PART, LEAST_PART, LESS_PART = 0.6, 0.25, 1.4
"""Of a process, for those together who ask for more than their share: the more the others use, the
less, at this slope.
"""
MOST_WAITING_OF_ONE, MOST_WAITING = 64, 1024
"""Of whoever calls, and of a tenant; whoever has none waiting may have one in any case."""

Tenant: TypeAlias = Hashable
STRANGERS: Tenant = None
"""Whoever was not recognized yet."""
UNSORTED: Tenant = "unsorted"
"""Whose token or cookie was valid lately, while this process does not know yet whose it is."""
NOBODYS = frozenset({STRANGERS, UNSORTED})
"""Nobody is held back for their sake alone."""


@dataclass(eq=False, slots=True)
class _Waiting:
    turn: "Turn"
    since: float
    let_in: asyncio.Future[None]


@dataclass(eq=False, slots=True)
class _Use:
    """What one tenant has under work, waiting, and used."""

    at: float
    asked_at: float = -math.inf
    """When it last came with something new."""
    use: float = 0.0
    serving: int = 0
    held_until: float = 0.0
    queues: OrderedDict[Hashable, OrderedDict[Hashable, deque[_Waiting]]] = field(
        default_factory=OrderedDict
    )
    """Sort of a tenant's callers → who of them → their requests: sorts take turns, and within each
    those who call.
    """

    def until(self, now: float, together: int) -> float:
        """The use up to an instant: an average that forgets.

        :param together: requests of everybody that were under work, which slow each other down.
        """
        wanted = self.serving / max(1, together)
        self.use = wanted + (self.use - wanted) * math.exp((self.at - now) / AVERAGED_SECONDS)
        self.at = now
        return self.use

    def wanted(self) -> float:
        """What it would use if it were let."""
        return HELD_USE if self.at < self.held_until else self.use

    def waiting(self) -> int:
        """How many wait."""
        return sum(len(queue) for queues in self.queues.values() for queue in queues.values())

    def waiting_of(self, turn: "Turn") -> int:
        """How many of whoever makes a request wait."""
        return len(self.queues.get(turn.sort, OrderedDict()).get(turn.who, ()))

    def oldest(self) -> float:
        """Since when whoever is next has waited."""
        return next(iter(next(iter(self.queues.values())).values()))[0].since

    def put(self, one: _Waiting) -> None:
        """Have somebody wait."""
        sort = self.queues.setdefault(one.turn.sort, OrderedDict())
        sort.setdefault(one.turn.who, deque()).append(one)

    def pop(self) -> _Waiting:
        """Whoever is next; after them it is another's turn."""
        sort, queues = self.queues.popitem(last=False)
        who, queue = queues.popitem(last=False)
        one = queue.popleft()
        if queue:
            queues[who] = queue
        if queues:
            self.queues[sort] = queues
        return one

    def remove(self, one: _Waiting) -> None:
        """Have somebody wait no more, who may have had their turn already."""
        queues = self.queues.get(one.turn.sort, OrderedDict())
        queue = queues.get(one.turn.who, deque())
        with suppress(ValueError):
            queue.remove(one)
            if not queue:
                del queues[one.turn.who]
            if not queues:
                del self.queues[one.turn.sort]


@dataclass(eq=False, slots=True)
class Turn:
    """A request's way through: under work, or resting."""

    shares: "Shares"
    tenant: Tenant
    sort: Hashable
    """Of its callers: agents, and people."""
    who: Hashable
    begun: float = 0.0
    """When it came under work."""
    over: bool = False
    """It is of a tenant that asked for more than its share."""
    rests: int = 0
    """How many tasks of the request wait."""
    queued: bool = False
    ended: bool = False
    """Nothing more is counted of it."""

    def end(self) -> None:
        """Have nothing more counted, whatever the request still does. Idempotent."""
        self.ended = True
        self.shares.leave(self)

    def rest(self) -> None:
        """Be under no work, until `go_on`."""
        self.rests += 1
        self.shares.leave(self)

    async def go_on(self) -> None:
        """Come under work again: by its turn, or without one when that does not come. Of several
        tasks of a request that wait, the last one has it do so.
        """
        self.rests -= 1
        if self.rests or self.queued or self.ended:
            return
        await self.shares.enter_again(self)

    @contextmanager
    def resting_if_long(self) -> Iterator[None]:
        """While the request waits for what is there at once as a rule: it keeps its turn, unless it
        takes longer; then it goes on without one.
        """
        rests = False

        def rest() -> None:
            nonlocal rests
            rests = True
            self.rest()

        timer = asyncio.get_running_loop().call_later(SHORT_SECONDS, rest)
        try:
            yield
        finally:
            timer.cancel()
            if rests:
                self.rests -= 1
                if not self.rests and not self.queued:
                    self.shares.resume(self)

    @asynccontextmanager
    async def resting(self) -> AsyncIterator[None]:
        """While the request waits for something that is none of the process' work."""
        self.rest()
        try:
            yield
        finally:
            await self.go_on()


class Shares:
    """The turns of one process; used from its event loop."""

    def __init__(self, wait_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """:param wait_seconds: how long a request waits until its sender is told to come again."""
        self._wait = wait_seconds
        self._clock = clock
        self._uses: dict[Tenant, _Use] = {}
        self._serving: set[Turn] = set()
        self._paused_until = 0.0
        self._last_over: Tenant = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> int:
        """Requests that wait for their turn."""
        return sum(use.waiting() for use in self._uses.values())

    async def enter(self, turn: Turn) -> None:
        """Come under work.

        :raises TooManyRequests: when it did not become its turn.
        """
        now = self._clock()
        self._use(turn.tenant, now).asked_at = now
        await self._enter(turn)

    async def _enter(self, turn: Turn) -> None:
        now = self._clock()
        use = self._use(turn.tenant, now)
        own = use.waiting_of(turn)
        if own >= MOST_WAITING_OF_ONE or (own and use.waiting() >= MOST_WAITING):
            raise _come_again(f"{own} of your requests wait already")
        one = _Waiting(turn, now, asyncio.get_running_loop().create_future())
        use.put(one)
        turn.queued = True
        try:
            self._let_in()
            if one.let_in.done():
                return
            async with asyncio.timeout(self._wait):
                await one.let_in
        except BaseException as error:
            if turn in self._serving:
                self.leave(turn)  # its turn came at that very moment
            else:
                use.until(self._clock(), len(self._serving))
                use.remove(one)
                self._let_in()
            if not isinstance(error, TimeoutError):
                raise
            raise _come_again(f"this one waited {self._wait:g} s for its turn") from None
        finally:
            turn.queued = False

    async def enter_again(self, turn: Turn) -> None:
        """Come under work after a rest, without a turn when that does not come."""
        with suppress(TooManyRequests):
            await self._enter(turn)
        self.resume(turn)
        if turn.rests:
            self.leave(turn)  # another of its tasks waits by now

    def resume(self, turn: Turn) -> None:
        """Come under work without a turn, unless it is."""
        if turn not in self._serving and not turn.ended:
            self._begin(turn, self._clock(), over=turn.over)

    def leave(self, turn: Turn) -> None:
        """Be under work no more, if it is."""
        if turn not in self._serving:
            return
        now = self._clock()
        self._advance(now)
        self._use(turn.tenant, now).serving -= 1
        self._serving.discard(turn)
        if turn.over:
            part = self._part(now)
            pause = min(now - turn.begun, LONG_SECONDS) * (1 / part - 1)
            self._paused_until = max(self._paused_until, now + pause)
        self._let_in()

    def _begin(self, turn: Turn, now: float, *, over: bool) -> None:
        self._advance(now)
        self._use(turn.tenant, now).serving += 1
        turn.begun, turn.over = now, over
        self._serving.add(turn)

    def _use(self, tenant: Tenant, now: float) -> _Use:
        use = self._uses.get(tenant)
        if use is None:
            use = self._uses[tenant] = _Use(now)
        use.until(now, len(self._serving))
        return use

    def _advance(self, now: float) -> None:
        """Count what is under work up to now, before it becomes more or less."""
        for tenant in {turn.tenant for turn in self._serving}:
            self._use(tenant, now)

    # Who is next

    def _let_in(self) -> None:
        """Begin whatever may; see to it that this is looked at again when it has to be."""
        now = self._clock()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        asking = [tenant for tenant, use in self._uses.items() if use.queues]
        if not asking:
            return
        over = self._over(now)
        at: list[float] = []
        for tenant in asking:
            if tenant not in over:
                at += self._let_in_of(tenant, now)
        if held := [tenant for tenant in asking if tenant in over]:
            for tenant in held:
                self._uses[tenant].held_until = now + HELD_SECONDS
            at += self._let_in_of_over(held, now)
        if at:
            self._timer = asyncio.get_running_loop().call_later(
                max(0.001, min(at) - now), self._let_in
            )

    def _let_in_of(self, tenant: Tenant, now: float) -> list[float]:
        """:returns: when to look again."""
        use = self._uses[tenant]
        brief = [turn for turn in self._brief(now) if turn.tenant == tenant]
        most = AT_ONCE if len(self._uses.keys() - NOBODYS) > 1 else ALONE_AT_ONCE
        while use.queues and len(brief) < most:
            brief += self._start(use, now, over=False)
        return [turn.begun + LONG_SECONDS for turn in brief] if use.queues else []

    def _let_in_of_over(self, asking: list[Tenant], now: float) -> list[float]:
        """One of those who asked for more than their share; :returns: when to look again."""
        brief = list(self._brief(now))
        longest = min(self._uses[tenant].oldest() for tenant in asking) + PATIENCE_SECONDS
        if any(turn.over for turn in brief):
            return [turn.begun + LONG_SECONDS for turn in brief if turn.over]
        if now < self._paused_until:
            return [self._paused_until]
        if brief and now < longest:
            return [longest, *(turn.begun + LONG_SECONDS for turn in brief)]
        after = asking.index(self._last_over) + 1 if self._last_over in asking else 0
        self._last_over = asking[after % len(asking)]
        begun = self._start(self._uses[self._last_over], now, over=True)
        return [turn.begun + LONG_SECONDS for turn in begun] or [now]

    def _start(self, use: _Use, now: float, *, over: bool) -> list[Turn]:
        """Whoever is next, unless they went away at this very moment."""
        use.until(now, len(self._serving))
        one = use.pop()
        if one.let_in.done():
            return []
        if one.turn.ended:
            one.let_in.set_result(None)
            return []
        self._begin(one.turn, now, over=over)
        one.let_in.set_result(None)
        return [one.turn]

    def _brief(self, now: float) -> Iterable[Turn]:
        return (turn for turn in self._serving if now - turn.begun < LONG_SECONDS)

    # What is whose

    def _over(self, now: float) -> set[Tenant]:
        """Those who ask for more than their share while others ask."""
        for tenant, use in list(self._uses.items()):
            if not use.queues and not use.serving and now - use.asked_at > ACTIVE_SECONDS:
                del self._uses[tenant]
        for use in self._uses.values():
            use.until(now, len(self._serving))
        wanted = {tenant: use.wanted() for tenant, use in self._uses.items()}
        level = water_level(wanted.values(), CAPACITY)
        for most in (level, SPARED * level):
            over = {tenant for tenant, use in wanted.items() if use > most}
            if wanted.keys() - over - NOBODYS:
                return over
        return set()

    def _part(self, now: float) -> float:
        """Of the process, for those who ask for more than their share."""
        over = self._over(now)
        others = sum(use.use for tenant, use in self._uses.items() if tenant not in over)
        return max(LEAST_PART, MOST_PART - LESS_PART * others)


def _come_again(reason: str) -> TooManyRequests:
    return TooManyRequests(
        f"others ask too, and you asked for more than your share: {reason}; ask again in 2 s",
        headers={"Retry-After": "2"},
    )
