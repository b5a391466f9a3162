"""`weighhouse manifest`: what machines bring to a project, and what of it is in force."""

from typing import Annotated, Any

import typer
from rich.table import Table

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.exits import CommandFailed, Exit

DIGEST_LENGTH = 64
Plugin = Annotated[str, typer.Argument(help="The plugin's identifier.", show_default=False)]
Digest = Annotated[
    str,
    typer.Argument(
        help="The manifest's digest; its beginning, of one that a machine has. A whole one may be "
        "accepted before a machine brings it.",
        show_default=False,
    ),
]

app = typer.Typer(
    help="What machines bring to a project, and what of it is in force.", no_args_is_help=True
)


@app.command("list")
def list_manifests(as_json: AsJson = False, url: Url = None, token: Token = None) -> None:
    """Manifests that the project's machines have, those first that wait; with what differs."""
    page = Client(find_access(url, token)).get("/manifests")
    if as_json:
        print_json(page)
        return
    table = Table(box=None, header_style="dim")
    for column in ("plugin", "version", "digest", "state", "decided by", "machines"):
        table.add_column(column, no_wrap=column == "digest")
    for one in page["items"]:
        machines = ", ".join(each["name"] for each in one["agents"])
        table.add_row(
            one["plugin_id"], one["version"], one["digest"][:12], one["state"],
            one["decided_by"] or "", machines,
        )  # fmt: skip
    OUT.print(table)
    for one in page["items"]:
        if one["state"] == "accepted":
            continue
        OUT.print(f"\n{one['plugin_id']} {one['digest'][:12]} against {_against(one)}:")
        for each in one["differences"]:
            OUT.print(f"  {each['path']}", markup=False)
            OUT.print(f"    - {_said(each['before'])}", markup=False, soft_wrap=True)
            OUT.print(f"    + {_said(each['after'])}", markup=False, soft_wrap=True)


@app.command()
def accept(plugin: Plugin, digest: Digest, url: Url = None, token: Token = None) -> None:
    """Let a manifest be in force in the token's project; takes a maintainer."""
    _decide(Client(find_access(url, token)), plugin, digest, accepted=True)


@app.command()
def refuse(plugin: Plugin, digest: Digest, url: Url = None, token: Token = None) -> None:
    """Refuse a manifest in the token's project, or take back that it was accepted."""
    _decide(Client(find_access(url, token)), plugin, digest, accepted=False)


def _decide(client: Client, plugin: str, digest: str, *, accepted: bool) -> None:
    whole = digest
    if len(digest) < DIGEST_LENGTH:
        items = client.get("/manifests")["items"]
        found = [
            one["digest"]
            for one in items
            if one["plugin_id"] == plugin and one["digest"].startswith(digest)
        ]
        if len(found) != 1:
            raise CommandFailed(
                Exit.INVALID,
                f"{len(found)} manifests of {plugin} begin with {digest}; `weighhouse manifest "
                "list` has them",
            )
        (whole,) = found
    client.put(f"/manifests/{whole}/decision", {"plugin_id": plugin, "accepted": accepted})
    OUT.print(f"{plugin} {whole[:12]}: {'in force' if accepted else 'refused'}", markup=False)


def _against(one: dict[str, Any]) -> str:
    return "none in force" if one["against"] is None else f"{one['against'][:12]}, which speaks"


def _said(text: str | None) -> str:
    return "says nothing" if text is None else text
