"""`weighhouse login`: a job of a CI service gets a token for the commands after it."""

import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from weighhouse_cli.client import platform_url
from weighhouse_cli.commands.options import Url
from weighhouse_cli.console import ERROR
from weighhouse_cli.embedded.directory import PlatformDirectory, default_directory
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.pipelines import pipeline_of


def login(
    ci: Annotated[
        bool, typer.Option("--ci", help="By the word of the CI service that runs this job.")
    ] = False,
    trust: Annotated[
        str | None, typer.Option(help="Id of the project's trust; default: WEIGHHOUSE_TRUST.")
    ] = None,
    url: Url = None,
) -> None:
    """Get a token for a trusted pipeline. In GitHub Actions the steps after this one have it; else
    take it over: `eval "$(weighhouse login --ci)"`.
    """
    if not ci:
        raise CommandFailed(
            Exit.INVALID,
            "people sign in in the browser; here a token is made (`weighhouse token create`), or "
            "got by a trusted pipeline (`weighhouse login --ci`)",
        )
    address = platform_url(url, PlatformDirectory(default_directory()))
    pipeline = pipeline_of(address, os.environ, trust)
    if pipeline is None:
        raise CommandFailed(
            Exit.INVALID, "which trust? give --trust or WEIGHHOUSE_TRUST: Settings → API tokens"
        )
    made = pipeline.exchange()
    _hand_over(made["token"])
    ERROR.print(f"in until {made['expires_at']}, as {made['role']}", soft_wrap=True)


TOKEN = re.compile(r"[A-Za-z0-9_.-]+")


def _hand_over(token: str) -> None:
    if not TOKEN.fullmatch(token):  # a shell or the job's environment reads it next
        raise CommandFailed(Exit.INFRASTRUCTURE, "the platform answered with what is no token")
    kept = os.environ.get("GITHUB_ENV")
    if kept:
        sys.stdout.write(f"::add-mask::{token}\n")
        with Path(kept).open("a", encoding="utf-8") as file:
            file.write(f"WEIGHHOUSE_TOKEN={token}\n")
    else:
        sys.stdout.write(f"export WEIGHHOUSE_TOKEN={token}\n")
