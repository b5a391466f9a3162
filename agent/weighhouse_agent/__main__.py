"""`weighhouse-agent enrol | start | facts | doctor`: the agent without the platform's command."""

import argparse
import os
import sys
from pathlib import Path

from weighhouse_agent import VERSION
from weighhouse_agent.machine.doctor.examination import examine, lines
from weighhouse_agent.machine.facts import machine_facts
from weighhouse_agent.machine.home import Home
from weighhouse_agent.supervisor.enrolment import (
    HOME_VARIABLE,
    TOKEN_VARIABLE,
    URL_VARIABLE,
    EnrolmentError,
    default_home,
    enrol,
)
from weighhouse_agent.supervisor.program import NOT_ENROLLED, run


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says.

    :param arguments: default: those of the process.
    :returns: exit status.
    """
    parser = argparse.ArgumentParser(prog="weighhouse-agent", description=__doc__)
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(dest="command", required=True)
    home = argparse.ArgumentParser(add_help=False)
    home.add_argument("--home", type=Path, default=None, help=f"default: ${HOME_VARIABLE}")
    enrolling = commands.add_parser("enrol", parents=[home], help="make this machine an agent")
    address = os.environ.get(URL_VARIABLE)
    enrolling.add_argument("--url", default=address, required=address is None)
    token = os.environ.get(TOKEN_VARIABLE)
    enrolling.add_argument(
        "--token", default=token, required=token is None,
        help=f"registration token; default: ${TOKEN_VARIABLE}, which no list of processes shows",
    )  # fmt: skip
    enrolling.add_argument("--name", default=None, help="default: the host's")
    enrolling.add_argument(
        "--role", action="append", choices=("driver", "server"),
        help="repeatable; default: what the token allows",
    )  # fmt: skip
    commands.add_parser("start", parents=[home], help="run until interrupted")
    commands.add_parser("facts", parents=[home], help="print what the agent tells of the machine")
    commands.add_parser(
        "doctor", parents=[home], help="tell whether this machine is fit to measure"
    )
    chosen = parser.parse_args(arguments)
    place = chosen.home or default_home()
    if chosen.command == "start":
        return run(place)
    if chosen.command in ("facts", "doctor"):
        facts = machine_facts(Home(place).known_instance_id(), {"agent": VERSION}, directory=place)
        if chosen.command == "facts":
            sys.stdout.write(facts.model_dump_json(indent=2) + "\n")
        else:
            sys.stdout.writelines(f"{line}\n" for _, line in lines(examine(facts)))
        return 0
    try:
        roles = tuple(chosen.role) if chosen.role else ("driver", "server")
        identity = enrol(chosen.url, chosen.token, place, name=chosen.name, roles=roles)
    except EnrolmentError as error:
        sys.stderr.write(f"{error.message}\n{error.hint}\n")
        return NOT_ENROLLED
    sys.stdout.write(f"enrolled as {identity.name}; home: {place}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
