"""`weighhouse published`: others' results that the platform keeps."""

from typing import Annotated, Any

import typer
from rich.table import Table
from weighhouse_imports.reader import Preview
from weighhouse_protocol import pages
from weighhouse_protocol.text import escaped

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.exits import CommandFailed, Exit

app = typer.Typer(help="Published results of others, kept beside one's own.", no_args_is_help=True)
ADDRESS = "/published-sources"
Source = Annotated[str, typer.Argument(help="Its id, as `list` shows it.")]


def keep(found: Preview, client: Client, project: str | None) -> dict[str, Any]:
    """Have the platform keep what files hold: all of it, or nothing. Repeatable.

    :raises CommandFailed: when nothing was read, something was refused, or the platform refuses it.
    """
    if found.results is None or found.refused:
        raise CommandFailed(
            Exit.INVALID, "something was refused, so nothing is kept; leave it out, or mend it"
        )
    document = found.results.model_dump(mode="json", exclude_defaults=True)
    asked = {} if project is None else {"project_id": project}
    kept: dict[str, Any] = client.post(ADDRESS, document, repeatable=True, **asked)
    return kept


def show_kept(kept: dict[str, Any], url: str) -> None:
    """Where kept results stand, and what checks have to say of them."""
    for one in kept["findings"]:
        OUT.print(escaped(f"{one['title']}: {one['message']}"), markup=False, highlight=False)
    address = pages.at(url, pages.published_source(kept["id"]))
    OUT.print(f"kept: {address}", markup=False, highlight=False)


@app.command("list")
def list_sources(as_json: AsJson = False, url: Url = None, token: Token = None) -> None:
    """Those of the project, the one kept last first."""
    found = Client(find_access(url, token)).get(ADDRESS)
    if as_json:
        print_json(found)
        return
    table = Table("id", "title", "paid for by", "sides", "version")
    for one in found["items"]:
        sides = ", ".join(side["label"] or side["name"] for side in one["sides"])
        paid = one["source"]["sponsor"] or "not told"
        cells = (one["id"], one["source"]["title"], paid, sides, str(one["version"]))
        table.add_row(*map(escaped, cells))
    OUT.print(table)


@app.command()
def show(source: Source, as_json: AsJson = False, url: Url = None, token: Token = None) -> None:
    """Who published it, what checks have to say, and its figures as printed."""
    found = Client(find_access(url, token)).get(f"{ADDRESS}/{source}")
    if as_json:
        print_json(found)
        return
    for name, told in found["source"].items():
        OUT.print(escaped(f"{name}: {told or 'not told'}"), markup=False, highlight=False)
    for one in found["findings"]:
        OUT.print(escaped(f"{one['title']}: {one['message']}"), markup=False, highlight=False)
    table = Table("side", "workload", "clients", "figure", "printed", "stands at")
    for cell in found["results"]["cells"]:
        for figure in cell["figures"]:
            clients = cell["load"]["clients"]
            table.add_row(
                escaped(cell["side"]), escaped(cell["workload"]),
                "not told" if clients is None else str(clients),
                escaped(f"{figure['figure']} {figure['operation']}"), escaped(figure["printed"]),
                escaped(figure["place"]),
            )  # fmt: skip
    OUT.print(table)
    OUT.print(found["no_verdict"], markup=False, highlight=False)


@app.command()
def remove(source: Source, url: Url = None, token: Token = None) -> None:
    """Take it out of every list and comparison."""
    Client(find_access(url, token)).delete(f"{ADDRESS}/{source}")
    OUT.print("removed", markup=False, highlight=False)
