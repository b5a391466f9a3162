"""Whether a target can have the records it asks for: loaded, shared, or there before. Pure."""

from collections.abc import Iterator, Sequence

from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload


def data_errors(target: Target, workloads: Sequence[Workload] = ()) -> Iterator[FieldError]:
    """Everything in a target's `data` and `onto` that cannot be.

    :param workloads: that it is measured under; none: nothing is said of them.
    :returns: errors with paths in the target.
    """
    external = target.deployment == "external"
    if target.onto is not None and not external:
        yield FieldError(
            path="onto",
            message="a system that the agent sets up itself is empty",
            expected="to leave it out, or deployment: external",
        )
    elif target.onto is not None and target.data == "keep":
        yield FieldError(
            path="onto", message="data: keep loads nothing", expected="to leave it out"
        )
    if target.data == "fresh":
        return
    if target.data == "keep" and not external:
        yield FieldError(
            path="data",
            message=f"keep: nothing is there before a {target.deployment} is set up for a run",
            expected="fresh, or deployment: external",
        )
    if target.data == "once" and target.deployment in ("process", "docker"):
        yield FieldError(
            path="data",
            message=f"once: a {target.deployment} is set up for each run, and its data end with it",
            expected="fresh, or deployment: external or in_process",
        )
    if target.tool is not None and not external:
        yield FieldError(
            path="data",
            message=f"{target.data}: {target.tool} makes a directory of its own for each run",
            expected="fresh, or no tool: the plugin's own driver",
        )
    for workload in workloads:
        yield from _workload_errors(target, workload)


def _workload_errors(target: Target, workload: Workload) -> Iterator[FieldError]:
    if workload.verify_fraction > 0:
        yield FieldError(
            path="data",
            message=f"{target.data}: the values of workload {workload.name} were not written by "
            "the run that would verify them",
            expected="fresh, or verify_fraction: 0",
        )
    if target.data == "once" and workload.longest_ttl is not None:
        yield FieldError(
            path="data",
            message=f"once: records of workload {workload.name} expire before later runs read them",
            expected=f"fresh, or no {'ttl_seconds' if workload.expiry is None else 'expiry'}",
        )
