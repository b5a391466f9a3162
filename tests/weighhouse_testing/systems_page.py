"""Writes docs/systems.md: what of each system was really exercised, where, when, on which version.

`python -m weighhouse_testing.systems_page RECORD…` takes records of test runs (`--exercised`, see
weighhouse_sdk.testkit.exercised) into docs/systems.json, which keeps the newest of each kind, and
writes the page from it, and the tables of docs/reaching.md and
docs/reconciliation.md. Without a record both are written again.
"""

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from weighhouse_protocol.manifest import Manifest
from weighhouse_sdk.driver import describe_driver
from weighhouse_sdk.errors import BinaryMissing, DriverFailed
from weighhouse_sdk.registry import discover
from weighhouse_sdk.testkit.arrivals import ways_had
from weighhouse_sdk.testkit.exercises import (
    DriverWays,
    Exercise,
    Exercises,
    NotRun,
    ParametersHeld,
)

from weighhouse_testing import counts_table, ways_table
from weighhouse_testing.tree import REPOSITORY

RECORD = REPOSITORY / "docs" / "systems.json"
PAGE = REPOSITORY / "docs" / "systems.md"
UNKNOWN = "unknown"
PARAMETERS = """## Parameters

Written down by `make test-parameters`: the real system was started with each parameter's least,
default and greatest value, each flag on and off, each choice, and at both sides of each need of one
parameter of another. What it then told of itself was held against what was ordered.

*By order*: the system does not tell them, so that its command line or its file was held. *Needs*:
how many there are, and how many of them the system itself refuses, or does otherwise, where they
are not met; the others are the manifest's own. *Not in this build*: the system was built without
it, and says so when it starts.

| system | version | parameters | values | starts | told | by order | needs | not in this build |\
 faults | on |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
HEAD = """# Systems: what was exercised

