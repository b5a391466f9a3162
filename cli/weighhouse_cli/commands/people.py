"""`weighhouse people`: what only whoever keeps the embedded platform may do for people."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from weighhouse_cli.commands.options import DataDirectory
from weighhouse_cli.console import OUT
from weighhouse_cli.embedded.backup import database_of
from weighhouse_cli.embedded.directory import PlatformDirectory, default_directory
from weighhouse_cli.embedded.errors import PlatformError
from weighhouse_cli.exits import CommandFailed, Exit

REFUSED = 4
"""The programs' word for: no such person, or it cannot be; they say why."""
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
    _on_the_machine(data_dir, "reset_factor", email, failed="the second factor was not reset")
    OUT.print(f"{email}: the password alone signs in; all logins have ended.", soft_wrap=True)


@app.command()
def forget(
    email: Annotated[str, typer.Argument(help="Whom.", show_default=False)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data_dir: DataDirectory = None,
) -> None:
    """Forget a person who asks for it, whether the platform runs or is stopped.

    They are removed with memberships, logins, tokens and factors. What they did stays, under a
    pseudonym in place of name and address; backups from before keep what they have.
    """
    would = json.loads(
        _on_the_machine(data_dir, "forget_person", email, "--dry-run", failed="nothing was done")
    )
    verb = "would be" if dry_run else "will be"
    told = f"{would['name']} <{email}> {verb} {would['pseudonym']} from now on:"
    OUT.print(told, markup=False, soft_wrap=True)
    OUT.print(f"  organizations: {', '.join(would['organizations']) or 'none'}", markup=False)
    OUT.print(f"  entries of the audit log that change: {would['entries']}")
    OUT.print(f"  other rows that tell the name: {would['rows']}")
    OUT.print(f"  invitations to that address: {would['invitations']}")
    for name in would["left"]:
        OUT.print(f"  {name}: a namesake is there, rows without an id keep the name", markup=False)
    if dry_run:
        return
    if not yes:
        typer.confirm("This cannot be undone. Go on?", abort=True)
    _on_the_machine(data_dir, "forget_person", email, failed="nothing was done")
    OUT.print("forgotten")


def _on_the_machine(data_dir: Path | None, program: str, *arguments: str, failed: str) -> str:
    """Run one of the backend's programs as the owner of the platform's tables; what it says."""
    directory = PlatformDirectory(data_dir or default_directory())
    if not (directory.folder("postgresql") / "PG_VERSION").exists():
        raise PlatformError(f"no embedded platform's data lies in {directory.path}")
    with database_of(directory) as url:
        kept = {key: one for key, one in os.environ.items() if not key.startswith("WEIGHHOUSE_")}
        done = subprocess.run(
            [sys.executable, "-m", f"weighhouse_backend.app.{program}", *arguments],
            cwd=directory.path,
            env={
                **kept,
                "PYTHONSAFEPATH": "1",
                "WEIGHHOUSE_DATABASE_URL": url.replace("postgresql:", "postgresql+psycopg:", 1),
                "WEIGHHOUSE_REDIS_URL": "redis://127.0.0.1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode == REFUSED:
        raise CommandFailed(Exit.INVALID, done.stderr.strip())
    if done.returncode != 0:
        reason = "\n".join(done.stderr.splitlines()[-8:])
        raise PlatformError(f"{failed}:\n{reason}")
    return done.stdout
