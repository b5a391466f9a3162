"""`weighhouse usage`: what a project and its organization use of what they may."""

from typing import Annotated, Any

import typer
from rich.table import Table

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json

STYLES = {"reached": "red", "near": "yellow"}
WORDS = {"reached": "used up", "near": "nearly used up", "unlimited": "not limited"}


def usage(
    project: Annotated[
        str | None, typer.Option(help="The project's id; default: the token's own.")
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Say what is used, what may be, and what to do where little is left."""
    found = Client(find_access(url, token)).get("/usage", project_id=project)
    if as_json:
        print_json(found)
    else:
        show_usage(found)


def show_usage(found: dict[str, Any]) -> None:
    """Print use by organization and project.

    :param found: the answer of `GET /usage`.
    """
    for scope in ("organization", "project"):
        one = found[scope]
        OUT.print(f"{scope} {one['name']}", style="bold", markup=False)
        table = Table(box=None, show_header=False)
        for use in one["use"]:
            said = WORDS.get(use["level"], "")
            table.add_row(use["name"], use["words"], said, style=STYLES.get(use["level"]))
        OUT.print(table)
        for use in one["use"]:
            if use["level"] in STYLES:
                begin = "now" if use["level"] == "reached" else "once it is used up,"
                OUT.print(
                    f"{use['name']}: {begin} {use['effect']}. What to do: {use['mend']}.",
                    soft_wrap=True, markup=False,
                )  # fmt: skip
        if any(use["resets_at"] and use["limit"] is not None for use in one["use"]):
            until = next(use["resets_at"] for use in one["use"] if use["resets_at"])
            OUT.print(f"machine-hours are counted anew from {until}", style="dim")