Written by `make systems` from test runs; do not change it by hand. Each row is a way of setting a
system up that was really gone: the system was started (or found, where it is `external`), asked for
its configuration, put under load by its driver, and removed, by tests that passed.
[Below](#parameters) stands how each system's parameters were held against it.

What stands under *not exercised* is offered by a plugin, and follows its vendor's documentation
(sources in the manifest and on the plugin's page), but was not run on a machine of this project.

| system | deployment | nodes | version | tests | on | where |
| --- | --- | --- | --- | --- | --- | --- |
"""


def nodes_in_words(exercise: Exercise) -> str:
    """`1`, or how many and with how many copies."""
    if exercise.nodes == 1:
        return "1"
    copies = exercise.replication_factor
    return f"{exercise.nodes}, {copies} {'copy' if copies == 1 else 'copies'}"


def merged(old: Exercises, new: Sequence[Exercises]) -> Exercises:
    """The newest record of each way of setting a system up; of what was left out the last run's."""
    ways = {(_way(each), each.stand_in): each for each in old.exercised}
    left_out = list(old.not_run)
    for run in new:
        # A version that a test did not learn gives way to one that another did.
        known_last = sorted(run.exercised, key=lambda each: each.version != UNKNOWN)
        ways |= {(_way(each), each.stand_in): each for each in known_last}
        seen = {each.plugin for each in run.exercised} | {each.plugin for each in run.not_run}
        left_out = [each for each in left_out if each.plugin not in seen] + list(run.not_run)
    held = {each.plugin: each for run in (old, *new) for each in run.held}
    arrivals = {
        (each.driver, each.system, each.way, each.stand_in): each
        for run in (old, *new)
        for each in run.arrivals
    }
    agreements = {
        (each.by, each.system, each.row, each.stand_in): each
        for run in (old, *new)
        for each in run.agreements
    }
    refusals = {
        (each.system, each.refusal, each.stand_in): each
        for run in (old, *new)
        for each in run.refusals
    }
    return Exercises(
        arrivals=tuple(arrivals[key] for key in sorted(arrivals)),
        agreements=tuple(agreements[key] for key in sorted(agreements)),
        refusals=tuple(refusals[key] for key in sorted(refusals)),
        drivers=old.drivers,
        held=tuple(held[key] for key in sorted(held)),
        exercised=tuple(ways[key] for key in sorted(ways)),
        not_run=tuple(sorted(left_out, key=lambda each: (each.plugin, each.reason))),
    )


def page(record: Exercises, manifests: Mapping[str, Manifest]) -> str:
    """The page, of what was and what was not."""
    known = [each for each in record.exercised if each.plugin in manifests]
    rows = [
        f"| {manifests[each.plugin].name} | {each.deployment} | {nodes_in_words(each)} "
        f"| {each.version}{_instead(each)} | {each.tests} | {each.taken_on} | {each.machine} |"
        for each in known
    ]
    gaps = ["## Not exercised", "", *_gaps(known, record, manifests)]
    held = [_held_row(each, manifests) for each in record.held if each.plugin in manifests]
    never = sorted(set(manifests) - {each.plugin for each in record.held})
    others = ", ".join(manifests[name].name for name in never)
    parameters = [PARAMETERS + "\n".join(held), "", f"Not held yet: {others or 'none'}."]
    return HEAD + "\n".join([*rows, "", *gaps, "", *parameters]) + "\n"


def _held_row(held: ParametersHeld, manifests: Mapping[str, Manifest]) -> str:
    names = [", ".join(f"`{name}`" for name in each) for each in (held.ordered, held.builds)]
    needs = f"{held.requirements}, {held.refused}" if held.requirements else "none"
    return (
        f"| {manifests[held.plugin].name} | {held.version} | {held.parameters} | {held.values} "
        f"| {held.starts} | {held.told} | {names[0] or 'none'} | {needs} | {names[1] or 'none'} "
        f"| {len(held.faults)} | {held.taken_on} |"
    )


def _instead(exercise: Exercise) -> str:
    return f" ({exercise.stand_in})" if exercise.stand_in else ""


def _way(exercise: Exercise) -> tuple[str, str, int, int]:
    return (
        exercise.plugin,
        exercise.deployment,
        exercise.nodes,
        exercise.replication_factor,
    )


def _gaps(
    known: Iterable[Exercise], record: Exercises, manifests: Mapping[str, Manifest]
) -> Iterator[str]:
    gone = {(each.plugin, each.deployment) for each in known if not each.stand_in}
    several = {each.plugin for each in known if each.nodes > 1 and not each.stand_in}
    for plugin, manifest in sorted(manifests.items()):
        missing = [way for way in manifest.deployments if (plugin, way) not in gone]
        lacks = [f"`{way}`" for way in missing]
        if manifest.topology.max_nodes > 1 and plugin not in several:
            lacks.append("several nodes")
        if lacks:
            # Reasons of a machine without the system say nothing where another one had it.
            never = all(way != plugin for way, _ in gone)
            reasons = _reasons(plugin, record.not_run) if never else "."
            yield f"- **{manifest.name}**: {', '.join(lacks)}{reasons}"


def _reasons(plugin: str, not_run: Iterable[NotRun]) -> str:
    found = [each for each in not_run if each.plugin == plugin]
    if not found:
        return "."
    return (
        "; "
        + "; ".join(f"{each.reason} ({each.tests} tests, {each.taken_on})" for each in found)
        + "."
    )


def stored() -> Exercises:
    """The record that the repository keeps."""
    if not RECORD.exists():
        return Exercises()
    return Exercises.model_validate_json(RECORD.read_text(encoding="utf-8"))


def manifests() -> dict[str, Manifest]:
    """Of every system whose plugin is installed."""
    plugins, _ = discover()
    return {name: each.manifest for name, each in plugins.items() if each.manifest.kind == "system"}


def drivers_of(old: Iterable[DriverWays], manifests: Iterable[Manifest]) -> tuple[DriverWays, ...]:
    """What drivers say of themselves; of one that is not here what it said before. The engine knows
    maps of addresses, and the manifest whether the driver's library does.
    """
    known = list(manifests)
    said = {each.driver: each for each in old}
    mapping = {each.driver.id for each in known if each.addresses and each.addresses.address_map}
    for driver in {each.driver.id for each in known}:
        with contextlib.suppress(BinaryMissing, DriverFailed):
            ways = ways_had(describe_driver(driver))
            ways = tuple(way for way in ways if way != "address map" or driver in mapping)
            said[driver] = DriverWays(driver=driver, ways=ways)
    return tuple(said[driver] for driver in sorted(said))


def main(paths: list[str]) -> None:
    """Take the records in, write record and page."""
    runs = [Exercises.model_validate_json(Path(path).read_text(encoding="utf-8")) for path in paths]
    record = merged(stored(), runs)
    known, _ = discover()
    drivers = drivers_of(record.drivers, [each.manifest for each in known.values()])
    record = record.model_copy(update={"drivers": drivers})
    RECORD.write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(record, manifests()), encoding="utf-8")
    reaching = ways_table.PAGE.read_text(encoding="utf-8")
    ways_table.PAGE.write_text(ways_table.written(reaching, record, manifests()), encoding="utf-8")
    counts = counts_table.table(record.agreements, manifests())
    counted = ways_table.with_table(counts_table.PAGE.read_text(encoding="utf-8"), counts)
    counts_table.PAGE.write_text(counted, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
