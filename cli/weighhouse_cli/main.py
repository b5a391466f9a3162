"""The `weighhouse` command: composes the subcommands, and turns errors into exit codes."""

import sys

import typer

from weighhouse_cli.commands import (
    agent,
    alert,
    backup,
    bundle,
    campaign,
    comment,
    dev,
    experiment,
    export,
    histogram,
    imports,
    login,
    manifest,
    people,
    platform,
    plugin,
    project,
    published,
    rejudge,
    report,
    runs,
    search,
    secrets,
    status,
    study,
    target,
    token,
    usage,
    ycsb,
)
from weighhouse_cli.console import ERROR
from weighhouse_cli.embedded.errors import PlatformError
from weighhouse_cli.exits import CommandFailed, Exit

app = typer.Typer(
    name="weighhouse",
    help="Weighs databases on the same scales: platform, experiments, gates for builds.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("up")(platform.up)
app.command("demo")(platform.demo)
app.command("status")(status.status)
app.command("backup")(backup.backup)
app.command("restore")(backup.restore)
app.command("bundle")(bundle.bundle)
app.command("verify")(bundle.verify)
app.command("reproduce")(bundle.reproduce)
app.command("login")(login.login)
app.command("histogram")(histogram.histogram)
app.command("import")(imports.import_files)
app.command("ycsb")(ycsb.ycsb)
app.command("comment")(comment.comment_at)
app.command("search")(search.search)
app.command("usage")(usage.usage)
app.command("rejudge")(rejudge.rejudge)
app.add_typer(runs.app, name="run")
app.add_typer(campaign.app, name="campaign")
app.add_typer(project.app, name="project")
app.add_typer(alert.app, name="alert")
app.add_typer(experiment.app, name="experiment")
app.add_typer(export.app, name="export")
app.add_typer(published.app, name="published")
app.add_typer(study.app, name="study")
app.add_typer(report.app, name="report")
app.add_typer(target.app, name="target")
app.add_typer(agent.app, name="agent")
app.add_typer(plugin.app, name="plugin")
app.add_typer(manifest.app, name="manifest")
app.add_typer(token.app, name="token")
app.add_typer(secrets.app, name="secrets")
app.add_typer(people.app, name="people")
app.add_typer(dev.app, name="dev")


def main() -> None:
    """Entry point: exit codes are decided here alone."""
    try:
        app()
    except CommandFailed as failure:
        ERROR.print(str(failure), style="red", soft_wrap=True)
        sys.exit(failure.code)
    except PlatformError as failure:
        ERROR.print(str(failure), style="red", soft_wrap=True)
        sys.exit(Exit.INFRASTRUCTURE)
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)
