"""`weighhouse histogram`: a histogram to keep, in the forms that the field's own tools read."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import Token, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.exits import CommandFailed, Exit


class Form(StrEnum):
    """How a histogram is written."""

    HGRM = "hgrm"
    HLOG = "hlog"
    JSON = "json"


class Kind(StrEnum):
    """Which operations are counted, and from when."""

    RESPONSE = "response"
    SERVICE = "service"
    ASKED = "asked"


def histogram(
    run: Annotated[str | None, typer.Argument(help="The run's id.")] = None,
    side: Annotated[
        str | None,
        typer.Option(help="CAMPAIGN~TARGET: all its runs of a cell together, in place of a run."),
    ] = None,
    workload: Annotated[str | None, typer.Option(help="Of the side's cell.")] = None,
    load: Annotated[
        str | None, typer.Option(help="Load level of the side's cell: '8 clients'.")
    ] = None,
    operation: Annotated[str, typer.Option(help="One that was measured, or all.")] = "all",
    kind: Annotated[
        Kind,
        typer.Option(
            help="response: successes, from due to done; service: from sent to done, open loops "
            "alone; asked: everything that was asked."
        ),
    ] = Kind.RESPONSE,
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            help="hgrm: HdrHistogram's percentile text, in µs; hlog: its log, a line a run.",
        ),
    ] = Form.HGRM,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; default: print it.")
    ] = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """The merged histogram of a run, or of all runs of a side, with its facts and disclaimers."""
    query = {"operation": operation, "kind": kind.value, "format": form.value}
    if run is not None and side is None:
        path = f"/runs/{run}/histogram"
    elif side is not None and run is None and workload is not None and load is not None:
        path = "/comparisons/histogram"
        query |= {"side": side, "workload": workload, "load_level": load}
    else:
        raise CommandFailed(
            Exit.INVALID, "give a run, or --side CAMPAIGN~TARGET with --workload and --load"
        )
    found = Client(find_access(url, token)).get(path, **query)
    if output is not None:
        text = found if isinstance(found, str) else json.dumps(found, indent=2) + "\n"
        output.write_text(text, encoding="utf-8")
    elif isinstance(found, str):
        OUT.out(found, end="", highlight=False)
    else:
        print_json(found)
