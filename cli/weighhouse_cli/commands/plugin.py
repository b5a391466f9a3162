"""`weighhouse plugin`: what this machine's plugins are, and the beginning of a new one."""

import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from weighhouse_sdk.registry import discover

from weighhouse_cli.commands.options import AsJson
from weighhouse_cli.console import ERROR, OUT, print_json
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.skeleton import SkeletonRefused, write_skeleton

app = typer.Typer(help="What this machine's plugins are; write a new one.", no_args_is_help=True)


@app.command("list")
def list_plugins(as_json: AsJson = False) -> None:
    """The plugins installed here, with what they can do."""
    plugins, broken = discover()
    manifests = [plugin.manifest for _, plugin in sorted(plugins.items())]
    for name, reason in sorted(broken.items()):
        ERROR.print(f"{name}: {reason}", style="yellow", soft_wrap=True, markup=False)
    if as_json:
        print_json([manifest.model_dump(mode="json") for manifest in manifests])
        return
    table = Table(box=None, header_style="dim")
    for column in ("id", "version", "system", "operations", "deployments"):
        table.add_column(column)
    for manifest in manifests:
        table.add_row(
            manifest.id, manifest.version, manifest.name,
            ", ".join(manifest.operations), ", ".join(manifest.deployments),
        )  # fmt: skip
    OUT.print(table)


@app.command("new")
def new_plugin(
    name: Annotated[str, typer.Argument(help="The system's identifier, for example etcd.")],
    folder: Annotated[
        Path, typer.Option(help="The folder that holds the plugins' folders.")
    ] = Path("plugins"),
) -> None:
    """Write the skeleton of a plugin: complete, like all others, and ready to be changed."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    try:
        written = write_skeleton(name, folder, today)
    except SkeletonRefused as error:
        raise CommandFailed(Exit.INVALID, str(error)) from error
    OUT.print(f"wrote {written}; change what differs, name it in pyproject.toml, `make env`, then")
    OUT.print(f"  .venv/bin/python -m pytest {written} tests/architecture/test_plugins.py")
