"""`weighhouse bundle`, `verify` and `reproduce`: a campaign as a file that anybody can check."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from weighhouse_backend.bundles.verification import Verified, verified
from weighhouse_protocol.bundles.archive import BundleError
from weighhouse_protocol.text import escaped

from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands.export import Audience, For, Output
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, print_json
from weighhouse_cli.downloads import saved
from weighhouse_cli.exits import CommandFailed, Exit

File = Annotated[Path, typer.Argument(metavar="BUNDLE", help="The bundle, a .tar.")]
SHOWN = 20


def bundle(
    campaign_id: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="The campaign's id.")],
    output: Output = None,
    audience: For = Audience.INTERNAL,
    url: Url = None,
    token: Token = None,
) -> None:
    """Take a campaign along as one signed file, with all that its figures follow from."""
    asked = {} if audience is Audience.INTERNAL else {"audience": audience.value}
    saved(Client(find_access(url, token)), f"/campaigns/{campaign_id}/bundle", asked, output)


def verify(
    file: File,
    key: Annotated[
        str | None,
        typer.Option(help="SHA-256 of the key that has to have signed it, as it is told there."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a bundle, without any platform: every byte, the signature, and every figure, finding,
    interval and verdict worked out again from the histograms.

    Exit codes: 0 all of it holds, 1 something comes to other than it tells, 4 it is damaged, was
    changed, or is signed by another key.
    """
    with checked(file, as_json=as_json) as found:
        require_key(file, found, key)
        if as_json:
            print_json(told(found))
        else:
            show(file, found)
        if found.differs:
            raise typer.Exit(Exit.REGRESSION)


@contextmanager
def checked(file: Path, *, as_json: bool = False) -> Iterator[Verified]:
    """A bundle, checked.

    :param as_json: what is wrong is told to programs, too.
    :raises CommandFailed: when it cannot be read, or is not as it was signed.
    """
    try:
        with file.open("rb") as opened:
            yield verified(opened)
    except OSError as error:
        raise CommandFailed(Exit.INVALID, f"{file}: {error.strerror or error}") from error
    except BundleError as error:
        if as_json:
            print_json({"file": str(file), "holds": False, "refused": str(error)})
        raise CommandFailed(Exit.INVALID, escaped(f"{file}: {error}")) from error


def require_key(file: Path, found: Verified, key: str | None) -> None:
    """:raises CommandFailed: when another key signed a bundle than was asked for."""
    wanted = None if key is None else key.strip().lower().removeprefix("sha256:")
    if wanted not in {None, found.bundle.key_sha256}:
        raise CommandFailed(
            Exit.INVALID, f"{file}: the key {found.bundle.key_sha256} signed it, not {wanted}"
        )


def told(found: Verified) -> dict[str, Any]:
    """What came of checking a bundle, for programs."""
    manifest = found.bundle.manifest
    return {
        "holds": not found.differs,
        "manifest_sha256": found.bundle.manifest_sha256,
        "key_sha256": found.bundle.key_sha256,
        "title": manifest.title,
        "software": manifest.software,
        "campaign": {"id": manifest.campaign_id, "number": manifest.campaign_number},
        "stamp": manifest.stamp or None,
        "interim": manifest.interim or None,
        "reproduces": None
        if manifest.reproduces is None
        else manifest.reproduces.model_dump(mode="json"),
        "files": len(manifest.files),
        "worked_out_again": found.again.found.counts,
        "differs": found.differs,
        "not_worked_out": found.again.found.left,
    }


def show(file: Path, found: Verified) -> None:
    """What came of checking a bundle, for people."""
    manifest, again = found.bundle.manifest, found.again.found

    def say(line: str, **style: Any) -> None:
        OUT.print(escaped(line), soft_wrap=True, markup=False, **style)

    say(f"{file}: {manifest.title}")
    for line in (manifest.stamp, manifest.interim):
        if line:
            say(line, style="yellow")
    say(f"manifest  sha256:{found.bundle.manifest_sha256}", style="dim")
    say(f"key       sha256:{found.bundle.key_sha256}", style="dim")
    if manifest.reproduces is not None:
        say(f"measures again  sha256:{manifest.reproduces.manifest_sha256}", style="dim")
    say(f"{len(manifest.files)} files are as they were signed")
    worked = ", ".join(f"{count:,} {what}" for what, count in again.counts.items())
    say(f"worked out again: {worked}")
    for line in again.left[:SHOWN]:
        say(f"not worked out: {line}", style="yellow")
    for line in found.differs[:SHOWN]:
        say(f"differs: {line}", style="red")
    if len(found.differs) > SHOWN:
        say(f"and {len(found.differs) - SHOWN} more", style="red")
    if not found.differs:
        say("all of it holds", style="green")
