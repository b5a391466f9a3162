"""The page of ceilings has those of the manifests, line for line."""

from collections.abc import Iterator
from pathlib import Path

from weighhouse_protocol.ceilings import Ceiling
from weighhouse_protocol.fairness.rules import Drawn
from weighhouse_protocol.manifest import Manifest, load_manifest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "ceilings.md"
UNITS = {"connections": "", "key": " B", "record": " B", "field": " B"}


def rows() -> Iterator[str]:
    """One line a ceiling, in order of the systems' names."""
    manifests = [load_manifest(each) for each in ROOT.glob("plugins/*/*/plugin.toml")]
    for manifest in sorted(manifests, key=lambda each: each.name.lower()):
        yield from (row_of(manifest, each) for each in manifest.ceilings)


def row_of(manifest: Manifest, ceiling: Ceiling) -> str:
    when = ", ".join(f"`{name}` = {str(said).lower()}" for name, said in ceiling.when.items())
    held = ceiling.of + (f", {when}" if when else "")
    beside = [f"{ceiling.record_bytes}" if ceiling.record_bytes else "",
              f"{ceiling.field_bytes} a field" if ceiling.field_bytes else "",
              "key" if ceiling.key else "", "names" if ceiling.names else ""]  # fmt: skip
    return (
        f"| {manifest.name} | {held} | {most_of(ceiling)} | "
        f"{', '.join(filter(None, beside)) or '–'} | {ceiling.mend or 'nothing raises it'} |"
    )


def most_of(ceiling: Ceiling) -> str:
    unit, most = UNITS[ceiling.of], ceiling.most
    if not isinstance(most, Drawn):
        return f"{most:,.0f}{unit}"
    name = most.of.removeprefix("setting:")
    times = f" × {most.times:,.0f}" if most.times != 1 else ""
    shipped = "" if most.otherwise is None else f"; {most.otherwise:,}{unit} as shipped"
    return f"`{name}`{times}{shipped}"


def test_the_page_lists_what_manifests_say() -> None:
    told = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    assert told[2:] == list(rows())
