"""What a bucket's settings have to be, so that a store can be asked at all."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

URL = "WEIGHHOUSE_ARTIFACT_S3_URL"
HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?|[0-9a-f:.]+", re.ASCII)
AMAZON = re.compile(r"(.*\.)?amazonaws\.com(\.cn)?")
AMAZONS_STORE = re.compile(
    r"(s3[.-]|ec2-|.*\.s3-control[.-]|(bucket|accesspoint)\.vpce-|.*\.elb\.).+"
)
BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{1,61}[A-Za-z0-9]", re.ASCII)
NOT_IN_BUCKETS = re.compile(r"\.\.|\.-|-\.|-s3alias\Z|--ol-s3\Z|^\d+\.\d+\.\d+\.\d+\Z")


def insist_on_bucket(url: str) -> str:
    """An address `https://HOST/BUCKET` or `https://HOST/BUCKET/PREFIX`.

    :raises ValueError: with what is wrong with it.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ValueError(f"{URL}: {error}") from error
    if not HOST.fullmatch(host) or port == 0:
        raise ValueError(f"{URL}: {parts.netloc} is no host, nor one with a port of 1 to 65535")
    if AMAZON.fullmatch(host) and not AMAZONS_STORE.fullmatch(host):
        raise ValueError(
            f"{URL}: {host} is no store of Amazon's; s3.REGION.amazonaws.com is, with the bucket "
            "behind it"
        )
    bucket, *prefix = parts.path.strip("/").split("/")
    if not BUCKET.fullmatch(bucket) or NOT_IN_BUCKETS.search(bucket):
        raise ValueError(
            f"{URL}: {bucket!r} is no bucket's name: 3 to 63 letters of a to z, digits, "
            "hyphens and single dots"
        )
    if {"", ".", ".."} & set(prefix):
        raise ValueError(f"{URL}: the prefix has an empty part, or one of dots alone")
    return url


def insist_on_keys(key: str | None, secret: SecretStr | None, file: Path | None) -> None:
    """Who asks a store, and a secret or a file that holds one.

    :raises ValueError: with what is missing.
    """
    if not (key or "").strip():
        raise ValueError(f"WEIGHHOUSE_ARTIFACT_S3_ACCESS_KEY is missing, which {URL} takes")
    if secret is None and file is None:
        raise ValueError(
            f"WEIGHHOUSE_ARTIFACT_S3_SECRET_KEY or …_FILE is missing, which {URL} takes"
        )
    if secret is not None:
        name, told = "WEIGHHOUSE_ARTIFACT_S3_SECRET_KEY", secret.get_secret_value()
    elif file is not None:
        name = "WEIGHHOUSE_ARTIFACT_S3_SECRET_KEY_FILE"
        try:
            told = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{name}: {file} cannot be read: {error}") from error
    if not told.strip():
        raise ValueError(f"{name} is empty")
