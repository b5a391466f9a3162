"""Whether a foreign load tool can say what is asked of it, by its manifest. Pure."""

from collections.abc import Iterable, Iterator

from weighhouse_protocol.document_errors import FieldError, listed, within
from weighhouse_protocol.load import ClosedLoad, Load
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

HARMLESS = frozenset(
    {
        "name", "description", "record_count", "operations", "request_distribution", "zipf_theta",
        "hotspot_data_fraction", "hotspot_operation_fraction", "exponential_percentile",
        "exponential_fraction", "gaussian_median", "gaussian_stddev",
        "min_scan_length", "max_scan_length", "scan_length_distribution",
        "insert_retry_limit",
    }
)  # fmt: skip
"""Parts of a workload that are looked at by themselves, or have no meaning without such a part."""
OTHERWISE = "or no tool: the plugin's own driver"


def reached_errors(target: Target, system: Manifest, tool: Manifest) -> Iterator[FieldError]:
    """What of a target a tool cannot be told; of one whose manifest does not say, nothing.

    :param system: of the target's system.
    :returns: errors with paths in the target.
    """
    reach = None if tool.tool is None else tool.tool.reach
    if reach is None:
        return
    yield from within("driver_options", option_errors(target.driver_options, tool))
    if target.deployment == "in_process":  # What lives in the driver has its settings as options.
        yield from within("parameters", option_errors(target.parameters, tool))
    ends = system.topology.ends(target)
    if ends > 1 and not reach.several:
        path = "endpoints" if len(target.endpoints) > 1 else "topology"
        yield FieldError(
            path=path,
            message=f"{tool.name} makes load on one endpoint, there are {ends}",
            expected=f"a target with one, {OTHERWISE}",
        )
    for endpoint in target.endpoints:
        scheme = endpoint.partition("://")[0]
        if scheme not in reach.schemes:
            yield FieldError(
                path="endpoints",
                message=f"{tool.name} is not set up for {scheme}",
                expected=f"{listed(f'{each}://' for each in reach.schemes)}, {OTHERWISE}",
            )


def option_errors(options: Iterable[str], tool: Manifest) -> Iterator[FieldError]:
    """Options of the system's driver that a tool has nothing for, each under its name."""
    reach = None if tool.tool is None else tool.tool.reach
    for name in sorted(options) if reach is not None else ():
        if reach is not None and name not in reach.options:
            yield FieldError(
                path=name,
                message=f"{tool.name} has nothing for it",
                expected=f"to leave it out, {OTHERWISE}",
            )


def part_errors(workload: Workload, tool: Manifest, told: Iterable[str]) -> Iterator[FieldError]:
    """What of a workload a tool cannot be told, besides operations that it does not have.

    :param told: parts that are spoken of already.
    """
    reach = None if tool.tool is None else tool.tool.reach
    if reach is None:
        return
    name = tool.name
    shares = [each for each, share in workload.operations.model_dump().items() if share]
    if len(shares) > 1 and not reach.mixes:
        yield FieldError(
            path="operations",
            message=f"{name} does one operation in a run, not a mix",
            expected=f"one operation, {OTHERWISE}",
        )
    if workload.request_distribution not in reach.distributions:
        offered = listed(sorted(reach.distributions))
        yield FieldError(
            path="request_distribution",
            message=f"{name} chooses keys by {offered}, not {workload.request_distribution}",
            expected=f"{offered}, {OTHERWISE}",
        )
    plain = Workload(name="plain")
    known = HARMLESS.union(reach.workload, told)
    for part in Workload.model_fields:
        if part not in known and getattr(workload, part) != getattr(plain, part):
            yield FieldError(
                path=part,
                message=f"{name} cannot do this",
                expected=f"the default, {OTHERWISE}",
            )


def shape_errors(load: Load, tool: Manifest) -> Iterator[FieldError]:
    """What of a load a tool cannot make."""
    reach = None if tool.tool is None else tool.tool.reach
    if tool.tool is None or reach is None:
        return
    name = tool.name
    if isinstance(load, ClosedLoad):
        if load.think_time_us:
            yield FieldError("think_time_us", f"clients of {name} do not pause", f"0, {OTHERWISE}")
        if load.pipeline > 1 and not tool.tool.pipelines:
            message = f"clients of {name} have one request under way"
            yield FieldError("pipeline", message, f"1, {OTHERWISE}")
    elif not reach.open_loop:
        message = f"{name} is a closed loop; it cannot keep to a rate"
        yield FieldError("model", message, f"model: closed, {OTHERWISE}")
    elif load.profile is not None or load.operation_rates:
        message = f"{name} keeps to one rate for all"
        yield FieldError("", message, f"neither profile nor operation_rates, {OTHERWISE}")
