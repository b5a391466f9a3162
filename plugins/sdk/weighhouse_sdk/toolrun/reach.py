"""What of an order a tool can say, and sentences for the rest."""

from collections.abc import Iterator
from dataclasses import dataclass

from weighhouse_protocol.driver import DriverOrder
from weighhouse_protocol.load import ClosedLoad
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.workload import Workload

HARMLESS = frozenset(
    {
        "name", "description", "record_count", "operations", "request_distribution", "zipf_theta",
        "hotspot_data_fraction", "hotspot_operation_fraction", "exponential_percentile",
        "exponential_fraction", "min_scan_length", "max_scan_length", "scan_length_distribution",
        "insert_retry_limit",
    }
)  # fmt: skip
"""Parts of a workload that are looked at by themselves, or have no meaning without such a part."""


@dataclass(frozen=True)
class Reach:
    """What a tool's options can say. Whatever is not here is refused where it differs from the
    default, parts of a workload that are yet to be invented among them.
    """

    workload: frozenset[str] = frozenset()
    """Parts of a workload that it can carry out, whatever they are set to; the tool looks at the
    values."""
    options: frozenset[str] = frozenset()
    """Options of the driver in whose place it is."""
    distributions: frozenset[str] = frozenset({"uniform"})
    mixes: bool = False
    """Whether one run can be of several operations."""
    open_loop: bool = False
    pipeline: bool = False
    shards: bool = False
    """Whether it can be told how many threads to have."""
    slices: bool = False
    """Whether it loads a part of the records when several share them; for tools that load."""
    endless: bool = False
    """Whether a phase may have an operation count and a duration, whichever ends first."""

    def refusals(self, order: DriverOrder, manifest: Manifest) -> list[str]:
        """What it cannot say, one sentence each."""
        name = manifest.name
        return [
            *self._workload(order.workload, manifest),
            *self._load(order, name),
            *(
                f"options.{option}: {name} has nothing for it"
                for option in sorted(order.target.options)
                if option not in self.options
            ),
        ]

    def _workload(self, workload: Workload, manifest: Manifest) -> Iterator[str]:
        name = manifest.name
        shares = {each: share for each, share in workload.operations.model_dump().items() if share}
        for operation in shares:
            if operation not in manifest.operations:
                offered = ", ".join(manifest.operations)
                yield f"workload.operations.{operation}: {name} can do {offered}"
        if len(shares) > 1 and not self.mixes:
            yield f"workload.operations: {name} does one operation in a run, not a mix"
        if workload.request_distribution not in self.distributions:
            offered = ", ".join(sorted(self.distributions))
            yield (
                f"workload.request_distribution: {name} chooses keys by {offered}, "
                f"not {workload.request_distribution}"
            )
        plain = Workload(name="plain")
        for part in Workload.model_fields:
            known = part in HARMLESS or part in self.workload
            if not known and getattr(workload, part) != getattr(plain, part):
                yield f"workload.{part}: {name} cannot do this; leave it at the default"

    def _load(self, order: DriverOrder, name: str) -> Iterator[str]:
        load = order.load
        if isinstance(load, ClosedLoad):
            if load.think_time_us:
                yield f"load.think_time_us: clients of {name} do not pause"
            if load.pipeline > 1 and not self.pipeline:
                yield f"load.pipeline: clients of {name} have one request under way"
        elif not self.open_loop:
            yield f"load.model: {name} is a closed loop; it cannot keep to a rate"
        elif load.profile is not None or load.operation_rates:
            yield f"load: {name} keeps to one rate for all"
        if order.shards > 1 and not self.shards:
            yield f"shards: {name} cannot be told how many threads to have"
        for index, phase in enumerate(order.phases):
            both = phase.operation_count is not None and phase.duration_seconds is not None
            if both and not self.endless and phase.kind != "load":
                yield f"phases[{index}]: {name} ends at a count or at a time, not at the first"
            neither = phase.operation_count is None and phase.duration_seconds is None
            if neither and phase.kind != "load":
                yield f"phases[{index}]: has no end"
