"""The table of docs/reaching.md: by which ways drivers were seen to come to systems."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import get_args

from weighhouse_protocol.manifest import Manifest
from weighhouse_sdk.testkit.exercises import Arrival, DriverWays, WayIn

from weighhouse_testing.tree import REPOSITORY

PAGE = REPOSITORY / "docs" / "reaching.md"
BEGIN, END = "<!-- written by `make systems` -->\n", "<!-- to here -->\n"
WAYS: tuple[WayIn, ...] = get_args(WayIn)
INSIDE = "inside the driver: there is nothing to reach"
NOT_SEEN = "not seen"

Key = tuple[str, str]
"""Driver and system."""


def with_table(text: str, table: str) -> str:
    """The page with another table.

    :raises ValueError: when the page has no place for it.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        message = f"the page has no lines {BEGIN!r} and {END!r}"
        raise ValueError(message)
    return f"{before}{begin}\n{table}\n{end}{after}"


def table(
    arrivals: Sequence[Arrival], drivers: Iterable[DriverWays], manifests: Mapping[str, Manifest]
) -> str:
    """A row for each driver and system, a column for each way, and the tests that go them."""
    had = {each.driver: each.ways for each in drivers}
    seen: dict[Key, dict[WayIn, list[Arrival]]] = {}
    for each in arrivals:
        seen.setdefault((each.driver, each.system), {}).setdefault(each.way, []).append(each)
    lines = [
        f"| driver | on | {' | '.join(WAYS)} | tests |",
        f"| --- | --- |{' --- |' * (len(WAYS) + 1)}",
    ]
    lines += [
        _row(key, had.get(key[0]), seen.get(key, {}), manifests) for key in _rows(seen, manifests)
    ]
    return "\n".join(lines) + "\n"


def _rows(seen: Iterable[Key], manifests: Mapping[str, Manifest]) -> Iterator[Key]:
    """Each system's own driver, and what else came to one; what drives nothing else stands last."""
    own = {(each.driver.id, name) for name, each in manifests.items()}
    others = {key for key in seen if key[1] in manifests} - own
    yield from sorted(own)
    yield from sorted(others)


def _row(
    key: Key,
    had: Sequence[WayIn] | None,
    seen: Mapping[WayIn, Sequence[Arrival]],
    manifests: Mapping[str, Manifest],
) -> str:
    driver, system = key
    name = manifests[system].name
    if had == () and not seen:
        return f"| {driver} | {name} | {INSIDE} |{' |' * len(WAYS)}"
    cells = [_cell(way, had, seen.get(way, ())) for way in WAYS]
    files = sorted({each.test.partition("::")[0] for found in seen.values() for each in found})
    tests = ", ".join(f"`{each}`" for each in files) or "none"
    return f"| {driver} | {name} | {' | '.join(cells)} | {tests} |"


def _cell(way: WayIn, had: Sequence[WayIn] | None, seen: Sequence[Arrival]) -> str:
    if any(not each.stand_in for each in seen):
        return "yes"
    if seen:
        return "on a stand-in"
    return NOT_SEEN if had is None or way in had else "–"
