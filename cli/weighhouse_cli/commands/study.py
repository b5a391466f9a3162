"""`weighhouse study`: published studies, run again."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from weighhouse_protocol.text import numbered

from weighhouse_cli.client import Access, Client, find_access
from weighhouse_cli.commands.options import AsJson, DataDirectory, Token, Url
from weighhouse_cli.commands.platform import Port, running
from weighhouse_cli.console import OUT, follow, print_json
from weighhouse_cli.embedded.directory import DEFAULT_PORT
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.papers import read_papers
from weighhouse_cli.remarks import as_document, show_checked
from weighhouse_cli.studies import show_studies, show_study

app = typer.Typer(
    help="Published studies: what they claim, and whether it holds here.", no_args_is_help=True
)
Scale = Literal["small", "published"]
ScaleOption = Annotated[
    Scale | None,
    typer.Option(help="`small`: minutes on a laptop; `published`: the study's own size, hours."),
]


@app.command("list")
def list_studies(as_json: AsJson = False, url: Url = None, token: Token = None) -> None:
    """The studies that come with the platform."""
    found = Client(find_access(url, token)).get("/studies")
    if as_json:
        print_json(found)
    else:
        show_studies(found["items"])


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="The study's name, as `list` shows it.")],
    scale: ScaleOption = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """A study claim by claim, beside what was measured here."""
    found = Client(find_access(url, token)).get(f"/studies/{name}", scale=scale)
    if as_json:
        print_json(found)
    else:
        show_study(found)


@app.command()
def run(
    names: Annotated[list[str], typer.Argument(help="Studies by name, run one after the other.")],
    scale: Annotated[
        Scale, typer.Option(help="`small`: minutes on a laptop; `published`: hours.")
    ] = "small",
    side: Annotated[
        list[str] | None,
        typer.Option(help="Measure this side; repeated. Default: those the scale has by itself."),
    ] = None,
    wait: Annotated[bool, typer.Option(help="Wait for the end; then show the claims.")] = False,
    start: Annotated[
        bool, typer.Option("--start", help="Start the embedded platform for it; waits.")
    ] = False,
    port: Port = DEFAULT_PORT,
    data_dir: DataDirectory = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Measure studies: saves their experiments and starts a campaign of each.

    Exit codes with --wait: 0 all campaigns completed (whatever the claims' verdicts), 3 not all.
    """
    if start:
        with running(port, data_dir) as (platform, _):
            access = Access(url=platform.url, token=str(platform.credentials["api_token"]))
            _run(Client(access), names, scale, side or [], wait=True, as_json=as_json)
        return
    client = Client(find_access(url, token))
    _run(client, names, scale, side or [], wait=wait, as_json=as_json)


@app.command("check")
def check_papers(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Folders, each a paper; or files of one: published figures, claims, raw data."
        ),
    ],
    everything: Annotated[
        bool, typer.Option("--all", help="Also what is sound, and what could not be checked.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Hold published figures against themselves, their claims, commands and raw data.

    Without a platform: nothing is sent, nothing kept. Exit codes: 0 nothing contradicts, 1
    something cannot be true as printed, 4 a file is wrong or there is nothing to check.
    """
    papers = read_papers(paths)
    found = [one for paper in papers for one in paper.checked()]
    not_read = [str(path) for paper in papers for path in paper.not_read]
    if as_json:
        sources = [as_document(*one) for one in found]
        print_json({"sources": sources, "not_read": not_read})
    else:
        for path, results, remarks in found:
            show_checked(path, results, remarks, everything=everything)
            OUT.print()
        if not_read:
            OUT.print(f"of no format that is known, and not used: {', '.join(not_read)}",
                      style="yellow", soft_wrap=True, markup=False)  # fmt: skip
    if any(one.kind == "contradiction" for _, _, remarks in found for one in remarks):
        raise typer.Exit(Exit.REGRESSION)


def _run(
    client: Client, names: list[str], scale: Scale, sides: list[str], *, wait: bool, as_json: bool
) -> None:
    _require_known(client, names)
    orders = []
    for name in names:
        orders.append(client.post(f"/studies/{name}/campaigns", {"scale": scale, "sides": sides}))
        if not as_json:
            _tell(orders[-1])
    if not wait:
        if as_json:
            print_json(orders)
        return
    started = [one["campaign_id"] for order in orders for one in order["campaigns"]]
    ended = [follow(client, one, quiet=as_json) for one in started]
    studies = [client.get(f"/studies/{name}", scale=scale) for name in names]
    if as_json:
        print_json(studies)
    else:
        _show(studies)
    if any(campaign["status"] != "completed" for campaign in ended):
        raise typer.Exit(Exit.INFRASTRUCTURE)


def _require_known(client: Client, names: list[str]) -> None:
    known = {one["name"] for one in client.get("/studies")["items"]}
    if unknown := [name for name in names if name not in known]:
        raise CommandFailed(
            Exit.INVALID,
            f"{', '.join(unknown)}: no such study; those there are: {', '.join(sorted(known))}",
        )


def _show(studies: list[dict[str, Any]]) -> None:
    for study in studies:
        OUT.print()
        show_study(study)


def _tell(order: dict[str, Any]) -> None:
    for one in order["campaigns"]:
        OUT.print(
            f"campaign {numbered(one['campaign_number'])} of {one['experiment']}: "
            f"{one['runs']} runs"
        )
    for one in order["not_measured"]:
        OUT.print(
            f"not measured: {one['label']}: {one['because']}",
            style="yellow", soft_wrap=True, markup=False,
        )  # fmt: skip
