"""`weighhouse agent`: enrol this machine, and run its agent."""

import os
from pathlib import Path
from typing import Annotated

import typer
from weighhouse_agent import enrolment, program

from weighhouse_cli.console import OUT

app = typer.Typer(help="Enrol this machine, and run its agent.", no_args_is_help=True)


def _default_home() -> Path:
    given = os.environ.get("WEIGHHOUSE_AGENT_HOME")
    return Path(given) if given else Path.home() / ".local" / "share" / "weighhouse-agent"


Home = Annotated[
    Path | None,
    typer.Option(help="The agent's directory; default: WEIGHHOUSE_AGENT_HOME or the data home."),
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
    """Enrol this machine with a registration token; the token works once."""
    place = home or _default_home()
    enrolment.enrol(url, token, place, name=name)
    OUT.print(f"enrolled; start it with `weighhouse agent start --home {place}`")


@app.command()
def start(home: Home = None) -> None:
    """Run the agent until it is interrupted."""
    raise typer.Exit(program.run(home or _default_home()))
