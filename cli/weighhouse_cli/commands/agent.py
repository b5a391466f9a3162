"""`weighhouse agent`: make this machine an agent, and run it."""

from pathlib import Path
from typing import Annotated

import typer
from weighhouse_agent.enrolment import EnrolmentError, default_home
from weighhouse_agent.enrolment import enrol as enrol_machine
from weighhouse_agent.program import run

from weighhouse_cli.console import OUT
from weighhouse_cli.exits import CommandFailed, Exit

app = typer.Typer(help="Make this machine an agent, and run it.", no_args_is_help=True)
Home = Annotated[
    Path | None,
    typer.Option(help="The agent's directory; default: WEIGHHOUSE_AGENT_HOME, else the user's."),
]


@app.command()
def enrol(
    token: Annotated[str, typer.Option(help="Registration token, from the page Agents.")],
    url: Annotated[str, typer.Option(help="Address of the platform.", envvar="WEIGHHOUSE_URL")],
    name: Annotated[
        str | None, typer.Option(help="Name of the agent; default: the host's.")
    ] = None,
    home: Home = None,
) -> None:
    """Enrol this machine with a registration token; the token works for one machine."""
    place = home or default_home()
    try:
        identity = enrol_machine(url, token, place, name=name)
    except EnrolmentError as error:
        raise CommandFailed(Exit.INVALID, f"{error.message}; {error.hint}") from error
    OUT.print(f"enrolled as {identity.name}; run it with")
    OUT.print(f"  weighhouse agent start --home {place}", soft_wrap=True)


@app.command()
def start(home: Home = None) -> None:
    """Run the agent until it is interrupted."""
    raise typer.Exit(run(home or default_home()))
