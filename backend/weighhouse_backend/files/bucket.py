"""Contents of files in a bucket of an S3-compatible store, by the library minio."""

import io
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import BoundedSemaphore
from typing import BinaryIO
from uuid import UUID
from xml.etree.ElementTree import ParseError

import urllib3
from minio import Minio
from minio.error import MinioException, S3Error
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError
from urllib3.util import Retry, Timeout

from weighhouse_backend.files.directory import PIECE_BYTES, ArtifactDirectory
from weighhouse_backend.measurements.errors import FilesAway

CONNECT_SECONDS, READ_SECONDS = 5.0, 10.0
"""Of connecting, and of sending five megabytes; and of each read."""
TRIES_AGAIN = 1
MOST_AT_ONCE = 6
"""Whoever asks holds a transaction and a connection meanwhile: those that a process has are more,
so that a store that hangs keeps nobody waiting who wants no file."""
TURN_SECONDS = 1.0
"""How long one more waits until it is told to come again."""
NOT_THERE = frozenset({"NoSuchKey", "NoSuchObject"})
FORBIDDEN = "AccessDenied"
BROKEN = (MinioException, HTTPError, OSError, ValueError, ParseError)
"""What asking ends with where nobody answers, or something else than a store does."""


def open_bucket(host: str, secure: bool, region: str, access_key: str, secret_key: str) -> Minio:
    """Whoever speaks to a store; it is not asked yet.

    :param host: with its port, if it is another than usual.
    """
    again = Retry(total=TRIES_AGAIN, backoff_factor=0.2, status_forcelist=[500, 502, 503, 504])
    pool = urllib3.PoolManager(
        timeout=Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS), retries=again, maxsize=16
    )
    return Minio(
        host, access_key=access_key, secret_key=secret_key, secure=secure, region=region,
        http_client=pool,
    )  # fmt: skip


@dataclass(frozen=True)
class ArtifactBucket:
    """Content in a bucket, by project and hash; below it the directory that held it before."""

    client: Minio
    bucket: str
    prefix: str
    former: ArtifactDirectory
    turns: BoundedSemaphore = field(
        default_factory=lambda: BoundedSemaphore(MOST_AT_ONCE), compare=False
    )

    def local(self, project_id: UUID, sha256: str) -> Path | None:
        """Where a content lies in the former directory; None: it is not there."""
        return self.former.local(project_id, sha256)

    def pieces(self, project_id: UUID, sha256: str) -> Iterator[bytes]:
        """A content of the bucket, a piece at a time; the store answers before this returns.

        :raises FileNotFoundError: when it is not there.
        :raises FilesAway: also between two pieces.
        """
        with self._turn():
            try:
                answer = self.client.get_object(self.bucket, self._key(project_id, sha256))
            except S3Error as error:
                if error.code in NOT_THERE:
                    raise FileNotFoundError(sha256) from error
                raise
        return _pieces(answer)

    def write(self, project_id: UUID, sha256: str, content: BinaryIO) -> None:
        """Keep a content; repeatable. Raises FilesAway."""
        if self._in_bucket(project_id, sha256):
            return
        length = content.seek(0, io.SEEK_END)
        content.seek(0)
        with self._turn():
            self.client.put_object(self.bucket, self._key(project_id, sha256), content, length)

    def remove(self, project_id: UUID, sha256: str) -> None:
        """Remove a content, from the former directory too; repeatable. Raises FilesAway."""
        with self._turn():
            self.client.remove_object(self.bucket, self._key(project_id, sha256))
        self.former.remove(project_id, sha256)

    def _in_bucket(self, project_id: UUID, sha256: str) -> bool:
        """As far as the store says: of what is not there a key that may not list hears that it is
        forbidden. If all else is, too, writing tells.
        """
        with self._turn():
            try:
                self.client.stat_object(self.bucket, self._key(project_id, sha256))
            except S3Error as error:
                if error.code in NOT_THERE or error.code == FORBIDDEN:
                    return False
                raise
        return True

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self.turns.acquire(timeout=TURN_SECONDS):
            raise FilesAway("the store of files answers slowly, and many wait for it")
        try:
            with _reaching():
                yield
        finally:
            self.turns.release()

    def _key(self, project_id: UUID, sha256: str) -> str:
        return f"{self.prefix}{project_id}/{sha256[:2]}/{sha256}"


def _pieces(answer: BaseHTTPResponse) -> Iterator[bytes]:
    with _reaching(), closing(answer):
        yield from answer.stream(PIECE_BYTES)
        answer.release_conn()


@contextmanager
def _reaching() -> Iterator[None]:
    """What keeps a store from answering, without its address and words: they are the operator's."""
    try:
        yield
    except FileNotFoundError:
        raise
    except S3Error as error:
        raise FilesAway(f"the store of files answers {error.code}") from error
    except BROKEN as error:
        raise FilesAway("the store of files does not answer as one") from error
