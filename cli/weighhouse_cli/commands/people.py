"""`weighhouse people`: what only whoever keeps the embedded platform may do for people."""

import os
import subprocess
import sys
from typing import Annotated

import typer

from weighhouse_cli.commands.options import DataDirectory
from weighhouse_cli.console import OUT
from weighhouse_cli.embedded.backup import database_of
from weighhouse_cli.embedded.directory import PlatformDirectory, default_directory
from weighhouse_cli.embedded.errors import PlatformError
from weighhouse_cli.embedded.platform import REPOSITORY
from weighhouse_cli.exits import CommandFailed, Exit

NOBODY = 4
"""The program's word for: no such person, or no second factor."""
app = typer.Typer(help="People of the embedded platform, on its own machine.", no_args_is_help=True)


@app.callback()
def people() -> None:
    """People of the embedded platform, on its own machine."""


@app.command("reset-factor")
def reset_factor(
    email: Annotated[str, typer.Argument(help="Whose.", show_default=False)],
    data_dir: DataDirectory = None,
) -> None:
    """Take a person's second factor off who lost authenticator and recovery codes, whether the
    platform runs or is stopped.

    All their logins end; their password alone signs them in then. It stands in the audit log.
    """
    directory = PlatformDirectory(data_dir or default_directory())
    if not (directory.folder("postgresql") / "PG_VERSION").exists():
        raise PlatformError(f"no embedded platform's data lies in {directory.path}")
    with database_of(directory) as url:
        kept = {key: one for key, one in os.environ.items() if not key.startswith("WEIGHHOUSE_")}
        done = subprocess.run(
            [sys.executable, "-m", "weighhouse_backend.app.reset_factor", email],
            cwd=REPOSITORY,
            env={
                **kept,
                "WEIGHHOUSE_DATABASE_URL": url.replace("postgresql:", "postgresql+psycopg:", 1),
                "WEIGHHOUSE_REDIS_URL": "redis://127.0.0.1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode == NOBODY:
        raise CommandFailed(Exit.INVALID, done.stderr.strip())
    if done.returncode != 0:
        reason = "\n".join(done.stderr.splitlines()[-8:])
        raise PlatformError(f"the second factor was not reset:\n{reason}")
    OUT.print(f"{email}: the password alone signs in; all logins have ended.", soft_wrap=True)
