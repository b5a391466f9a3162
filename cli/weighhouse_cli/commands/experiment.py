"""`weighhouse experiment`: check and begin experiment files."""

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer
from weighhouse_protocol.compatibility.driver_memory import GIB, in_gib
from weighhouse_protocol.scenarios import Scenario
from weighhouse_protocol.yaml_document import DocumentError, experiment_from_yaml

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import ERROR, OUT, duration, print_json, show_schedule
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.templates import template

app = typer.Typer(help="Check and begin experiment files.", no_args_is_help=True)


@app.command()
def validate(
    file: Annotated[Path, typer.Argument(help="The experiment file (YAML).")],
    offline: Annotated[
        bool, typer.Option(help="Check the form alone, without the platform's plugins.")
    ] = False,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Check an experiment file: its form, and whether the platform's plugins can do it."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise CommandFailed(Exit.INVALID, f"{file} cannot be read: {error.strerror}") from error
    found = _offline(text) if offline else _online(text, Client(find_access(url, token)))
    if as_json:
        print_json(found)
    else:
        _show(file, found)
    if not found["valid"]:
        raise typer.Exit(Exit.INVALID)


def _offline(text: str) -> dict[str, Any]:
    try:
        experiment = experiment_from_yaml(text)
    except DocumentError as error:
        errors = [
            {"path": e.path, "message": e.message, "expected": e.expected, "line": e.line}
            for e in error.errors
        ]
        return {"valid": False, "errors": errors, "plan": None, "comparability": []}
    plan = {
        "cells": experiment.cells_count,
        "runs": experiment.runs_count,
        "most_runs": experiment.most_runs_count,
        "again_runs": experiment.again_runs_count,
    }
    return {"valid": True, "errors": [], "plan": plan, "comparability": []}


def _online(text: str, client: Client) -> dict[str, Any]:
    answer: dict[str, Any] = client.post("/experiments/validate", {"yaml": text}, repeatable=True)
    return answer


def _show(file: Path, found: dict[str, Any]) -> None:
    for error in found["errors"]:
        line = f":{error['line']}" if error.get("line") else ""
        expected = f"\n    expected {error['expected']}" if error.get("expected") else ""
        ERROR.print(
            f"{file}{line}: {error['path'] or 'document'}: {error['message']}{expected}",
            style="red", soft_wrap=True, markup=False,
        )  # fmt: skip
    for note in found["comparability"]:
        OUT.print(f"caution: {note['message']}", style="yellow", soft_wrap=True, markup=False)
    if found["valid"]:
        plan = found["plan"]
        OUT.print(f"{file} is valid: {plan['cells']} cells, {_extent(plan)}{_sizes(plan)}")


def _sizes(plan: dict[str, Any]) -> str:
    """What is large enough to be told, of data and of the drivers' memory."""
    loaded, held = (plan.get(name, 0) for name in ("loaded_bytes", "driver_bytes"))
    told = f"; up to {in_gib(loaded)} of values loaded" if loaded >= GIB else ""
    return told + (f"; the driver holds up to {in_gib(held)} at once" if held >= GIB else "")


def _extent(plan: dict[str, Any]) -> str:
    seconds, most = plan.get("estimated_seconds"), plan.get("most_estimated_seconds")
    again = f"; up to {plan['again_runs']} more if cells seem worse" if plan["again_runs"] else ""
    if plan["most_runs"] == plan["runs"]:
        return f"{plan['runs']} runs" + (f", about {duration(seconds)}" if seconds else "") + again
    text = f"{plan['runs']} to {plan['most_runs']} runs"
    return text + (f", about {duration(seconds)} to {duration(most)}" if seconds else "") + again


@app.command()
def init(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    scenario: Annotated[
        Scenario,
        typer.Option(
            help="What to ask: fixed loads, a load curve (sweep), the most load inside a latency "
            "(calibrate), the cost of a failure (fault), the machine's own noise."
        ),
    ] = "fixed",
) -> None:
    """Write a commented experiment file to change; an existing file is left alone."""
    if file.exists():
        raise CommandFailed(Exit.INVALID, f"{file} is there already")
    slug = file.stem.lower().replace(" ", "-")
    file.write_text(template(scenario, slug), encoding="utf-8")
    OUT.print(f"wrote {file}; run it with `weighhouse run {file} --wait`")


@app.command()
def schedule(
    experiment: Annotated[str, typer.Argument(help="The experiment's slug or id.")],
    cron: Annotated[
        str | None, typer.Option(help="Set it: minute, hour, day of month, month, day of week.")
    ] = None,
    time_zone: Annotated[str | None, typer.Option(help="IANA name, e.g. Europe/Vienna.")] = None,
    overlap: Annotated[
        str | None,
        typer.Option(help="While its last campaign is under way: skip, queue or replace."),
    ] = None,
    missed: Annotated[
        str | None, typer.Option(help="Dates missed while the platform was down: run_late, report.")
    ] = None,
    enabled: Annotated[bool | None, typer.Option("--on/--off", help="Switch it on or off.")] = None,
    last: Annotated[int, typer.Option(min=1, max=200, help="How many past dates to show.")] = 10,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show an experiment's schedule and what became of its dates; with options: set it first."""
    client = Client(find_access(url, token))
    path = f"/experiments/{quote(experiment, safe='')}/schedule"
    wanted = {
        "cron": cron, "time_zone": time_zone, "overlap": overlap, "missed": missed,
        "enabled": enabled,
    }  # fmt: skip
    given = {name: value for name, value in wanted.items() if value is not None}
    if given:
        kept = {} if cron and time_zone else client.get(path)
        client.put(path, {name: kept[name] for name in wanted if name in kept} | given)
    found = client.get(path)
    past = client.get(f"{path}/occurrences", limit=last)
    if as_json:
        print_json({"schedule": found, "occurrences": past["items"]})
    else:
        show_schedule(found, past["items"])
