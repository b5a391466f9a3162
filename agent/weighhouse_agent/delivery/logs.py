"""Brings the logs of an attempt to the platform: small pieces while it runs, the rest at its end.

Of a log that is longer than what is taken the middle is left out, and a line says so: its begin has
been followed by people, its end tells why. What the platform has decides where to go on.
"""

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from weighhouse_agent.delivery.platform_client import Refused
from weighhouse_agent.machine.disk_space import write_essential
from weighhouse_agent.machine.home import AttemptDirectory, read_text

LOG = structlog.get_logger("weighhouse_agent")
WRONG_OFFSET = 416
LIVE_BYTES = 64 << 10
"""Of one log at one time, while the attempt runs."""
PIECE_BYTES = 256 << 10
LIMIT_BYTES = 2 << 20
"""Of a log while it is followed; and of what is left of it at the end, when its end alone goes."""
ROUNDS = 5
"""How often a disagreement over what is there may be settled by asking."""

Put = Callable[[str, int, bytes], None]


@dataclass
class LogSender:
    """The logs of one attempt. Used by one thread at a time.

    :param put: stores the piece of a stream that begins at an offset.
    :param ask: what the platform has of each stream.
    """

    directory: AttemptDirectory
    put: Put
    ask: Callable[[], Mapping[str, int]]
    offsets: dict[str, int] = field(default_factory=dict)
    """Stream → bytes that are with the platform."""
    _left: set[str] = field(default_factory=set)
    """Streams that the platform does not take."""
    _due_at: float = 0.0

    def follow(self, every_seconds: float) -> None:
        """Send what was written since, a little of each log; nothing before it is due again.

        :raises GaveUp: when nobody waits any more.
        """
        now = time.monotonic()
        if now < self._due_at:
            return
        self._due_at = now + every_seconds
        for path in self._files():
            stream, known = path.stem, self.offsets.get(path.stem, 0)
            if known >= LIMIT_BYTES:
                continue
            with path.open("rb") as file:
                file.seek(known)
                piece = file.read(LIVE_BYTES)
            if piece:
                self._send(stream, lambda offset, p=piece, k=known: p if offset == k else b"")  # type: ignore[misc]

    def finish(self) -> None:
        """Send the rest, of a long one the end; a log that is not taken is left.

        :raises GaveUp: when nobody waits any more.
        """
        begun = self._begun()
        for path in self._files():
            text = Remaining(path, begun.get(path.stem, 0))
            while self.offsets.get(path.stem, 0) < text.end and path.stem not in self._left:
                self._send(path.stem, text.piece)

    def _files(self) -> list[Path]:
        return [p for p in sorted(self.directory.logs.glob("*.log")) if p.stem not in self._left]

    def _begun(self) -> dict[str, int]:
        """What the platform had of each log when the rest was begun to be sent: kept, so that a
        restart leaves out the same.
        """
        text = read_text(self.directory.logs_begun)
        if text is not None:
            return {str(key): int(value) for key, value in json.loads(text).items()}
        begun = dict(self.offsets)
        try:
            write_essential(self.directory.home, self.directory.logs_begun, json.dumps(begun))
        except OSError as error:
            LOG.warning("where the logs stood could not be kept", reason=str(error))
        return begun

    def _send(self, stream: str, piece_at: Callable[[int], bytes]) -> None:
        for _ in range(ROUNDS):
            offset = self.offsets.get(stream, 0)
            piece = piece_at(offset)
            if not piece:
                return
            try:
                self.put(stream, offset, piece)
            except Refused as error:
                if error.status != WRONG_OFFSET:
                    LOG.warning("log not taken", stream=stream, reason=str(error))
                    self._left.add(stream)
                    self._tell(stream, error.detail)
                    return
                self.offsets = dict(self.ask())
            else:
                self.offsets[stream] = offset + len(piece)
                return
        self._left.add(stream)

    def _tell(self, stream: str, reason: str) -> None:
        """Say it where people look, unless that is the log itself."""
        own = self.directory.own_log
        if stream != own.stem:
            with contextlib.suppress(OSError), own.open("a", encoding="utf-8") as log:
                log.write(f"not taken by the platform: {stream}.log: {reason}\n")


class Remaining:
    """A log as it goes to the platform once it does not grow any more.

    :param begun: so much of it had gone before.
    """

    def __init__(self, path: Path, begun: int) -> None:
        self._path, self._begun = path, begun
        size = path.stat().st_size
        self._marker, self._resumes = b"", begun
        if size - begun > LIMIT_BYTES:
            with path.open("rb") as file:
                file.seek(size - LIMIT_BYTES)
                file.readline()
                self._resumes = file.tell()
            left_out = self._resumes - begun
            self._marker = f"[{left_out} bytes before this are left out]\n".encode()
            if begun:
                self._marker = b"\n" + self._marker
        self.end = begun + len(self._marker) + size - self._resumes
        """How long it is, as the platform counts."""

    def piece(self, offset: int) -> bytes:
        """What comes at an offset, as the platform counts; empty at the end."""
        if offset < self._begun:
            return self._read(offset, min(PIECE_BYTES, self._begun - offset))
        into = offset - self._begun
        if into < len(self._marker):
            return self._marker[into:]
        return self._read(self._resumes + into - len(self._marker), PIECE_BYTES)

    def _read(self, place: int, most: int) -> bytes:
        with self._path.open("rb") as file:
            file.seek(place)
            return file.read(most)
