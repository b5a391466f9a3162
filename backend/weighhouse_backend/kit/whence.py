"""Where a request comes from and whose it is, for what is noted while it is answered.

Set where requests come in, so that nothing between there and the note has to hand it on. What is
done without a request, by the worker or on the machine, comes from nowhere.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID


@dataclass
class Whence:
    """Who asks; the ids are there once the caller is recognized."""

    address: str | None = None
    person_id: UUID | None = None
    token_id: UUID | None = None


_WHENCE: ContextVar[Whence | None] = ContextVar("whence", default=None)


def comes_from(address: str | None) -> None:
    """Begin a request; all that is done in it, in whatever thread, shares one `Whence`."""
    _WHENCE.set(Whence(address))


def whence() -> Whence:
    """Of the request that is being answered; empty outside of one."""
    return _WHENCE.get() or Whence()
