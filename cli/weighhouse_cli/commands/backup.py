"""`weighhouse backup` and `weighhouse restore`: the embedded platform in one file."""

from pathlib import Path
from typing import Annotated

import typer

from weighhouse_cli.commands.options import AsJson, DataDirectory
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.embedded import backup as backups
from weighhouse_cli.embedded.archive import BackupManifest
from weighhouse_cli.embedded.directory import default_directory

MEGABYTE = 1_000_000
File = Annotated[Path, typer.Argument(help="The backup.", show_default=False)]


def backup(file: File, data_dir: DataDirectory = None, as_json: AsJson = False) -> None:
    """Write everything that the embedded platform has into one file, while it runs or is stopped.

    The file holds secrets: the platform's key, the first user's password, the agent's token. Only
    its owner may read it.
    """
    directory = data_dir or default_directory()
    with OUT.status("dumping the database, copying files of runs") as status:
        if as_json:
            status.stop()
        manifest = backups.back_up(directory, file)
    if as_json:
        print_json(_facts(manifest))
        return
    OUT.print(f"{file}: {_size(manifest)}, as of {manifest.taken_at:%Y-%m-%d %H:%M:%S} UTC")
    OUT.print(
        "It holds the platform's secrets; keep it where nobody else reads. Look whether it can be "
        f"restored: weighhouse restore {file} --data-dir ELSEWHERE",
        style="dim",
        soft_wrap=True,
    )


def restore(file: File, data_dir: DataDirectory = None, as_json: AsJson = False) -> None:
    """Set up an embedded platform from a backup, in a data directory of its own; start it with up.

    A backup of an older release is migrated at that start. Everybody's logins end; passwords,
    tokens and agents hold on.
    """
    directory = data_dir or default_directory()
    with OUT.status("reading the backup, filling the database") as status:
        if as_json:
            status.stop()
        manifest = backups.restore(file, directory)
    if as_json:
        print_json(_facts(manifest))
        return
    OUT.print(
        f"{directory}: as of {manifest.taken_at:%Y-%m-%d %H:%M:%S} UTC, {_size(manifest)}, release "
        f"{manifest.version}",
        soft_wrap=True,
    )
    OUT.print(
        f"Start it: weighhouse up --data-dir {directory}. Its local agent is the same one as "
        "before: should the former platform still be up, stop that first.",
        style="dim",
        soft_wrap=True,
    )


def _size(manifest: BackupManifest) -> str:
    return f"{sum(one.bytes for one in manifest.members.values()) / MEGABYTE:,.1f} MB"


def _facts(manifest: BackupManifest) -> dict[str, object]:
    members = manifest.members
    return {
        "taken_at": manifest.taken_at.isoformat(),
        "version": manifest.version,
        "migration": manifest.migration,
        "files": len(members),
        "bytes": sum(one.bytes for one in members.values()),
    }
