"""Logs of attempts: uploaded in pieces, each where the last one ended."""

from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from weighhouse_backend.execution.intake import IntakeService
from weighhouse_backend.files.flows import Flows
from weighhouse_backend.kit.rates import TooManyRequests
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.measurements.errors import LogGap, LogTooLong
from weighhouse_backend.measurements.models import RunLog
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.runs.models import AttemptMember

MEBIBYTE = 1024 * 1024
MOST_PIECE_BYTES = MEBIBYTE
MOST_STREAMS = 64
"""Logs that a machine may keep of an attempt."""


@lru_cache(maxsize=4)
def flows_of(mebibytes_per_minute: int) -> Flows:
    """One for each process."""
    return Flows(mebibytes_per_minute * MEBIBYTE)


@dataclass(frozen=True)
class LogService:
    """Stores logs piece by piece."""

    repository: ResultRepository
    intake: IntakeService
    settings: Settings

    def append(
        self, attempt_id: UUID, stream: str, offset: int, data: bytes, member: int = 0
    ) -> int:
        """Store the piece of a log that begins at `offset`.

        :returns: the offset at which the next piece begins. A piece that is stored already is
            passed over, and one that overlaps adds what is new. Of one that goes beyond what an
            attempt may keep the begin is stored, with a line that says so.
        :raises LogGap: when bytes before it are missing; its header `Upload-Offset` tells where
            to go on.
        :raises LogTooLong: when the piece is larger than is taken, or no more is kept.
        :raises AttemptNotYours: when the member has ended: nothing more is taken of it.
        :raises TooManyRequests: when its agent has sent too much just now.
        """
        if len(data) > MOST_PIECE_BYTES:
            raise LogTooLong(f"a piece may have {MOST_PIECE_BYTES:,} bytes")
        own = self.intake.open_batch(attempt_id, member=member)
        stored = int(own.log_offsets.get(stream, 0))
        if offset <= stored and not data[stored - offset :]:
            return stored
        self.intake.require_open(own)
        left = self._left(own, stream)
        if offset > stored:
            raise LogGap(
                f"{stored} bytes of {stream} are stored; go on there",
                headers={"Upload-Offset": str(stored)},
            )
        self._in_time(own, len(data))
        fresh = data[stored - offset :]
        if len(fresh) > left:
            fresh = fresh[:left] + f"\n[{self._cut}]\n".encode()
        end = stored + len(fresh)
        row = {
            "attempt_id": own.attempt_id,
            "member": own.index,
            "stream": stream,
            "begin": stored,
            "project_id": own.project_id,
            "data": fresh,
        }
        self.repository.insert_new(RunLog, [row])
        self.intake.advance_log(own, stream, end)
        return end

    @property
    def _cut(self) -> str:
        most = self.settings.attempt_log_mebibytes
        return f"the log was cut here: all logs of an attempt may have {most} MiB"

    def _left(self, own: AttemptMember, stream: str) -> int:
        """Bytes that the attempt may still keep; refused when there are none."""
        if stream not in own.log_offsets and len(own.log_offsets) >= MOST_STREAMS:
            raise LogTooLong(f"a machine may keep {MOST_STREAMS} logs of an attempt")
        most = self.settings.attempt_log_mebibytes * MEBIBYTE
        left = most - self.intake.log_bytes(own.attempt_id)
        if left <= 0:
            raise LogTooLong(self._cut)
        return left

    def _in_time(self, own: AttemptMember, size: int) -> None:
        most = self.settings.log_mebibytes_per_minute
        if wait := flows_of(most).wait_seconds(own.agent_id, size):
            seconds = max(1, round(wait + 0.5))
            raise TooManyRequests(
                f"{most} MiB of logs a minute are taken of an agent; go on in {seconds} s",
                headers={"Retry-After": str(seconds)},
            )
