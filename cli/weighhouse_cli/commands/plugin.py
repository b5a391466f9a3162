"""`weighhouse plugin`: what this machine's plugins are, and the beginning of a new one."""

import datetime
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from weighhouse_protocol.manifest import load_manifest
from weighhouse_sdk.registry import discover
from weighhouse_sdk.testkit.exercises import Exercises

from weighhouse_cli.commands.options import AsJson
from weighhouse_cli.console import ERROR, OUT, print_json
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.skeleton import DriverChoice, SkeletonRefused, write_skeleton
from weighhouse_cli.skeleton.lists import enlist

app = typer.Typer(
    help="What this machine's plugins are; write a new one, test one.", no_args_is_help=True
)


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
    driver: Annotated[
        DriverChoice, typer.Option(help="resp: the driver of Redis' protocol; own: a new crate.")
    ] = "resp",
) -> None:
    """Write the skeleton of a plugin, and name it where all plugins are named.

    It runs redis-server, and passes its tests, until it is changed.
    """
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    try:
        written = write_skeleton(name, folder, today, driver)
    except SkeletonRefused as error:
        raise CommandFailed(Exit.INVALID, str(error)) from error
    manifest = load_manifest(written / f"weighhouse_plugin_{name}" / "plugin.toml")
    OUT.print(f"wrote {written}: it runs redis-server until you change it")
    for path in enlist(name, manifest.name, manifest.driver.id, folder.parent):
        OUT.print(f"named it in {path}")
    OUT.print("now (docs/plugins tells what to change, and in which order):")
    # The first build writes a new crate into Cargo.lock; after that `make install` builds it.
    build = [f"make driver NAME={name}"] if driver == "own" else []
    steps = ["make env systems", *build, f".venv/bin/weighhouse plugin test {name}"]
    for step in steps:
        OUT.print(f"  {step}", soft_wrap=True)


@app.command("test")
def hold_plugin(
    name: Annotated[str, typer.Argument(help="The plugin's identifier, for example redis.")],
    folder: Annotated[
        Path, typer.Option(help="The folder that holds the plugins' folders.")
    ] = Path("plugins"),
    only: Annotated[str, typer.Option("-k", help="Only tests whose name has this.")] = "",
) -> None:
    """Hold a plugin against the real system: its own tests, the conformance kit among them.

    Ends with 0 when all passed, 1 when one failed. Tests that this machine cannot run are told with
    what they need.
    """
    tests = folder / name / "tests"
    if not tests.is_dir():
        known = sorted(path.parent.name for path in folder.glob("*/tests"))
        raise CommandFailed(
            Exit.INVALID,
            f"there is no {tests}; there are: {', '.join(known) or 'none'}. Call it in the working "
            "copy that has the plugin's folder, or name the folder by --folder",
        )
    with tempfile.NamedTemporaryFile(suffix=".json") as record:
        chosen = ["-k", only] if only else []
        done = subprocess.run(
            [
                sys.executable, "-m", "pytest", "-v", "--tb=short", "--exercised", record.name,
                *chosen, str(tests),
            ],
            check=False,
        )  # fmt: skip
        written = Path(record.name).read_text(encoding="utf-8")
    if written:
        print_exercised(Exercises.model_validate_json(written))
    if done.returncode != 0:
        raise CommandFailed(Exit.REGRESSION, f"the plugin {name} does not hold what it must")


def print_exercised(found: Exercises) -> None:
    """What was really set up, and what was left out for which reason."""
    table = Table(box=None, header_style="dim")
    for column in ("system", "deployment", "nodes", "version", "tests passed"):
        table.add_column(column)
    for each in found.exercised:
        version = f"{each.version} ({each.stand_in})" if each.stand_in else each.version
        table.add_row(each.plugin, each.deployment, str(each.nodes), version, str(each.tests))
    OUT.print(table)
    for left in found.not_run:
        ERROR.print(f"not run: {left.tests} tests: {left.reason}", style="yellow", markup=False)
