"""How much a system gives to its data, by the settings that were in effect. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weighhouse_judging.findings.sizes import Beyond, bound_of, footprint_of, held
from weighhouse_protocol.compatibility.caches import reads_disk
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload


@dataclass(frozen=True)
class Held:
    """Of each node; None: no parameter of the manifest says, or the system knows no bound."""

    data_bytes: int | None = None
    """What of that which it gives to records they may take."""
    on_disk: bool = False
    reads_disk: bool = False
    """Whether reads may go to disk."""
    beyond: Beyond | None = None
    cache_bytes: int | None = None
    footprint_bytes: int | None = None
    """Of one record; None: the manifest does not say."""


def held_in_effect(
    target: Target,
    workload: Workload,
    manifest: Manifest,
    settings: Sequence[Mapping[str, Any]],
) -> Held:
    """What a node held, as the system said of itself where it told, else as it was ordered.

    :param settings: the effective configuration, `weighhouse_protocol.report.Setting` each.
    """
    told = {str(one["name"]): str(one["value"]) for one in settings}
    facts = Facts(target, manifest, settings=told)
    bound, cache = bound_of(facts, workload), held("cache", facts)
    if bound is not None and bound.in_memory:
        cache = None  # It is before files that nothing is read from.
    footprint = footprint_of(facts, workload)
    return Held(
        data_bytes=None if bound is None else int(bound.usable_bytes),
        reads_disk=reads_disk(facts),
        on_disk=bound is not None and not bound.in_memory,
        beyond=None if bound is None else bound.beyond,
        cache_bytes=None if cache is None else int(cache[1]),
        footprint_bytes=None if footprint is None else footprint.bytes_of(workload),
    )
