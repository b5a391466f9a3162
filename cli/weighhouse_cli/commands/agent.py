"""`weighhouse agent`: make this machine an agent, and run it."""

from pathlib import Path
from typing import Annotated

import typer
from weighhouse_agent import VERSION
from weighhouse_agent.doctor.diagnosis import State
from weighhouse_agent.doctor.examination import examine, lines
from weighhouse_agent.enrolment import EnrolmentError, default_home
from weighhouse_agent.enrolment import enrol as enrol_machine
from weighhouse_agent.facts import machine_facts
from weighhouse_agent.home import Home as AgentHome
from weighhouse_agent.program import run

from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.exits import CommandFailed, Exit

STYLES = {
    State.OK: "green", State.ADVICE: "yellow", State.WARNING: "bold red", State.UNKNOWN: "dim",
}  # fmt: skip

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


@app.command()
def doctor(
    home: Home = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    strict: Annotated[
        bool, typer.Option(help="End with 3 when there is a warning; else always with 0.")
    ] = False,
) -> None:
    """Tell whether this machine is fit to measure, and what to change.

    Nothing is changed, no program is started, and no account but your own is needed.
    """
    place = home or default_home()
    facts = machine_facts(AgentHome(place).known_instance_id(), {"agent": VERSION}, directory=place)
    found = examine(facts)
    if as_json:
        print_json([each.model_dump(mode="json") for each in found])
    else:
        for state, line in lines(found, max(60, OUT.width)):
            OUT.print(line, style=STYLES[state] if state else "dim", markup=False, soft_wrap=True)
    if strict and any(each.state is State.WARNING for each in found):
        raise typer.Exit(Exit.INFRASTRUCTURE)
