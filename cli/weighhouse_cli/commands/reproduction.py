"""`weighhouse reproduction`: who measured a campaign again, as its platform counts them."""

import os
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.table import Table
from weighhouse_backend.bundles.verification import Verified
from weighhouse_protocol import pages
from weighhouse_protocol.text import escaped

from weighhouse_cli.bundles import WORDS, checked
from weighhouse_cli.client import Access, Client, find_access
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.exits import CommandFailed, Exit

app = typer.Typer(help="Who measured a campaign again.", no_args_is_help=True)
COUNTS = {
    "reproduced": "reproduced it",
    "did_not_reproduce": "did not reproduce it",
    "cannot_tell": "measured it again, of which nothing can be told",
}
TAR = "application/x-tar"
TELL_TOKEN = "WEIGHHOUSE_TELL_TOKEN"  # noqa: S105 - a setting's name
Campaign = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="Its id.")]


@app.command()
def bring(
    file: Annotated[
        Path, typer.Argument(metavar="BUNDLE", help="A bundle that `weighhouse reproduce` kept.")
    ],
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Bring a bundle that measured a campaign again to the platform that the campaign is of. It is
    worked out again there before it counts; bringing it twice is the same as once.

    Exit codes: 0 it counts there, whatever it came to, 4 it was refused.
    """
    with checked(file, as_json=as_json) as found:
        answer = brought(found, file, Client(find_access(url, token)), shown=not as_json)
    if as_json:
        print_json(answer)


@app.command("list")
def list_reproductions(
    campaign: Campaign, as_json: AsJson = False, url: Url = None, token: Token = None
) -> None:
    """Who measured it again, and what each came to; every key counts once."""
    found = Client(find_access(url, token)).get(f"/campaigns/{campaign}/reproductions")
    if as_json:
        print_json(found)
        return
    table = Table("bundle", "key", "outcome", "because")
    for one in found["items"]:
        own = " (this platform's own, not counted)" if one["own_key"] else ""
        table.add_row(
            one["manifest_sha256"], f"{one['key_sha256'][:12]}…{own}",
            WORDS[one["outcome"]], escaped(one["because"]),
        )  # fmt: skip
    OUT.print(table)
    for name, words in COUNTS.items():
        OUT.print(f"other installations that {words}: {found[name]}", markup=False, highlight=False)


@app.command()
def remove(
    campaign: Campaign,
    manifest: Annotated[str, typer.Argument(metavar="SHA256", help="Of its bundle, as listed.")],
    url: Url = None,
    token: Token = None,
) -> None:
    """Count one no longer; takes a maintainer."""
    Client(find_access(url, token)).delete(f"/campaigns/{campaign}/reproductions/{manifest}")
    OUT.print("removed", markup=False, highlight=False)


def first_platform(url: str) -> Client:
    """The platform of the campaign that is measured again; never asked with another one's token.

    :raises CommandFailed: when there is no token for it.
    """
    token = os.environ.get(TELL_TOKEN)
    if not token:
        raise CommandFailed(
            Exit.INVALID, f"--tell {url}: set {TELL_TOKEN} to a token of that platform"
        )
    return Client(Access(url=url.rstrip("/"), token=token))


def brought(found: Verified, file: Path, client: Client, *, shown: bool = True) -> dict[str, Any]:
    """Bring a bundle to the platform of the campaign that it measured again.

    :raises CommandFailed: when it measured none again, or is refused there.
    """
    said = found.bundle.manifest.reproduces
    if said is None:
        raise CommandFailed(
            Exit.INVALID,
            f"{file}: it does not say which bundle it measured again; make it with `weighhouse "
            "reproduce`, or with `weighhouse bundle --reproduces`",
        )
    try:
        campaign = UUID(said.campaign_id)  # what stands in a file becomes no address unseen
    except ValueError as error:
        reason = f"{file}: the campaign that it measured again has no id: {said.campaign_id!r}"
        raise CommandFailed(Exit.INVALID, escaped(reason)) from error
    answer: dict[str, Any] = client.send(f"/campaigns/{campaign}/reproductions", file, TAR)
    if shown:
        address = pages.at(client.url, pages.campaign(campaign))
        counted = " (signed by that platform itself, so not counted)" if answer["own_key"] else ""
        OUT.print(f"told: {WORDS[answer['outcome']]}{counted}, {address}",
                  markup=False, highlight=False, soft_wrap=True)  # fmt: skip
    return answer
