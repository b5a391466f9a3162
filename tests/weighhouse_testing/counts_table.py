"""The table of docs/reconciliation.md: whose counts were seen to agree with a system's own."""

from collections.abc import Iterable, Mapping, Sequence

from weighhouse_protocol.manifest import Manifest
from weighhouse_sdk.testkit.exercises import Agreement

from weighhouse_testing.tree import REPOSITORY

PAGE = REPOSITORY / "docs" / "reconciliation.md"
ROWS = ("reads", "writes", "deletes", "scans")

Key = tuple[str, str]
"""System and who asked it."""


def table(agreements: Iterable[Agreement], manifests: Mapping[str, Manifest]) -> str:
    """A row for each system and what drove it, a column for each kind of operation."""
    seen: dict[Key, dict[str, list[Agreement]]] = {}
    for each in agreements:
        if each.system in manifests:
            seen.setdefault((each.system, each.by), {}).setdefault(each.row, []).append(each)
    keys = {(name, each.driver.id) for name, each in manifests.items()} | seen.keys()
    own = {name: each.driver.id for name, each in manifests.items()}
    ordered = sorted(keys, key=lambda key: (manifests[key[0]].name, key[1] != own[key[0]], key[1]))
    lines = [
        f"| system | counts of | {' | '.join(ROWS)} | tests |",
        f"| --- | --- |{' --- |' * (len(ROWS) + 1)}",
    ]
    lines += [_row(manifests[system], by, seen.get((system, by), {})) for system, by in ordered]
    return "\n".join(lines) + "\n"


def _row(manifest: Manifest, by: str, seen: Mapping[str, Sequence[Agreement]]) -> str:
    if manifest.counts is None:
        reason = manifest.uncounted or "its plugin does not ask"
        return f"| {manifest.name} | {by} | not told: {reason} |{' |' * len(ROWS)}"
    had = {row.name for row in manifest.counts.rows}
    cells = [_cell(name in had, seen.get(name, ())) for name in ROWS]
    files = sorted({each.test.partition("::")[0] for found in seen.values() for each in found})
    tests = ", ".join(f"`{each}`" for each in files) or "none"
    return f"| {manifest.name} | {by} | {' | '.join(cells)} | {tests} |"


def _cell(had: bool, seen: Sequence[Agreement]) -> str:
    if any(not each.stand_in for each in seen):
        return "agree"
    if seen:
        return "on a stand-in"
    return "not seen" if had else "–"
