"""`weighhouse dev`: for those who develop Weighhouse itself."""

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from weighhouse_protocol.manifest import Manifest
from weighhouse_sdk.registry import discover

from weighhouse_cli.commands.options import DataDirectory
from weighhouse_cli.commands.platform import Port, running, wait
from weighhouse_cli.console import OUT
from weighhouse_cli.embedded.directory import DEFAULT_PORT, PlatformDirectory, default_directory
from weighhouse_cli.embedded.environment import settings_of_running
from weighhouse_cli.embedded.errors import PlatformError
from weighhouse_cli.embedded.platform import Platform

app = typer.Typer(
    help="For those who develop Weighhouse: a platform with much on it, a shell.",
    no_args_is_help=True,
)
PROGRAM = ("-m", "weighhouse_worker.seeding")
SHELL = ("-m", "weighhouse_worker.shell")


class Scale(StrEnum):
    """How much is invented."""

    FULL = "full"
    SMALL = "small"
    SIDES = "sides"
    LONG = "long"
    DOUBTFUL = "doubtful"


@app.callback()
def dev() -> None:
    """For those who develop Weighhouse: a platform with much on it, a shell."""


@app.command("seed")
def seed(
    scale: Annotated[
        Scale,
        typer.Option(
            help="full: eight sides at six levels, histories of 60 and 200 campaigns, runs of an "
            "hour and of twelve; some minutes. small: a little of each. sides: one comparison of "
            "three sides, at three levels of two workloads. long: the run of twelve hours alone. "
            "doubtful: a slow night, a machine replaced, noise that grew, stalls."
        ),
    ] = Scale.FULL,
    once: Annotated[bool, typer.Option(help="End when everything is there.")] = False,
    port: Port = DEFAULT_PORT,
    data_dir: DataDirectory = None,
) -> None:
    """Fill a platform with invented campaigns, and keep it up until interrupted.

    The figures come out of a formula, and every experiment says so. They go into a directory of
    their own unless --data-dir names another, so that they never stand among measured ones.
    """
    directory = data_dir or default_directory().with_name("weighhouse-invented")
    with running(port, directory, agent=False) as (platform, interrupted):
        OUT.print(f"inventing ({scale})", style="dim")
        count = invent(platform, scale)
        OUT.print(f"{count} campaigns were invented; look at {platform.url}", soft_wrap=True)
        if not once:
            wait(interrupted)


@app.command("shell")
def shell(
    write: Annotated[
        bool, typer.Option("--write", help="Allow to write; else the database refuses.")
    ] = False,
    data_dir: DataDirectory = None,
) -> None:
    """A Python prompt over the database of a platform that runs: services, tables, settings.

    It takes the place of this command; what it holds is told at its start.
    """
    directory = PlatformDirectory(data_dir or default_directory())
    if not directory.in_use():
        raise PlatformError(
            f"no platform runs on {directory.path}: start one with `make dev`, or name the "
            "directory of one with --data-dir or WEIGHHOUSE_DATA_DIR"
        )
    os.chdir(directory.path)
    os.execve(  # noqa: S606 - the prompt takes this process's place, terminal and all
        sys.executable,
        [sys.executable, *SHELL, *(["--write"] if write else [])],
        settings_of_running(directory),
    )


def invent(platform: Platform, scale: Scale) -> int:
    """Fill a running platform; how many campaigns that were.

    :raises PlatformError: when it cannot be filled, with what the program said last.
    """
    with tempfile.TemporaryDirectory(prefix="weighhouse-dev-") as folder:
        file = Path(folder) / "manifests.json"
        file.write_text(json.dumps([one.model_dump(mode="json") for one in manifests()]))
        said = platform.run(
            "invented campaigns", *PROGRAM, "--manifests", str(file), "--scale", scale
        )
    return int(json.loads(said.splitlines()[-1])["campaigns"])


def manifests() -> Sequence[Manifest]:
    """Of every plugin that is installed."""
    plugins, _ = discover()
    return [plugin.manifest for plugin in plugins.values()]
