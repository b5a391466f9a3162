"""Reads that many want at once, done once for all of them."""

import asyncio
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from starlette.concurrency import run_in_threadpool

KEPT_SECONDS = 2.0
"""What was read is forgotten after so long: whoever has not come by then wants to know anew."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class _Read(Generic[Found]):
    wanted: Hashable
    began: float
    found: "asyncio.Future[Found]"


class SharedReads(Generic[Found]):
    """What was read last of each subject. Used from one event loop."""

    def __init__(self) -> None:
        self._reads: dict[Hashable, _Read[Found]] = {}

    async def of(
        self, subject: Hashable, wanted: Hashable, since: float, read: Callable[[], Found]
    ) -> Found:
        """What a read finds that began at a moment or later; done in a thread, by the first who
        wants it. What it raises, it raises to all.

        :param subject: of one subject the last read is kept.
        :param wanted: what of it; all that ask for the same see the same.
        :param since: monotonic, s: what is there by then is found.
        """
        known = self._reads.get(subject)
        if known is None or known.wanted != wanted or known.began < since:
            found = asyncio.ensure_future(run_in_threadpool(read))
            known = self._reads[subject] = _Read(wanted, time.monotonic(), found)
            found.add_done_callback(partial(self._done, subject, known))
        # Who leaves takes it from nobody.
        return await asyncio.shield(known.found)

    def _done(self, subject: Hashable, read: _Read[Found], _: "asyncio.Future[Found]") -> None:
        def forget() -> None:
            if self._reads.get(subject) is read:
                del self._reads[subject]

        if read.found.cancelled() or read.found.exception() is not None:
            forget()
        else:
            asyncio.get_running_loop().call_later(KEPT_SECONDS, forget)
