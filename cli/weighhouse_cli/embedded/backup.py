"""Takes an embedded platform along in one file, and sets one up from it.

The database is dumped in one snapshot while everything runs. Files of runs are copied afterwards:
each is written before its row, and none is ever removed, so that all that the snapshot names are
there. Redis is left out: what it held is found again within a sweep.
"""

import contextlib
import datetime
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import LiteralString
from urllib.parse import quote

import psycopg
from alembic.config import Config
from alembic.script import ScriptDirectory
from psycopg import sql

from weighhouse_cli.embedded.archive import FORMAT, BackupManifest, unpack, writing
from weighhouse_cli.embedded.binaries import postgres_directory
from weighhouse_cli.embedded.directory import AGENT, FORMER_KEYS, KEY, PlatformDirectory
from weighhouse_cli.embedded.errors import DirectoryInUse, PlatformError
from weighhouse_cli.embedded.servers import SERVER_USER, postgres
from weighhouse_cli.embedded.supervisor import Supervisor
from weighhouse_cli.resources import resource

DUMP = "database.dump"
ARTIFACTS = "artifacts"
SECRETS = (KEY, FORMER_KEYS, "admin-password", "first-user.json")
"""What people and files rely on; passwords of the platform's own servers are drawn anew."""
AGENT_FILES = ("identity.json", "policy.toml", "instance.json")
_HASH = re.compile("[0-9a-f]{64}").fullmatch
_ROLES: LiteralString = (
    "SELECT rolname FROM pg_roles WHERE NOT rolcanlogin AND rolname !~ '^pg_' ORDER BY rolname"
)


def back_up(path: Path, target: Path) -> BackupManifest:
    """Write what a platform has into one file, while it runs or while it is stopped.

    :param path: the platform's data directory.
    :param target: must not be there yet; only its owner may read it, for it holds secrets.
    :raises PlatformError: when there is no platform, or something cannot be read or written; then
        nothing is at `target`.
    """
    directory = PlatformDirectory(path)
    if not (directory.folder("postgresql") / "PG_VERSION").exists():
        raise PlatformError(f"no embedded platform's data lies in {directory.path}")
    with writing(target) as archive, database_of(directory) as url:
        taken_at = datetime.datetime.now(datetime.UTC)
        with tempfile.TemporaryDirectory(dir=target.absolute().parent, prefix=".backup-") as folder:
            dump = Path(folder) / DUMP
            _program("pg_dump", url, "--format=custom", f"--file={dump}")
            archive.add(dump, DUMP)
        for name in SECRETS:
            if (kept := directory.folder("secrets") / name).exists():
                archive.add(kept, f"secrets/{name}")
        for name in AGENT_FILES:
            if (kept := directory.folder(AGENT) / name).exists():
                archive.add(kept, f"{AGENT}/{name}")
        for file in _artifacts(directory.folder(ARTIFACTS)):
            archive.add(file, f"{ARTIFACTS}/{file.relative_to(directory.folder(ARTIFACTS))}")
        return archive.finish(
            BackupManifest(
                format=FORMAT,
                taken_at=taken_at,
                version=version("weighhouse-backend"),
                migration=_column(url, "SELECT version_num FROM alembic_version")[0],
                roles=_column(url, _ROLES),
            )
        )


def restore(source: Path, path: Path) -> BackupManifest:
    """Set a platform up from a backup, stopped; its next start migrates it, if it was older.

    Everybody's logins end. People's passwords, tokens and agents hold on.

    :param path: data directory of the new platform; must not be there, or be empty.
    :raises PlatformError: when it holds something, when the file is no whole backup, or was taken
        by a newer release; then nothing was left behind.
    """
    target = path.absolute()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise PlatformError(
            f"{target} is not empty; a backup is restored into an installation of its own: name "
            "another --data-dir"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-restored-"))
    try:
        manifest = _fill(PlatformDirectory(draft), source)
        (draft / "lock").unlink(missing_ok=True)
        if target.exists():
            target.rmdir()
        draft.rename(target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return manifest


def _fill(directory: PlatformDirectory, source: Path) -> BackupManifest:
    unpacked = directory.folder("unpacked")
    unpacked.mkdir(mode=0o700)
    manifest = unpack(source, unpacked)
    _require_known(manifest)
    with database_of(directory) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            for role in manifest.roles:
                with contextlib.suppress(psycopg.errors.DuplicateObject):
                    connection.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(role)))
        _program(
            "pg_restore", url,
            "--exit-on-error", "--single-transaction", "--no-owner", str(unpacked / DUMP),
        )  # fmt: skip
        with psycopg.connect(url) as connection:
            connection.execute("DELETE FROM login_sessions")
    for name in ("secrets", ARTIFACTS, AGENT):
        if (unpacked / name).exists():
            shutil.copytree(unpacked / name, directory.folder(name), dirs_exist_ok=True)
    if directory.folder(AGENT).exists():
        directory.folder(AGENT).chmod(0o711)
    shutil.rmtree(unpacked)
    return manifest


def _require_known(manifest: BackupManifest) -> None:
    config = Config(str(resource("migrations") / "alembic.ini"))
    known = {one.revision for one in ScriptDirectory.from_config(config).walk_revisions()}
    if manifest.migration not in known:
        raise PlatformError(
            f"the backup's tables are of migration {manifest.migration} (release "
            f"{manifest.version}), which this release does not know; restore it with that release "
            "or a newer one"
        )


@contextmanager
def database_of(directory: PlatformDirectory) -> Iterator[str]:
    """The database of a platform, for its owner: of the one that runs, else started meanwhile."""
    with ExitStack() as stack:
        try:
            stack.enter_context(directory)
        except DirectoryInUse:
            port = directory.remembered()["ports"]["postgresql"]
        else:
            port = stack.enter_context(_started(directory))
        password = quote(directory.secret("postgresql"))
        yield f"postgresql://{SERVER_USER}:{password}@127.0.0.1:{port}/postgres"


@contextmanager
def _started(directory: PlatformDirectory) -> Iterator[int]:
    """PostgreSQL alone, in a directory that is ours; its port."""
    supervisor, port = Supervisor(), directory.port("postgresql")
    server = postgres(
        directory.folder("postgresql"), directory.folder("logs"), directory.folder("parts"), port,
        directory.secret("postgresql"),
    )  # fmt: skip
    try:
        supervisor.start(server.plan)
        yield port
    finally:
        supervisor.stop()


def _program(name: str, url: str, *arguments: str) -> None:
    parts = psycopg.conninfo.conninfo_to_dict(url)
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("PG")},
        "PGPASSWORD": str(parts["password"]),  # never among the arguments, which all may read
    }
    done = subprocess.run(
        [
            str(postgres_directory() / name), "--host", str(parts["host"]), "--port",
            str(parts["port"]), "--username", str(parts["user"]), "--dbname",
            str(parts["dbname"]), *arguments,
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    if done.returncode != 0:
        reason = "\n".join(done.stderr.splitlines()[-8:])
        raise PlatformError(f"{name} failed with status {done.returncode}:\n{reason}")


def _column(url: str, question: LiteralString) -> list[str]:
    with psycopg.connect(url) as connection:
        return [str(row[0]) for row in connection.execute(question)]


def _artifacts(folder: Path) -> Iterator[Path]:
    """Files that are whole: their names are their hashes."""
    return (file for file in sorted(folder.rglob("*")) if file.is_file() and _HASH(file.name))
