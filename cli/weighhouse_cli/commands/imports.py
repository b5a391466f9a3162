"""`weighhouse import`: what others measured, shown before anything of it is kept."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from weighhouse_imports.importer import Told
from weighhouse_imports.reader import ImporterMissing, Preview, read_paths
from weighhouse_imports.registry import importers

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands import published
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.exits import CommandFailed, Exit
from weighhouse_cli.previews import as_document, show_preview


class Unit(StrEnum):
    """What one of the values is, where files do not say it."""

    NS = "ns"
    US = "us"
    MS = "ms"


IN_US = {Unit.NS: 1e-3, Unit.US: 1.0, Unit.MS: 1e3}


def import_files(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files, folders and archives (zip, tar).")
    ] = None,
    format_name: Annotated[
        str | None, typer.Option("--format", help="Of all of them; default: by their content.")
    ] = None,
    unit: Annotated[
        Unit | None, typer.Option(help="Of the values, where the files do not say it.")
    ] = None,
    one_run: Annotated[
        bool | None,
        typer.Option(
            "--one-run/--several-runs",
            help="Files of one folder are clients of one run, or are not; default: as they say.",
        ),
    ] = None,
    system: Annotated[str, typer.Option(help="What was measured, where no file says it.")] = "",
    title: Annotated[str, typer.Option(help="What the results are called.")] = "",
    preview: Annotated[
        bool, typer.Option("--preview", help="Show what is understood; keep nothing.")
    ] = False,
    formats: Annotated[bool, typer.Option("--formats", help="List the formats, and end.")] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Have the platform keep it, if nothing was refused.")
    ] = False,
    project: Annotated[
        str | None, typer.Option(help="Id of the project that keeps it; default: the only one.")
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Read what others measured, and show what of it was understood, unknown or refused.

    Needs no platform, and keeps nothing, unless `--keep` sends it to one.
    Exit codes: 0 all of it was read, 4 something was refused.
    """
    if preview and keep:
        raise CommandFailed(Exit.INVALID, "--preview keeps nothing; leave out one of the two")
    if formats:
        for name, importer in sorted(importers().items()):
            OUT.print(f"{name:18} {importer.manifest.title}", markup=False, highlight=False)
        return
    told = Told(unit_us=IN_US[unit] if unit else None, one_run=one_run, system=system, title=title)
    found = read(files or [], format_name, told)
    if not (keep and as_json):
        if as_json:
            print_json(as_document(found))
        else:
            show_preview(found)
    if keep:
        client = Client(find_access(url, token))
        kept = published.keep(found, client, project)
        if as_json:
            print_json(kept)
        else:
            published.show_kept(kept, client.url)
    if found.refused or found.results is None:
        raise typer.Exit(Exit.INVALID)


def read(files: list[Path], format_name: str | None, told: Told) -> Preview:
    """What files hold; whoever sends results begins with it.

    :raises CommandFailed: for a file that is not there, none at all, or a format that nobody reads.
    """
    if not files:
        raise CommandFailed(
            Exit.INVALID, "name files, folders or archives; --formats lists formats"
        )
    if missing := [str(each) for each in files if not each.exists()]:
        raise CommandFailed(Exit.INVALID, f"{missing[0]}: no such file")
    try:
        return read_paths(files, format_name, told)
    except ImporterMissing as error:
        raise CommandFailed(Exit.INVALID, f"--format: {error}") from error
