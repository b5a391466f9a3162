"""Files that attempts leave: content under its hash, rows telling whose it is.

A file is known by the SHA-256 of its content. Content lies in a folder of the project, so that
nobody can learn by a hash what another project has.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.execution.intake import IntakeService
from weighhouse_backend.files.stores import ArtifactStore
from weighhouse_backend.files.uploads import Upload
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import BodyTooLarge
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.measurements.errors import ArtifactDiffers, ResultNotThere
from weighhouse_backend.measurements.models import Artifact
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.quotas.guard import QuotaGuard
from weighhouse_backend.quotas.kinds import Kind
from weighhouse_backend.runs.models import AttemptMember

MEBIBYTE = 1024 * 1024
MOST_BYTES = 256 * MEBIBYTE
MOST_FILES = 200
"""That a machine may leave of an attempt."""


def lock_content(session: Session, project_id: UUID, sha256: str) -> None:
    """Wait for whoever writes or removes a content; until the transaction ends nobody does."""
    key = f"artifact:{project_id}:{sha256}"
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 0))))


@dataclass(frozen=True)
class ArtifactService:
    """Takes files of attempts and hands them out again."""

    repository: ResultRepository
    intake: IntakeService
    store: ArtifactStore
    quotas: QuotaGuard
    clock: Clock
    settings: Settings

    def has(self, member: AttemptMember, sha256: str) -> bool:
        """Has the member handed this in already? Then it need not be sent again."""
        left = self.repository.artifacts(member.attempt_id)
        return any((item.member, item.sha256) == (member.index, sha256) for item in left)

    def put(
        self,
        attempt_id: UUID,
        sha256: str,
        content: Upload,
        *,
        name: str,
        media_type: str,
        member: int = 0,
    ) -> bool:
        """Store a file of an attempt.

        :returns: whether it is new to the attempt; repeating changes nothing.
        :raises ArtifactDiffers: when the content does not have that hash.
        :raises AttemptNotYours: when the member has ended: nothing more is taken of it.
        :raises BodyTooLarge: when the machine leaves more of the attempt than is kept.
        :raises QuotaExceeded: when there is no room for it; the run goes on without.
        """
        if content.sha256 != sha256:
            raise ArtifactDiffers(f"the content's hash is {content.sha256}")
        own = self.intake.open_batch(attempt_id, member=member)
        if self.has(own, sha256):
            return False
        self.intake.require_open(own)
        self._require_room(own, content.size_bytes)
        lock_content(self.repository.session, own.project_id, sha256)
        if self.repository.artifact_of_project(own.project_id, sha256) is None:
            self.quotas.take(Kind.ARTIFACT_BYTES, own.project_id, content.size_bytes)
        self.store.write(own.project_id, sha256, content.file)
        row = {
            "attempt_id": own.attempt_id,
            "member": own.index,
            "sha256": sha256,
            "project_id": own.project_id,
            "name": name,
            "media_type": media_type,
            "size_bytes": content.size_bytes,
            "created_at": self.clock.now(),
        }
        self.repository.insert_new(Artifact, [row])
        return True

    def _require_room(self, own: AttemptMember, size: int) -> None:
        left = [one for one in self.repository.artifacts(own.attempt_id) if one.member == own.index]
        if len(left) >= MOST_FILES:
            raise BodyTooLarge(f"a machine may leave {MOST_FILES} files of an attempt")
        most = self.settings.attempt_file_mebibytes
        if sum(one.size_bytes for one in left) + size > most * MEBIBYTE:
            raise BodyTooLarge(f"all files of an attempt may have {most} MiB on each machine")

    def find(self, attempt_id: UUID, sha256: str) -> Artifact:
        """A file of an attempt.

        :raises ResultNotThere: when the attempt left no such file.
        """
        for item in self.repository.artifacts(attempt_id):
            if item.sha256 == sha256:
                return item
        raise ResultNotThere(f"the run left no file {sha256[:12]}…")

    def pieces(self, item: Artifact) -> Iterator[bytes]:
        """A file's content, a piece at a time; it is opened before this returns.

        :raises ResultNotThere: when the content is not there any more.
        """
        try:
            return self.store.pieces(item.project_id, item.sha256)
        except FileNotFoundError as error:
            raise ResultNotThere(f"what {item.name} held is not there any more") from error
