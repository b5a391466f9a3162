"""Every command there is: those that ask a platform, and those that are a platform or an agent."""

import typer

from weighhouse_cli import remote
from weighhouse_cli.commands import (
    agent,
    backup,
    bundle,
    dev,
    imports,
    manifest,
    people,
    platform,
    plugin,
    published,
    reproduction,
    secrets,
    study,
    target,
    ycsb,
)

app = typer.Typer(
    name="weighhouse",
    help="Weighs databases on the same scales: platform, experiments, gates for builds.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("up")(platform.up)
app.command("demo")(platform.demo)
app.command("backup")(backup.backup)
app.command("restore")(backup.restore)
remote.add_to(app)
app.command("bundle")(bundle.bundle)
app.command("verify")(bundle.verify)
app.command("reproduce")(bundle.reproduce)
app.command("import")(imports.import_files)
app.command("ycsb")(ycsb.ycsb)
app.add_typer(published.app, name="published")
app.add_typer(reproduction.app, name="reproduction")
app.add_typer(study.app, name="study")
app.add_typer(target.app, name="target")
app.add_typer(agent.app, name="agent")
app.add_typer(plugin.app, name="plugin")
app.add_typer(manifest.app, name="manifest")
app.add_typer(secrets.app, name="secrets")
app.add_typer(people.app, name="people")
app.add_typer(dev.app, name="dev")
