"""`weighhouse plugin`: what this machine's plugins are."""

import typer
from rich.table import Table
from weighhouse_sdk.registry import discover

from weighhouse_cli.commands.options import AsJson
from weighhouse_cli.console import ERROR, OUT, print_json

app = typer.Typer(help="What this machine's plugins are.", no_args_is_help=True)


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
