"""Whether systems, drivers and machines can measure chained phases. Pure."""

from collections.abc import Iterator, Mapping

from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest

ELSE = "no phases.chain: each workload on a system of its own"


def chain_errors(experiment: Experiment, manifests: Mapping[str, Manifest]) -> Iterator[FieldError]:
    """Each phase of a chain has a driver of its own, which finds what the one before left: what
    lives inside its driver ends with it, a foreign tool loads again, and the drivers of a gang
    begin together but once.
    """
    if not experiment.phases.chain:
        return
    for index, target in enumerate(experiment.targets):
        manifest = manifests.get(target.system)
        name = target.system if manifest is None else manifest.name
        if target.tool is not None:
            tool = manifests.get(target.tool)
            yield FieldError(
                path=f"targets[{index}].tool",
                message=f"{target.tool if tool is None else tool.name} makes its load in one piece "
                "and cannot go on where the phase before it ended",
                expected=f"no tool: the plugin's own driver, or {ELSE}",
            )
        elif target.deployment == "in_process":
            yield FieldError(
                path=f"targets[{index}].deployment",
                message=f"{name} lives inside its driver, and would end with each phase of a chain",
                expected=ELSE,
            )
    placement = experiment.placement
    if placement.servers.machines > 1 or placement.drivers.machines > 1 or placement.apart != "no":
        yield FieldError(
            path="placement",
            message="a chain of phases is measured from one machine, which holds servers and "
            "driver",
            expected=f"servers and drivers on one machine, and apart: no; or {ELSE}",
        )
