"""`weighhouse bundle`, `verify` and `reproduce`: a campaign as a file that anybody can check."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from weighhouse_backend.bundles.reproduction import Outcome, Reproduction, reproduction
from weighhouse_backend.bundles.verification import Verified
from weighhouse_protocol.matrix import Exclusion
from weighhouse_protocol.percent import signed_percent
from weighhouse_protocol.text import escaped

from weighhouse_cli.bundles import WORDS, checked
from weighhouse_cli.client import Client, find_access
from weighhouse_cli.commands import reproduction as reproductions
from weighhouse_cli.commands.export import Audience, For, Output
from weighhouse_cli.commands.options import AsJson, Token, Url
from weighhouse_cli.console import OUT, follow, print_json
from weighhouse_cli.downloads import saved
from weighhouse_cli.exits import CommandFailed, Exit

File = Annotated[Path, typer.Argument(metavar="BUNDLE", help="The bundle, a .tar.")]
SHOWN = 20
LONGEST_SLUG, SHOWN_DIGEST = 63, 8
EXITS: Mapping[Outcome, Exit] = {
    "reproduced": Exit.PASSED,
    "did_not_reproduce": Exit.REGRESSION,
    "cannot_tell": Exit.INCONCLUSIVE,
}


def bundle(
    campaign_id: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="The campaign's id.")],
    output: Output = None,
    audience: For = Audience.INTERNAL,
    reproduces: Annotated[
        Path | None, typer.Option(help="The bundle that the campaign measured again.")
    ] = None,
    url: Url = None,
    token: Token = None,
) -> None:
    """Take a campaign along as one signed file, with all that its figures follow from."""
    asked = {} if audience is Audience.INTERNAL else {"audience": audience.value}
    if reproduces is not None:
        with checked(reproduces) as found:
            asked |= named(found)
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


def reproduce(
    file: File,
    cells: Annotated[
        list[str] | None,
        typer.Option(
            "--cells",
            help="'WORKLOAD~LOAD LEVEL' as the bundle has them; may be repeated. Default: all.",
        ),
    ] = None,
    output: Output = None,
    audience: For = Audience.INTERNAL,
    tell: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Bring the new bundle to the platform that the first one is of, with the token in "
            f"{reproductions.TELL_TOKEN}.",
        ),
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Measure a bundle's campaign again on a platform, and say whether it came to the same. The
    new campaign's bundle is kept beside, and says what it measured again.

    Exit codes: 0 reproduced, 1 did not reproduce, 2 cannot tell, 3 it was not measured,
    4 the bundle is damaged or was changed.
    """
    with checked(file, as_json=as_json) as original:
        if original.differs:
            raise CommandFailed(
                Exit.INVALID,
                f"{file}: it tells what its histograms do not; see `weighhouse verify`",
            )
        client = Client(find_access(url, token))
        first = None if tell is None else reproductions.first_platform(tell)
        document = narrowed(original, cells or [])
        experiment = client.post(
            "/experiments", {"document": document}, repeatable=True, upsert="true"
        )
        campaign = client.post(
            "/campaigns", {"experiment_id": experiment["id"], "base": "none"}, repeatable=True
        )
        campaign = follow(client, campaign["id"], quiet=as_json)
        if campaign["status"] != "completed":
            raise CommandFailed(
                Exit.INFRASTRUCTURE, f"the campaign that measures it again {campaign['status']}"
            )
        asked = named(original)
        if audience is not Audience.INTERNAL:
            asked["audience"] = audience.value
        kept = saved(client, f"/campaigns/{campaign['id']}/bundle", asked, output)
        with checked(kept, as_json=as_json) as again:
            found = reproduction(original.again.choice, again.again.choice)
            if as_json:
                print_json({"bundle": str(kept), "campaign": campaign["id"]} | asdict(found))
            else:
                show_reproduction(found)
            if first is not None:
                reproductions.brought(again, kept, first, shown=not as_json)
    raise typer.Exit(EXITS[found.outcome])


def named(original: Verified) -> dict[str, str]:
    """What the bundle of a campaign is asked for with that measured another one again."""
    return {
        "reproduces_manifest": original.bundle.manifest_sha256,
        "reproduces_signer": original.bundle.key_sha256,
        "reproduces_campaign": original.bundle.manifest.campaign_id,
    }


def narrowed(original: Verified, cells: Sequence[str]) -> dict[str, Any]:
    """The experiment of a bundle under a slug of its own, with some of its cells.

    :param cells: `WORKLOAD~LOAD LEVEL` each; all for none.
    :raises CommandFailed: when one is not in it.
    """
    document = original.again.told.document
    wanted = {_cell(one) for one in cells}
    known = {
        (workload.name, level.label)
        for workload in document.workloads
        for level in document.load_levels
    }
    if strange := sorted(wanted - known):
        told = ", ".join(sorted("~".join(one) for one in known))
        raise CommandFailed(Exit.INVALID, f"--cells {'~'.join(strange[0])}: the bundle has {told}")
    wanted = wanted or known
    left_out = [
        Exclusion(workload=workload, load=level, reason="not measured again")
        for workload, level in sorted(known - wanted)
        if workload in {one for one, _ in wanted} and level in {one for _, one in wanted}
    ]
    digest = original.bundle.manifest_sha256[:SHOWN_DIGEST]
    levels = {level for _, level in wanted}
    found = document.model_copy(
        update={
            "slug": f"{document.slug[: LONGEST_SLUG - len(digest) - 1]}-{digest}",
            "workloads": tuple(
                one for one in document.workloads if one.name in {name for name, _ in wanted}
            ),
            "load_levels": tuple(one for one in document.load_levels if one.label in levels),
            "exclusions": (*document.exclusions, *left_out),
        }
    )
    return found.model_dump(mode="json")


def _cell(text: str) -> tuple[str, str]:
    workload, _, level = text.partition("~")
    return workload, level


def show_reproduction(found: Reproduction) -> None:
    """What measuring again came to, for people."""

    def say(line: str, **style: Any) -> None:
        OUT.print(line, soft_wrap=True, markup=False, **style)

    for one in found.cells:
        figures = (
            f"{one.original:,.4g} → {one.again:,.4g} {one.unit} ({signed_percent(one.relative)})"
        )
        say(
            f"{one.target}, {one.workload}, {one.load_level}: {one.figure} {figures}: "
            f"{WORDS[one.outcome]}, {one.because}"
        )
    for said in found.sides:
        before, now = (word.replace("_", " ") for word in (said.original, said.again))
        say(
            f"{said.target} against {said.baseline}, {said.workload}, {said.load_level}: "
            f"{before} → {now}: {WORDS[said.outcome]}"
        )
    for line in found.machines:
        say(f"another kind of machine: {line}", style="yellow")
    for line in found.changes:
        say(f"set up otherwise: {line}", style="yellow")
    for line in found.left_out:
        say(f"not compared: {line}", style="dim")
    say(f"{WORDS[found.outcome]}: {found.because}", style="bold")


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
