"""`weighhouse token`: API tokens for pipelines."""

from typing import Annotated

import typer
from rich.table import Table

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.lists import every

app = typer.Typer(help="API tokens for pipelines.", no_args_is_help=True)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What the token is for.")],
    role: Annotated[str, typer.Option(help="viewer, member or maintainer.")] = "member",
    scope: Annotated[
        list[str] | None,
        typer.Option(help="What it may within its role, may be repeated; default: all of it."),
    ] = None,
    days: Annotated[int | None, typer.Option(help="Days until it expires; default: never.")] = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Make a token; it is shown once and never again."""
    wanted = {"name": name, "role": role, "scopes": scope or None, "expires_in_days": days}
    made = Client(find_access(url, token)).post("/api-tokens", wanted)
    if as_json:
        print_json(made)
    else:
        OUT.print(made["token"], soft_wrap=True)


@app.command("list")
def list_tokens(as_json: AsJson = False, url: Url = None, token: Token = None) -> None:
    """The project's tokens, by prefix."""
    page = {"items": list(every(Client(find_access(url, token)), "/api-tokens"))}
    if as_json:
        print_json(page)
        return
    table = Table(box=None, header_style="dim")
    for column in ("id", "name", "role", "begins with", "last used", "state"):
        table.add_column(column, no_wrap=column == "id", min_width=36 if column == "id" else None)
    for one in page["items"]:
        state = "revoked" if one["revoked_at"] else "valid"
        table.add_row(
            one["id"],
            one["name"],
            one["role"] if one["scopes"] is None else f"{one['role']}: {', '.join(one['scopes'])}",
            one["prefix"],
            one["last_used_at"] or "never",
            state,
        )
    OUT.print(table)


@app.command()
def revoke(
    identifier: Annotated[str, typer.Argument(help="The token's id.")],
    url: Url = None,
    token: Token = None,
) -> None:
    """Make a token worthless at once."""
    Client(find_access(url, token)).delete(f"/api-tokens/{identifier}")
    OUT.print("revoked")
