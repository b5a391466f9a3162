"""What a server says in place of an answer, sorted by what can be done about it.

Waiting mends `NotYet`, and that nobody listens (`OSError`). It mends nothing else: `Refused` is an
answer, of a server that is there, to one question; `Unfit` says that no question will ever be
answered in this way.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol, TypeVar

from weighhouse_sdk.errors import ServerRefuses, ServerUnfit

Answer = TypeVar("Answer")
SHOWN = 200
"""Characters of what is no answer that are told."""


class ReplyError(Exception):
    """The server answered with an error, or with what is not its protocol."""


class NotYet(ReplyError):
    """The server is starting, loading or busy: asked again, it may answer."""


class Refused(ReplyError):
    """The server answers, but not this question: the account may not ask it, or it is switched off.

    Its text is the server's own words.
    """


class Unfit(ReplyError):
    """No question will be answered in this way, however long one waits.

    :param message: what is the matter, in words for people; without a secret.
    :param hint: how to mend it.
    """

    failure: ClassVar[type[ServerUnfit]] = ServerUnfit
    """As what it ends a run."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class LoginRefused(Unfit):
    """The server wants an account, or not this one."""

    failure = ServerRefuses


class ServerFull(Unfit):
    """The server takes no further connection."""

    failure = ServerRefuses


class CertificateRefused(Unfit):
    """The server's certificate does not prove that it is the one that was meant."""


class OtherProtocol(Unfit):
    """What answers there speaks another protocol, or is another product."""


STARTS = (
    (b"HTTP/", "HTTP"), (b"<!DOCTYPE", "HTTP"), (b"<html", "HTTP"), (b"\x15\x03", "TLS"),
    (b"\x16\x03", "TLS"), (b"SSH-", "SSH"), (b"220 ", "a mail or file server's protocol"),
    (b"-ERR", "Redis' protocol"), (b"-NOAUTH", "Redis' protocol"), (b"+", "Redis' protocol"),
    (b"-DENIED", "Redis' protocol"), (b"CLIENT_ERROR", "Memcached's protocol"),
    (b"ERROR", "Memcached's protocol"), (b"\x84\x00", "CQL"), (b"\x83\x00", "CQL"),
)  # fmt: skip
"""How what others say begins, and what they speak."""


def spoken_by(heard: bytes) -> str | None:
    """What speaks that answers so; None: that is not known."""
    return next((name for start, name in STARTS if heard.lstrip().startswith(start)), None)


def other_protocol(wanted: str, heard: bytes) -> OtherProtocol:
    """What to say of an answer that is not of the protocol.

    :param wanted: whose protocol was spoken.
    :param heard: the beginning of the answer.
    """
    spoken = spoken_by(heard)
    if spoken == "TLS":
        return without_tls()
    said = heard[:SHOWN].decode("utf-8", errors="replace").strip()
    what = f"speaks {spoken}, not {wanted}" if spoken else f"does not speak {wanted}"
    return OtherProtocol(
        f"what answers there {what}; it says {said!r}",
        f"write the host and port where {wanted} is spoken, not that of another program or a proxy",
    )


def without_tls() -> OtherProtocol:
    """The server speaks TLS alone, and was spoken to without."""
    return OtherProtocol(
        "the server speaks TLS on this port, and was asked without",
        "write the endpoint as tls://HOST:PORT, or name the port without TLS",
    )


class NotTold(NamedTuple):
    """A question that a server refused."""

    question: str
    words: str
    """The server's own."""


@dataclass
class Refusals:
    """What the servers of one deployment refused to tell; none of it is asked again."""

    _found: dict[tuple[str, str], str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, endpoint: str, question: str, words: str) -> None:
        """Keep what one server said; the first words stand."""
        with self._lock:
            self._found.setdefault((endpoint, question), words[:SHOWN].strip(" ,."))

    def knows(self, endpoint: str, question: str) -> bool:
        """Whether one server refused a question before."""
        return (endpoint, question) in self._found

    def __iter__(self) -> Iterator[NotTold]:
        """Each once, in the order they came."""
        with self._lock:
            found = [NotTold(question, words) for (_, question), words in self._found.items()]
        return iter(dict.fromkeys(found))


class Asked(Protocol):
    """Where a question goes: a `wire.Address`."""

    @property
    def refusals(self) -> Refusals | None:
        """Where questions that it refuses are noted; None: they are errors."""

    @property
    def endpoint(self) -> str:
        """As a driver's order has it."""


def unless_refused(address: Asked, question: str, ask: Callable[[], Answer]) -> Answer | None:
    """Ask what only describes. Where the address keeps refusals, a refusal is noted there and the
    question is not asked again.

    :param question: as people know it, for example `CONFIG GET`.
    :returns: the answer; None: it was refused, now or before.
    :raises Refused: where the address keeps none.
    :raises ReplyError, OSError, ValueError: as `ask` does.
    """
    refusals, endpoint = address.refusals, address.endpoint
    if refusals is None:
        return ask()
    if refusals.knows(endpoint, question):
        return None
    try:
        return ask()
    except Refused as error:
        refusals.note(endpoint, question, str(error))
        return None
