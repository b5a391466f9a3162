"""`weighhouse export`: tables of campaigns, comparisons, runs, series and lists, as files."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import Token, Url
from weighhouse_cli.downloads import saved
from weighhouse_cli.exits import CommandFailed, Exit

app = typer.Typer(
    help="Take tables along as CSV, Parquet or JSON lines, disclaimers included.",
    no_args_is_help=True,
)


class Form(StrEnum):
    """How a table is written."""

    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"


class RunForm(StrEnum):
    """How what was measured of a run is written."""

    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"
    HLOG = "hlog"


class Audience(StrEnum):
    """For whom it is taken along."""

    INTERNAL = "internal"
    OTHERS = "others"
    PUBLIC = "public"


class Listed(StrEnum):
    """A list."""

    CAMPAIGNS = "campaigns"
    RUNS = "runs"
    SERIES = "series"
    ALERTS = "alerts"
    EXPERIMENTS = "experiments"
    SYSTEMS = "systems"
    AGENTS = "agents"
    STUDIES = "studies"
    PUBLISHED_SOURCES = "published-sources"
    REPORTS = "reports"
    SHARES = "shares"
    MEMBERS = "members"
    INVITATIONS = "invitations"
    API_TOKENS = "api-tokens"
    PIPELINE_TRUSTS = "pipeline-trusts"
    JOINING_DOMAINS = "joining-domains"
    CHANNELS = "channels"
    REVISIONS = "revisions"
    OCCURRENCES = "occurrences"
    ANNOTATIONS = "annotations"


FormOption = Annotated[Form, typer.Option("--format", help="jsonl: an object a line.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="File to write; default: as the platform names it, here."),
]
For = Annotated[
    Audience,
    typer.Option(
        "--audience",
        help="others, public: refused unless the terms of every system in it allow it.",
    ),
]


@app.command()
def campaign(
    campaign_id: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="The campaign's id.")],
    table: Annotated[
        str,
        typer.Option(
            help="figures, differences, repeats, runs, operations, intervals or resources; all: "
            "an archive of them, of one snapshot."
        ),
    ] = "figures",
    form: FormOption = Form.CSV,
    output: Output = None,
    audience: For = Audience.INTERNAL,
    url: Url = None,
    token: Token = None,
) -> None:
    """A campaign: the comparison of its targets, its runs, and each of their intervals."""
    _save(f"campaigns/{campaign_id}", {"table": table}, form, output, audience, url, token)


@app.command()
def run(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")],
    table: Annotated[
        str, typer.Option(help="operations, intervals or resources; all: an archive of them.")
    ] = "operations",
    form: Annotated[
        RunForm,
        typer.Option(
            "--format",
            help="jsonl: an object a line; hlog: HdrHistogram's log, a line an interval.",
        ),
    ] = RunForm.CSV,
    output: Output = None,
    audience: For = Audience.INTERNAL,
    url: Url = None,
    token: Token = None,
) -> None:
    """A run: its figures, its intervals, what system, driver and machine used."""
    _save(f"runs/{run_id}", {"table": table}, form, output, audience, url, token)


@app.command()
def comparison(
    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="SIDE…",
            help="CAMPAIGN~TARGET each; or one campaign's id: all its targets.",
        ),
    ],
    base: Annotated[
        str | None, typer.Option(help="Of one campaign: each target against itself in this one.")
    ] = None,
    baseline: Annotated[
        int, typer.Option(help="Place of the side that others are set against, from 0.", min=0)
    ] = 0,
    cell: Annotated[
        str | None, typer.Option(help="One alone: 'reads~8 clients'. Default: all.")
    ] = None,
    table: Annotated[
        str, typer.Option(help="figures, differences or repeats; all: an archive of them.")
    ] = "figures",
    form: FormOption = Form.CSV,
    output: Output = None,
    audience: For = Audience.INTERNAL,
    url: Url = None,
    token: Token = None,
) -> None:
    """Sides next to each other: what they came to, and how they differ."""
    asked: dict[str, Any] = {"table": table, "cell": cell}
    if len(sides) == 1 and "~" not in sides[0]:
        asked |= {"campaign": sides[0], "base": base}
    elif base is None and all("~" in side for side in sides):
        asked |= {"side": sides, "baseline": baseline}
    else:
        raise CommandFailed(
            Exit.INVALID,
            "give sides, CAMPAIGN~TARGET each; or one campaign, with or without --base",
        )
    _save("comparison", asked, form, output, audience, url, token)


@app.command()
def series(
    series_id: Annotated[str, typer.Argument(metavar="SERIES", help="The series' id.")],
    table: Annotated[
        str, typer.Option(help="points or changes; all: an archive of both.")
    ] = "points",
    form: FormOption = Form.CSV,
    output: Output = None,
    audience: For = Audience.INTERNAL,
    url: Url = None,
    token: Token = None,
) -> None:
    """A cell over its campaigns."""
    _save(f"series/{series_id}", {"table": table}, form, output, audience, url, token)


@app.command("list")
def list_(
    of: Annotated[Listed, typer.Argument(metavar="LIST", help="Which list.")],
    narrow: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            help="NAME=VALUE as in the list's address: status=completed, metric=p99_us, "
            "campaign_id=ID; repeated, all hold.",
        ),
    ] = None,
    form: FormOption = Form.CSV,
    output: Output = None,
    audience: For = Audience.INTERNAL,
    url: Url = None,
    token: Token = None,
) -> None:
    """All of a list, narrowed as its page is."""
    asked: dict[str, Any] = {}
    for one in narrow or ():
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise CommandFailed(Exit.INVALID, f"--filter {one}: give NAME=VALUE")
        asked.setdefault(name, []).append(value)
    _save(of.value, asked, form, output, audience, url, token)


def _save(
    path: str,
    asked: Mapping[str, Any],
    form: Form | RunForm,
    output: Path | None,
    audience: Audience,
    url: str | None,
    token: str | None,
) -> None:
    query = {**asked, "format": form.value}
    if audience is not Audience.INTERNAL:
        query["audience"] = audience.value
    saved(Client(find_access(url, token)), f"/exports/{path}", query, output)
