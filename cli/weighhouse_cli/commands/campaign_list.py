"""`weighhouse campaign list`: every campaign, narrowed, searched, part by part or all at once."""

import datetime
import re
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text
from weighhouse_protocol.text import numbered

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, badge_of, print_json
from weighhouse_cli.headlines import headlines_of
from weighhouse_cli.lists import every, tell_of_rest

DAY = re.compile(r"\d{4}-\d\d-\d\d")
OLDEST = "oldest"
COLUMNS = {
    "id": 36, "experiment": 8, "№": 4, "came to": 12, "gate": 6, "runs": 3, "commit": None,
}  # fmt: skip
"""With their least widths: words of what came out are read on a narrow terminal, too."""


def list_campaigns(
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="[SEARCH]",
            help="Part of an experiment's name, a number (12), a commit's first digits, a release.",
            show_default=False,
        ),
    ] = None,
    experiment: Annotated[str | None, typer.Option(help="Those of an experiment's slug.")] = None,
    status: Annotated[
        str | None,
        typer.Option(help="queued, running, settling, completed, failed or cancelled."),
    ] = None,
    verdict: Annotated[
        str | None, typer.Option(help="Those of a verdict, as regression; `none`: without one.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Those that a person or token started.")] = None,
    commit: Annotated[
        str | None, typer.Option(help="Those of a commit; its first digits suffice.")
    ] = None,
    branch: Annotated[str | None, typer.Option(help="Those of a branch.")] = None,
    pull_request: Annotated[
        int | None, typer.Option(help="Those of a pull or merge request.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="Those whose machines had to carry it, as rack=a.")
    ] = None,
    release: Annotated[str | None, typer.Option(help="The one that stands for a release.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Started on this day (2026-11-26) or instant, or later.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Started on this day or earlier, or before this instant.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="So many at most.")] = 20,
    cursor: Annotated[str | None, typer.Option(help="Go on where an earlier answer ended.")] = None,
    oldest: Annotated[bool, typer.Option("--oldest", help="The oldest ones.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Campaigns, newest first; by default the latest 20. All conditions hold at once."""
    if sum((oldest, everything, cursor is not None)) > 1:
        raise typer.BadParameter("of --all, --oldest and --cursor one")
    wanted = {
        "text": text, "experiment": experiment, "status": status, "verdict": verdict,
        "requested_by": by, "commit": commit, "branch": branch, "pull_request": pull_request,
        "label": label, "release": release, "since": instant(since), "until": instant(until, 1),
    }  # fmt: skip
    client = Client(find_access(url, token))
    page: dict[str, Any]
    if everything:
        page = {"items": list(every(client, "/campaigns", **wanted)), "next_cursor": None}
    else:
        place = OLDEST if oldest else cursor
        page = client.get("/campaigns", limit=limit, cursor=place, total=True, **wanted)
    if as_json:
        print_json(page)
        return
    _show(page["items"], headlines_of(client, [one["id"] for one in page["items"]]))
    tell_of_rest(page, "campaigns", "all: --all, the oldest: --oldest")


def instant(given: str | None, days_later: int = 0) -> str | None:
    """A day or an instant as the API takes it.

    :param days_later: of a day, so many days after it; it begins where the command is called.
    """
    if given is None or not DAY.fullmatch(given):
        return given
    try:
        day = datetime.date.fromisoformat(given) + datetime.timedelta(days=days_later)
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(f"{given} is no day") from error
    begins = datetime.datetime.combine(day, datetime.time.min).astimezone()
    return begins.astimezone(datetime.UTC).isoformat().replace("+00:00", "Z")


def _show(campaigns: list[dict[str, Any]], told: dict[str, dict[str, Any]]) -> None:
    table = Table(box=None, header_style="dim", padding=(0, 1, 0, 0))
    for column, least in COLUMNS.items():
        table.add_column(column, no_wrap=column == "id", min_width=least)
    for one in campaigns:
        runs = f"{one['runs']['completed']}/{one['runs']['total']}"
        table.add_row(
            one["id"], one["experiment"]["slug"], numbered(one["number"]),
            _came_to(one, told.get(one["id"])), (one["verdict"] or "").replace("_", " "), runs,
            _commit(one["git"]),
        )  # fmt: skip
    OUT.print(table)


def _came_to(campaign: dict[str, Any], told: dict[str, Any] | None) -> Text:
    """The headline; of what did not go to its end, or has no headline, where it stands."""
    state, badge = str(campaign["state"]), badge_of(told)
    if state == "completed" and badge:
        return badge
    return Text(f"{state}: " if badge else state).append(badge)


def _commit(git: dict[str, Any] | None) -> Text:
    if git is None:
        return Text("")
    return Text(f"{git['commit'][:10]} {git['branch'] or ''}".rstrip())
