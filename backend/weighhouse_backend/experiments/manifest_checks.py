"""What an experiment asks of its systems, held against their plugins' manifests. Pure.

What of it concerns a target, a workload, a load or a fault is the protocol's to judge, for the
agents judge by the same; what is here concerns the experiment as a whole.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from weighhouse_protocol.compatibility import addresses
from weighhouse_protocol.compatibility.ceilings import connection_errors
from weighhouse_protocol.compatibility.faults import fault_errors
from weighhouse_protocol.compatibility.targets import target_errors
from weighhouse_protocol.compatibility.workloads import drafts, load_errors, workload_errors
from weighhouse_protocol.document_errors import FieldError, within
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.load import Load
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.matrix import OwnPoints
from weighhouse_protocol.target import Target

from weighhouse_backend.experiments.chain_checks import chain_errors
from weighhouse_backend.experiments.size_checks import size_errors

MOST_ERRORS = 50
"""That are told at once: whoever mends those asks again."""


def check(experiment: Experiment, manifests: Mapping[str, Manifest]) -> list[FieldError]:
    """Everything in an experiment that its plugins cannot do.

    :param experiment: a well-formed experiment.
    :param manifests: by plugin, those the platform knows.
    :returns: unknown systems, parameters and options, values out of range, deployments,
        operations and faults that a system does not have; each with its path and what would be
        right; the first `MOST_ERRORS` of them.
    """
    return list(islice(_errors(experiment, manifests), MOST_ERRORS))


def with_addresses_kept(experiment: Experiment, manifests: Mapping[str, Manifest]) -> Experiment:
    """An experiment whose external targets have their addresses in the form that is kept."""
    kept = tuple(addresses.with_addresses_kept(each, manifests) for each in experiment.targets)
    if kept == experiment.targets:
        return experiment
    return experiment.model_copy(update={"targets": kept})


def _errors(experiment: Experiment, manifests: Mapping[str, Manifest]) -> Iterator[FieldError]:
    matrix = experiment.matrix
    targets = {f"targets[{place}]": target for place, target in enumerate(experiment.targets)}
    for index, (path, target) in enumerate(targets.items()):
        measured = [workload for place, workload in enumerate(experiment.workloads)
                    if matrix.count(index, place)]  # fmt: skip
        known = {"placement:together": experiment.placement.together(target)}
        yield from within(path, target_errors(target, manifests, measured, known))
    yield from _operation_errors(experiment, manifests)
    yield from fault_errors(experiment.faults, targets, manifests)
    yield from _pipeline_errors(experiment, manifests)
    yield from chain_errors(experiment, manifests)
    yield from _filling_errors(experiment)
    yield from size_errors(experiment, manifests)


def _operation_errors(
    experiment: Experiment, manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    matrix, loads = experiment.matrix, [load for _, load in experiment.loads]
    for index, workload in enumerate(experiment.workloads):
        targets = [target for place, target in enumerate(experiment.targets)
                   if matrix.count(place, index)]  # fmt: skip
        errors = workload_errors(workload, targets, manifests, loads)
        yield from within(f"workloads[{index}]", errors)
    for path, load, targets in _loaded(experiment):
        yield from within(path, load_errors(load, targets, manifests))
    loading = [target for target in experiment.targets if target.data != "keep"]
    for facts in drafts(loading, manifests):
        clients = {"phases.load_clients": experiment.phases.load_clients}
        yield from connection_errors(clients, facts)


def _loaded(experiment: Experiment) -> Iterator[tuple[str, Load, list[Target]]]:
    """Each load with its path, and the targets that are measured with it."""
    matrix, count = experiment.matrix, len(experiment.workloads)
    levels = [{level for workload in range(count) for level in matrix.levels_of(index, workload)}
              for index in range(len(experiment.targets))]  # fmt: skip
    for index, level in enumerate(experiment.load_levels):
        path = f"load_levels[{index}]"
        measured = [target for place, target in enumerate(experiment.targets)
                    if index in levels[place]]  # fmt: skip
        if not isinstance(level, OwnPoints):
            yield path, level, measured
            continue
        for place, point in enumerate(level.points):
            own = [target for target in measured if target.name == point.target]
            yield f"{path}.points[{place}].load", point.load, own


def _filling_errors(experiment: Experiment) -> Iterator[FieldError]:
    """What is filled begins nearly empty, each time."""
    for index, target in enumerate(experiment.targets):
        if experiment.sustained is not None and target.data != "fresh":
            yield FieldError(
                path=f"targets[{index}].data",
                message=f"{target.data}: a system that is to be filled begins with its own load",
                expected="fresh, or another scenario than sustained",
            )


def _pipeline_errors(
    experiment: Experiment, manifests: Mapping[str, Manifest]
) -> Iterator[FieldError]:
    """A ladder of depths needs clients that can have several requests under way."""
    if experiment.scenario != "peak":
        return
    for index, target in enumerate(experiment.targets):
        tool = None if target.tool is None else manifests.get(target.tool)
        if tool is not None and tool.tool is not None and not tool.tool.pipelines:
            yield FieldError(
                path=f"targets[{index}].tool",
                message=f"clients of {tool.name} have one request under way: nothing to pipeline",
                expected="no tool: the plugin's own driver, or another scenario",
            )
        elif target.deployment == "in_process" and target.tool is None:
            manifest = manifests.get(target.system)
            name = target.system if manifest is None else manifest.name
            yield FieldError(
                path=f"targets[{index}].deployment",
                message=f"{name} lives inside its driver and answers each call before it returns: "
                "nothing to pipeline",
                expected="scenario: sweep, which varies its clients",
            )
