"""`weighhouse project`: projects, made, renamed, archived and brought back."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table

from weighhouse_cli.client import Client
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.persons import somebody

app = typer.Typer(
    help="Projects: made by who owns the organization, managed by who owns them.",
    no_args_is_help=True,
)
Who = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="EMAIL",
        help="Who signs in for it; the password is asked for. Default: the token, or on the "
        "embedded platform's own machine its first user.",
        show_default=False,
    ),
]
Project = Annotated[str, typer.Argument(help="Its slug or id.", show_default=False)]


@app.command("list")
def list_projects(
    as_json: AsJson = False, who: Who = None, url: Url = None, token: Token = None
) -> None:
    """All projects that one sees, archived ones too.

    Their ids stand in `--json`, and where one slug is of several projects.
    """
    with somebody(url, token, who) as client:
        page = client.get("/projects")
    if as_json:
        print_json(page)
        return
    OUT.print(_listed(page["items"]))


@app.command()
def create(
    slug: Annotated[
        str, typer.Argument(help="Small letters, digits, hyphens; it stays.", show_default=False)
    ],
    name: Annotated[str | None, typer.Option(help="Default: the slug.")] = None,
    organization: Annotated[
        str | None, typer.Option(help="Its name or id; default: the only one.")
    ] = None,
    as_json: AsJson = False,
    who: Who = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """Make a project; takes an owner of the organization, signed in or by a personal token."""
    with somebody(url, token, who) as client:
        wanted = {"slug": slug, "name": name or slug}
        if organization is not None:
            wanted["organization_id"] = _organization(client, organization)
        made = client.post("/projects", wanted)
    if as_json:
        print_json(made)
    else:
        OUT.print(f"{made['name']} is there: {made['id']}", markup=False, soft_wrap=True)


@app.command()
def rename(
    project: Project,
    name: Annotated[str, typer.Argument(help="What it is called from now on.")],
    who: Who = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """Give a project another name; its slug stays."""
    with somebody(url, token, who) as client:
        found = _project(client, project)
        client.patch(f"/projects/{found['id']}", {"name": name})
    OUT.print(f"{found['name']} is called {name} from now on", markup=False, soft_wrap=True)


@app.command()
def archive(project: Project, who: Who = None, url: Url = None, token: Token = None) -> None:
    """Let nothing new be measured in a project.

    Nothing is deleted, and campaigns under way go on to their end. Schedules stand still, and the
    pages' project menu shows it no more; `weighhouse project restore` brings it back.
    """
    with somebody(url, token, who) as client:
        found = _project(client, project)
        client.post(f"/projects/{found['id']}/archive", repeatable=True)
    OUT.print(
        f"{found['name']} is archived: nothing is deleted, no new campaign starts, its schedules "
        f"stand still; `weighhouse project restore {found['slug']}` brings it back",
        markup=False, soft_wrap=True,
    )  # fmt: skip


@app.command()
def restore(project: Project, who: Who = None, url: Url = None, token: Token = None) -> None:
    """Let an archived project be used again; its schedules go on with their next date."""
    with somebody(url, token, who) as client:
        found = _project(client, project)
        client.post(f"/projects/{found['id']}/restore", repeatable=True)
    OUT.print(f"{found['name']} is in use again", markup=False, soft_wrap=True)


def _listed(projects: Sequence[Mapping[str, Any]]) -> Table:
    """What tells projects apart, and their state: all of it in a terminal of 80 columns."""
    rows = [
        {
            "slug": one["slug"],
            "name": one["name"],
            "organization": one["organization_name"],
            "role": one["role"],
            "state": f"archived {one['archived_at'][:10]}" if one["archived_at"] else "in use",
            "id": one["id"],
        }
        for one in projects
    ]
    left_out = set()
    if len({row["slug"] for row in rows}) == len(rows):
        left_out.add("id")
    if len({row["organization"] for row in rows}) < 2:  # noqa: PLR2004 - one tells nothing apart
        left_out.add("organization")
    table = Table(box=None, header_style="dim")
    columns = ("slug", "name", "organization", "role", "state", "id")
    shown = [column for column in columns if column not in left_out]
    for column in shown:
        whole = column in {"role", "state", "id"}
        table.add_column(column, no_wrap=whole, overflow="fold")
    for row in rows:
        table.add_row(*(row[column] for column in shown))
    return table


def _project(client: Client, key: str) -> dict[str, Any]:
    items: list[dict[str, Any]] = client.get("/projects")["items"]
    found = [one for one in items if key in (one["id"], one["slug"])]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(f"{one['id']} of {one['organization_name']}" for one in found)
        raise CommandFailed(
            Exit.INVALID, f"several projects have the slug {key!r}; say which: {ids}"
        )
    known = ", ".join(sorted(one["slug"] for one in items)) or "none"
    raise CommandFailed(Exit.INVALID, f"you see no project {key!r}; those that you see: {known}")


def _organization(client: Client, key: str) -> str:
    found = {
        one["organization_id"]: one["organization_name"] for one in client.get("/projects")["items"]
    }
    for identifier, name in found.items():
        if key in (identifier, name):
            return str(identifier)
    known = ", ".join(sorted(found.values())) or "none"
    raise CommandFailed(
        Exit.INVALID, f"you are in no organization {key!r}; those of yours: {known}"
    )
