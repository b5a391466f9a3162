"""The commands that ask a platform elsewhere: all that a pipeline has, and a part of the whole.

They need nothing of ours but the protocol, so that a job installs little.
"""

from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from weighhouse_cli.commands import (
    alert,
    campaign,
    comment,
    experiment,
    export,
    histogram,
    login,
    project,
    rejudge,
    report,
    runs,
    search,
    status,
    token,
    usage,
)
from weighhouse_cli.exits import CommandFailed, Exit

MORE = "the package weighhouse brings the platform and all other commands"


class PartOfTheWhole(TyperGroup):
    """Says where the commands are that are not here."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """:raises CommandFailed: naming what brings a command that is not here."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            self._missing(args[0])
        return super().resolve_command(ctx, args)

    def _missing(self, name: str) -> NoReturn:
        here = ", ".join(sorted(self.commands))
        raise CommandFailed(
            Exit.INVALID, f"there is no {name} here: {MORE} (pip install weighhouse); here: {here}"
        )


def add_to(app: typer.Typer) -> None:
    """Compose the commands."""
    app.command("status")(status.status)
    app.command("login")(login.login)
    app.command("histogram")(histogram.histogram)
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
    app.add_typer(report.app, name="report")
    app.add_typer(token.app, name="token")


app = typer.Typer(
    name="weighhouse",
    help=f"Weighs databases on the same scales, asking a platform elsewhere; {MORE}.",
    cls=PartOfTheWhole,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
add_to(app)
