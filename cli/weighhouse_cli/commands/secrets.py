"""`weighhouse secrets`: the embedded platform's secret key, drawn anew and forgotten."""

from typing import Annotated

import typer

from weighhouse_cli.commands.options import DataDirectory
from weighhouse_cli.console import OUT
from weighhouse_cli.embedded.directory import PlatformDirectory, default_directory

app = typer.Typer(
    help="The embedded platform's secret key, which signs links and seals stored secrets.",
    no_args_is_help=True,
)


@app.command()
def rotate(data_dir: DataDirectory = None) -> None:
    """Draw the secret key anew, while the platform is stopped.

    What the former one sealed and signed holds: it is kept until `weighhouse secrets forget`, and
    once the platform is started its worker seals all anew.
    """
    with PlatformDirectory(data_dir or default_directory()) as directory:
        directory.rotate_key()
        OUT.print(
            f"{directory.path}: the secret key is new. Start the platform with weighhouse up. When "
            f"{directory.log('worker')} says no_former_secret_is_needed, weighhouse secrets forget "
            "removes the former one.",
            soft_wrap=True,
        )


@app.command()
def forget(
    data_dir: DataDirectory = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove the former secret keys, while the platform is stopped.

    Invitations and reply links that they signed end. What they sealed and the worker has not sealed
    anew yet cannot be read any more: look for no_former_secret_is_needed in the worker's log first.
    """
    with PlatformDirectory(data_dir or default_directory()) as directory:
        if not yes:
            typer.confirm(
                "Has the worker's log said no_former_secret_is_needed since the last rotation?",
                abort=True,
            )
        directory.forget_former_keys()
        OUT.print(f"{directory.path}: the former secret keys are gone.", soft_wrap=True)
