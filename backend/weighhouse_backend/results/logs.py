"""Logs of attempts: uploaded in pieces, each where the last one ended."""

from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.campaigns.intake import IntakeService
from weighhouse_backend.results.errors import LogGap, LogTooLong
from weighhouse_backend.results.models import RunLog
from weighhouse_backend.results.repository import ResultRepository

MOST_PIECE_BYTES = 1024 * 1024
MOST_LOG_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class LogService:
    """Stores logs piece by piece."""

    repository: ResultRepository
    intake: IntakeService

    def append(
        self, attempt_id: UUID, stream: str, offset: int, data: bytes, member: int = 0
    ) -> int:
        """Store the piece of a log that begins at `offset`.

        :returns: the offset at which the next piece begins. A piece that is stored already is
            passed over, and one that overlaps adds what is new.
        :raises LogGap: when bytes before it are missing; its header `Upload-Offset` tells where
            to go on.
        :raises LogTooLong: when the piece or the log is larger than is kept.
        :raises AttemptNotYours: when the member has ended: nothing more is taken of it.
        """
        if len(data) > MOST_PIECE_BYTES:
            raise LogTooLong(f"a piece may have {MOST_PIECE_BYTES:,} bytes")
        own = self.intake.open_batch(attempt_id, member=member)
        stored = int(own.log_offsets.get(stream, 0))
        if offset > stored:
            raise LogGap(
                f"{stored} bytes of {stream} are stored; go on there",
                headers={"Upload-Offset": str(stored)},
            )
        fresh = data[stored - offset :]
        if not fresh:
            return stored
        self.intake.require_open(own)
        end = stored + len(fresh)
        if end > MOST_LOG_BYTES:
            raise LogTooLong(f"a log may have {MOST_LOG_BYTES:,} bytes")
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
