"""`weighhouse report`: reports, their files and editions."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.downloads import saved
from weighhouse_cli.lists import every

app = typer.Typer(
    help="Reports: texts around what was measured, as files, and their editions.",
    no_args_is_help=True,
)


class Form(StrEnum):
    """How a report is written."""

    PDF = "pdf"
    MARKDOWN = "markdown"
    HTML = "html"


Report = Annotated[str, typer.Argument(help="The report's id, as `list` shows it.")]
Edition = Annotated[
    int | None, typer.Option(help="An edition, by its number. Default: what stands now.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="The file. Default: as the platform names it.")
]


@app.command("list")
def list_reports(
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Reports, newest first."""
    client = Client(find_access(url, token))
    found: dict[str, Any] = {"items": list(every(client, "/reports"))}
    if as_json:
        print_json(found)
        return
    for one in found["items"]:
        editions = f"{one['editions']} editions" if one["editions"] != 1 else "1 edition"
        line = f"{one['id']}  {one['title']}  revision {one['revision']}, {editions}"
        OUT.print(line, markup=False, highlight=False)
    if not found["items"]:
        OUT.print("no report; `Make a report` stands on the page of a comparison")


@app.command()
def show(
    report: Report,
    edition: Edition = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """A report in Markdown, its references replaced by what stands now."""
    client = Client(find_access(url, token))
    if as_json:
        of = f"/reports/{report}" if edition is None else f"/reports/{report}/editions/{edition}"
        print_json(client.get(of))
        return
    text = client.text(f"/reports/{report}/file", form=Form.MARKDOWN.value, edition=edition)
    typer.echo(text, nl=False)


@app.command()
def export(
    report: Report,
    form: Annotated[Form, typer.Option("--format", help="How it is written.")] = Form.PDF,
    edition: Edition = None,
    output: Output = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """A report as a file: PDF where the platform's machine has a Chromium, Markdown or HTML."""
    client = Client(find_access(url, token))
    query = {"form": form.value, "edition": edition}
    saved(client, f"/reports/{report}/file", query, output)


@app.command()
def edition(report: Report, as_json: AsJson = False, url: Url = None, token: Token = None) -> None:
    """Make an edition: the report as it stands, which stays."""
    made = Client(find_access(url, token)).post(f"/reports/{report}/editions")
    if as_json:
        print_json(made)
    else:
        OUT.print(
            f"edition {made['number']} of revision {made['revision']}: sha256 {made['digest']}"
        )
