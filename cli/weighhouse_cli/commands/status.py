"""`weighhouse status`: what works, what is missing, and how it is mended."""

from typing import Annotated, Any

import httpx
import typer
from rich.table import Table
from rich.text import Text

from weighhouse_cli.client import platform_url
from weighhouse_cli.commands.options import AsJson, DataDirectory, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.embedded.directory import PlatformDirectory, default_directory
from weighhouse_cli.exits import CommandFailed, Exit

STYLES = {"ok": "green", "unknown": "dim"}
SECONDS = 20.0


def status(
    url: Url = None,
    data_dir: DataDirectory = None,
    strict: Annotated[
        bool, typer.Option(help="End with status 3 when any part is missing, not only the API.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say how each part of the platform does; takes no token."""
    directory = PlatformDirectory(data_dir or default_directory())
    address = platform_url(url, directory)
    try:
        answer = httpx.get(f"{address}/health/ready", timeout=SECONDS)
        found: dict[str, Any] = answer.json()
        parts = found["parts"]
    except (httpx.HTTPError, ValueError, KeyError) as error:
        raise CommandFailed(
            Exit.INFRASTRUCTURE,
            f"{address} does not answer ({type(error).__name__}); `weighhouse up` starts the "
            "embedded platform, --url names another",
        ) from error
    gone = directory.remembered().get("missing", {}) if url is None else {}
    if as_json:
        print_json({**found, "gone": gone})
    else:
        _show(address, found, parts, gone)
    if found["status"] == "down" or (strict and found["status"] != "ok"):
        raise typer.Exit(Exit.INFRASTRUCTURE)


def _show(
    address: str, found: dict[str, Any], parts: list[dict[str, Any]], gone: dict[str, str]
) -> None:
    OUT.print(f"{address}  {found['status']}  {found['version']}", soft_wrap=True)
    table = Table(box=None, show_header=False)
    for part in parts:
        style = STYLES.get(part["condition"], "yellow")
        table.add_row(part["name"], Text(part["condition"], style=style))
    OUT.print(table)
    for held in found.get("conditions", []):  # an older release tells none
        words = f"\n{held['name']}: {held['detail']} (since {held['since']})"
        OUT.print(words, soft_wrap=True, markup=False)
    for part in parts:
        if part["missing"]:
            OUT.print(f"\n{part['name']}: {part['missing']}", soft_wrap=True, markup=False)
            OUT.print(f"  to mend it: {part['mend']}", soft_wrap=True, markup=False)
    for text in gone.values():
        OUT.print(f"\n{text}", soft_wrap=True, markup=False)
