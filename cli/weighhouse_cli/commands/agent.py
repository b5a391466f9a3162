"""`weighhouse agent`: make this machine an agent, and run it."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from weighhouse_agent import VERSION
from weighhouse_agent.machine.doctor.diagnosis import State
from weighhouse_agent.machine.doctor.examination import examine, lines
from weighhouse_agent.machine.facts import machine_facts
from weighhouse_agent.machine.home import Home as AgentHome
from weighhouse_agent.supervisor.enrolment import EnrolmentError, Identity, default_home
from weighhouse_agent.supervisor.enrolment import enrol as enrol_machine
from weighhouse_agent.supervisor.program import run

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.embedded.directory import (
    AGENT,
    AGENT_NAME,
    PlatformDirectory,
    default_directory,
)
from weighhouse_cli.exits import CommandFailed, Exit

STYLES = {
    State.OK: "green", State.ADVICE: "yellow", State.WARNING: "bold red", State.UNKNOWN: "dim",
}  # fmt: skip

UNDER_WAY = {"wanted", "installing", "starting"}
LOOK_SECONDS = 2.0

app = typer.Typer(help="Make this machine an agent, and run it.", no_args_is_help=True)
Home = Annotated[
    Path | None,
    typer.Option(help="The agent's directory; default: WEIGHHOUSE_AGENT_HOME, else the user's."),
]


@app.command()
def enrol(
    token: Annotated[
        str | None,
        typer.Option(
            help="Registration token, from the page Agents; default: one that the embedded "
            "platform of this machine makes for its own agent."
        ),
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Address of the platform.", envvar="WEIGHHOUSE_URL")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the agent; default: the host's.")
    ] = None,
    home: Home = None,
) -> None:
    """Enrol this machine with a registration token; the token works for one machine.

    Without token and address: the local agent of the embedded platform, which takes it up.
    """
    if token is None and url is None:
        _enrol_local(name, home)
        return
    if token is None or url is None:
        raise CommandFailed(Exit.INVALID, "give --url and --token both; the page Agents has them")
    place = home or default_home()
    identity = _enrolled(url, token, place, name)
    OUT.print(f"enrolled as {identity.name}; run it with")
    OUT.print(f"  weighhouse agent start --home {place}", soft_wrap=True)


def _enrol_local(name: str | None, home: Path | None) -> None:
    """The embedded platform's own agent: its supervisor starts it when its identity is new."""
    access = find_access(None, None)
    place = home or PlatformDirectory(default_directory()).folder(AGENT)
    made = Client(access).post("/agent-registration-tokens", {})
    identity = _enrolled(access.url, made["token"], place, name or AGENT_NAME)
    OUT.print(f"enrolled as {identity.name}; the platform that runs starts it by itself")


def _enrolled(url: str, token: str, place: Path, name: str | None) -> Identity:
    try:
        return enrol_machine(url, token, place, name=name)
    except EnrolmentError as error:
        raise CommandFailed(Exit.INVALID, f"{error.message}; {error.hint}") from error


@app.command("list")
def list_agents(as_json: AsJson = False, url: Url = None, token: Token = None) -> None:
    """The machines that serve the caller's projects, and to which each is lent."""
    client = Client(find_access(url, token))
    page = client.get("/agents")
    if as_json:
        print_json(page)
        return
    names = {one["id"]: one["name"] for one in client.get("/projects")["items"]}
    table = Table(box=None, header_style="dim")
    # What people copy is never broken, however narrow the terminal is.
    whole = {
        name: max((len(one[name]) for one in page["items"]), default=0) for name in ("id", "name")
    }
    for column in ("id", "name", "state", "version", "lent to"):
        table.add_column(column, no_wrap=column in whole, min_width=whole.get(column))
    for one in page["items"]:
        lent = one["lent_to"]
        shown = (
            "all projects" if lent is None else ", ".join(names.get(each, each) for each in lent)
        )
        table.add_row(one["id"], one["name"], one["status"], _version(one), shown or "none")
    OUT.print(table)


@app.command()
def lend(
    identifier: Annotated[str, typer.Argument(help="The machine's id.", show_default=False)],
    project: Annotated[
        list[str],
        typer.Option("--to", help="A project's id; all that it is to serve, its own too."),
    ],
    url: Url = None,
    token: Token = None,
) -> None:
    """Say which of its projects a machine goes on serving; takes a maintainer of its own project.

    A token is of one project. Whoever maintains both lends it to another, on the machine's page.
    """
    made = Client(find_access(url, token)).patch(f"/agents/{identifier}", {"lent_to": project})
    OUT.print(f"{made['name']} is lent to {len(made['lent_to'])} projects", markup=False)


@app.command()
def update(
    identifier: Annotated[str, typer.Argument(help="The machine's id.", show_default=False)],
    wait: Annotated[bool, typer.Option(help="Wait until it has ended.")] = True,
    url: Url = None,
    token: Token = None,
) -> None:
    """Bring an idle agent up to the platform's version; takes a maintainer of its project.

    It installs what the platform serves beside what it has, begins anew, and goes back where that
    does not come up: then this ends with 3, and says why.
    """
    client = Client(find_access(url, token))
    asked = client.post(f"/agents/{identifier}/update", {})
    found = asked["software"]["update"]
    OUT.print(f"{asked['name']}: {found['before']} → {found['version']}", markup=False)
    while wait and found["state"] in UNDER_WAY:
        time.sleep(LOOK_SECONDS)
        found = client.get(f"/agents/{identifier}")["software"]["update"]
    if wait and found["state"] != "done":
        kept = "did not come up, and went back" if found["state"] == "returned" else "failed"
        raise CommandFailed(Exit.INFRASTRUCTURE, f"the update {kept}: {found['reason']}")
    OUT.print("done" if wait else "asked for; `weighhouse agent list` shows the version")


def _version(agent: dict[str, Any]) -> str:
    version, software = agent["agent_version"], agent["software"]
    standing = software["standing"]
    return version if standing in {"current", "unknown"} else f"{version}, {standing}"


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
