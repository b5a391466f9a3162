"""Where contents of files lie: a directory that all backends and workers see, or a bucket."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol
from urllib.parse import urlsplit
from uuid import UUID

from weighhouse_backend.files.directory import ArtifactDirectory
from weighhouse_backend.kit.late import late
from weighhouse_backend.kit.settings import Settings

if TYPE_CHECKING:
    from weighhouse_backend.files import bucket
else:
    bucket = late("weighhouse_backend.files.bucket")


class ArtifactStore(Protocol):
    """Contents by project and hash; what is written is there whole or not at all."""

    def write(self, project_id: UUID, sha256: str, content: BinaryIO) -> None:
        """Keep a content, from its beginning on; repeatable."""
        ...

    def remove(self, project_id: UUID, sha256: str) -> None:
        """Remove a content; repeatable."""
        ...

    def local(self, project_id: UUID, sha256: str) -> Path | None:
        """Where a content lies on this machine's disks; None: it is not there."""
        ...

    def pieces(self, project_id: UUID, sha256: str) -> Iterator[bytes]:
        """A content, a piece at a time; it is opened before this returns.

        :raises FileNotFoundError: when it is not there.
        """
        ...


def store_of(settings: Settings) -> ArtifactStore:
    """The installation's store. What a directory held before there was a bucket is read from it."""
    directory = ArtifactDirectory(settings.artifact_dir)
    if settings.artifact_s3_url is None:
        return directory
    secret = settings.artifact_s3_secret_key
    return _bucket(
        settings.artifact_s3_url, settings.artifact_s3_region,
        settings.artifact_s3_access_key or "", secret.get_secret_value().strip() if secret else "",
        directory,
    )  # fmt: skip


@lru_cache(maxsize=4)
def _bucket(
    url: str, region: str, access_key: str, secret_key: str, former: ArtifactDirectory
) -> "bucket.ArtifactBucket":
    """One for each process, for it holds connections."""
    address = urlsplit(url)
    name, _, prefix = address.path.strip("/").partition("/")
    client = bucket.open_bucket(
        address.netloc, address.scheme == "https", region, access_key, secret_key
    )
    return bucket.ArtifactBucket(client, name, f"{prefix}/" if prefix else "", former)
