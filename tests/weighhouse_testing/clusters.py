"""A PostgreSQL cluster that is initialized and migrated once, and copied for whoever wants one.

It lies in the cache under a digest of all that it is made of. That a start makes one of nothing is
tested where platforms start as users start them.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sqlalchemy import make_url
from weighhouse_backend.kit.database_login import ensure_login
from weighhouse_cli.embedded.binaries import postgres_directory
from weighhouse_cli.embedded.directory import PlatformDirectory, free_port
from weighhouse_cli.embedded.servers import APPLICATION_LOGIN, postgres
from weighhouse_cli.embedded.supervisor import Supervisor

from weighhouse_testing.tree import REPOSITORY

OWNER_PASSWORD, APPLICATION_PASSWORD = "not-a-secret", "no-secret-either"
DATA = "postgresql"
"""The cluster's directory, also in a platform's."""
MADE_OF = (
    "migrations", "backend/weighhouse_backend/kit", "cli/weighhouse_cli/embedded/servers.py",
    "tests/weighhouse_testing/clusters.py",
)  # fmt: skip
KEPT = 4


def lay_cluster(data: Path) -> None:
    """Put a migrated cluster where `servers.postgres` would initialize one.

    The tables lie in the database `postgres`; the owner's password is `OWNER_PASSWORD`, that of the
    application's login, which is there, `APPLICATION_PASSWORD`.

    :param data: the directory of the data, which is not there yet.
    """
    data.parent.mkdir(parents=True, exist_ok=True)
    _copy(_prepared(), data)


def lay_platform(home: Path) -> None:
    """Put a migrated cluster into a platform's directory, with the secrets that fit it."""
    directory = PlatformDirectory(home)
    with directory:
        lay_cluster(directory.folder(DATA))
        secrets = {DATA: OWNER_PASSWORD, APPLICATION_LOGIN: APPLICATION_PASSWORD}
        for name, secret in secrets.items():
            directory.keep(directory.folder("secrets") / name, secret)


def as_application(owner_url: str) -> str:
    """The address of a migrated database for the application's login, which is made if need be."""
    login = make_url(owner_url).set(username=APPLICATION_LOGIN, password=APPLICATION_PASSWORD)
    url = login.render_as_string(hide_password=False)
    ensure_login(owner_url, url)
    return url


def migrated(url: str) -> None:
    """Apply all migrations to a database."""
    done = subprocess.run(
        [sys.executable, "-m", "alembic", "-c", "migrations/alembic.ini", "upgrade", "head"],
        cwd=REPOSITORY,
        env={**os.environ, "WEIGHHOUSE_DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _prepared() -> Path:
    """The cluster in the cache; whoever comes first makes it, and others wait."""
    cache = Path(os.environ.get("WEIGHHOUSE_CACHE") or Path.home() / ".cache" / "weighhouse")
    folder = cache / "clusters"
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / _digest()
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            _make(place)
            known = [each for each in folder.iterdir() if each.is_dir()]
            for old in sorted(known, key=lambda one: one.stat().st_mtime)[:-KEPT]:
                shutil.rmtree(old, ignore_errors=True)
    return place


def _digest() -> str:
    """Of what a cluster is made of: the programs' version, and our own files."""
    version = subprocess.run(
        [postgres_directory() / "postgres", "--version"], capture_output=True, check=True
    ).stdout
    told = hashlib.sha256(version)
    for name in MADE_OF:
        path = REPOSITORY / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            told.update(str(file.relative_to(REPOSITORY)).encode() + b"\0" + file.read_bytes())
    return told.hexdigest()[:16]


def _make(place: Path) -> None:
    with tempfile.TemporaryDirectory(
        prefix="weighhouse-cluster-", ignore_cleanup_errors=True
    ) as at:
        work = Path(at)
        work.chmod(0o711)  # the server's account passes through
        server = postgres(work / DATA, work, work, free_port(), OWNER_PASSWORD, durable=False)
        supervisor = Supervisor()
        try:
            supervisor.start(server.plan)
            migrated(server.url)
            as_application(server.url)
        finally:
            supervisor.stop()
        part = place.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        _copy(work / DATA, part)
        part.rename(place)


def _copy(source: Path, target: Path) -> None:
    """All of it, whoever owns it."""
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)
