"""`weighhouse plugin`: what this machine's plugins are, the beginning of a new one, and what wheels
of others are.
"""

import datetime
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from weighhouse_protocol.manifest import load_manifest
from weighhouse_sdk.errors import BinaryMissing
from weighhouse_sdk.registry import discover
from weighhouse_sdk.testkit.exercises import Exercises
from weighhouse_sdk.wheels.__main__ import described
from weighhouse_sdk.wheels.checked import WheelRefused, check_wheel
from weighhouse_sdk.wheels.driver_sources import sources as driver_sources

from weighhouse_cli.commands.options import AsJson
from weighhouse_cli.console import ERROR, OUT, print_json
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.resources import clone
from weighhouse_cli.skeleton import DriverChoice, SkeletonRefused, write_skeleton
from weighhouse_cli.skeleton.lists import enlist
from weighhouse_cli.skeleton.project import write_project

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
        Path | None,
        typer.Option(
            help="In a clone: the folder that holds the plugins' folders. Elsewhere: an empty "
            "folder for the project; default: this one."
        ),
    ] = None,
    driver: Annotated[
        DriverChoice | None,
        typer.Option(
            help="resp: the driver of Redis' protocol; own: a new crate. Default: resp in a clone, "
            "own elsewhere."
        ),
    ] = None,
) -> None:
    """Write the skeleton of a plugin: in a clone of Weighhouse as one of its own, and anywhere else
    as a project that builds, tests and packages itself.

    It runs redis-server, and passes its tests, until it is changed.
    """
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    plugins = folder or Path("plugins")
    try:
        if (plugins / "sdk" / "pyproject.toml").is_file():
            _in_clone(name, plugins, today, driver or "resp")
        else:
            _as_project(name, folder or Path(), today, driver or "own")
    except SkeletonRefused as error:
        raise CommandFailed(Exit.INVALID, str(error)) from error
    except OSError as error:
        raise CommandFailed(Exit.INVALID, f"it cannot be written: {error}") from error


def _in_clone(name: str, plugins: Path, today: str, driver: DriverChoice) -> None:
    written = write_skeleton(name, plugins, today, driver)
    manifest = load_manifest(written / f"weighhouse_plugin_{name}" / "plugin.toml")
    OUT.print(f"wrote {written}: it runs redis-server until you change it")
    for path in enlist(name, manifest.name, manifest.driver.id, plugins.parent):
        OUT.print(f"named it in {path}")
    OUT.print("now (docs/plugins tells what to change, and in which order):")
    # The first build writes a new crate into Cargo.lock; after that `make install` builds it.
    build = [f"make test-driver NAME={name}"] if driver == "own" else []
    steps = ["make env systems", *build, f".venv/bin/weighhouse plugin test {name}"]
    for step in steps:
        OUT.print(f"  {step}", soft_wrap=True)


def _as_project(name: str, folder: Path, today: str, driver: DriverChoice) -> None:
    root = clone()
    try:
        sources: Path | None = root or driver_sources()
    except BinaryMissing:
        sources = None
    write_project(name, folder, today, driver, sources)
    OUT.print(
        f"wrote {folder.absolute()}: it runs redis-server until you change it", soft_wrap=True
    )
    OUT.print("now (CONTRIBUTING.md there tells what is where):")
    for step in (
        "export WEIGHHOUSE_PACKAGES=…   # a folder or an address of Weighhouse's packages",
        "make test",
        "make wheel",
    ):
        OUT.print(f"  {step}", soft_wrap=True, markup=False)


@app.command("check")
def check_plugin(
    wheel: Annotated[Path, typer.Argument(help="The wheel of a plugin.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Read a plugin's wheel, run nothing of it, and say by which digest machines know it, with the
    line that lets an agent use it.

    Ends with 4, and everything that is wrong, when no machine like this one would use it.
    """
    try:
        checked = check_wheel(wheel)
    except (WheelRefused, OSError) as error:
        raise CommandFailed(Exit.INVALID, str(error)) from error
    if as_json:
        print_json(
            {
                "plugin": checked.plugin,
                "distribution": checked.distribution,
                "version": checked.version,
                "digest": checked.digest,
                "drivers": dict(checked.drivers),
                "api": checked.api.model_dump(mode="json"),
                "policy": checked.policy_line,
            }
        )
        return
    for line in described(checked):
        OUT.print(line, soft_wrap=True, markup=False, highlight=False)


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
