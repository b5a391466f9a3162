"""Whether an experiment's work can be spread as its placement asks. Pure."""

from collections.abc import Iterator, Mapping

from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.load import ClosedLoad
from weighhouse_protocol.manifest import Manifest


def check_placement(experiment: Experiment, manifests: Mapping[str, Manifest]) -> list[FieldError]:
    """What of a placement cannot be: fewer clients than drivers, a system inside its driver on
    other machines, a system whose nodes cannot be on several machines.
    """
    return [*_shares(experiment), *_machines(experiment, manifests), *_fills(experiment)]


def _fills(experiment: Experiment) -> Iterator[FieldError]:
    """A fill is watched, and ended, from one machine."""
    placement = experiment.placement
    spread = placement.servers.machines > 1 or placement.drivers.machines > 1
    if experiment.scenario == "sustained" and (spread or placement.apart != "no"):
        yield FieldError(
            path="placement",
            message="a fill is watched and ended from one machine, which holds servers and driver",
            expected="servers and drivers on one machine, and apart: no",
        )


def _shares(experiment: Experiment) -> Iterator[FieldError]:
    drivers = experiment.placement.drivers.machines
    if drivers == 1:
        return
    asked = f"{drivers} drivers (placement.drivers.machines)"
    expected = f"at least {drivers}, one for each driver"
    for path, load in experiment.loads:
        name = "clients" if isinstance(load, ClosedLoad) else "connections"
        count = load.clients if isinstance(load, ClosedLoad) else load.connections
        if count < drivers:
            message = f"{count} {name} cannot be shared by {asked}"
            yield FieldError(path=f"{path}.{name}", message=message,
                             expected=expected)  # fmt: skip
    if experiment.phases.load_clients < drivers:
        message = f"{experiment.phases.load_clients} clients cannot be shared by {asked}"
        yield FieldError(path="phases.load_clients", message=message, expected=expected)
    operations = experiment.phases.measure_operations
    if operations is not None and operations < drivers:
        message = f"{operations} operations cannot be shared by {asked}"
        yield FieldError(path="phases.measure_operations", message=message, expected=expected)


def _machines(experiment: Experiment, manifests: Mapping[str, Manifest]) -> Iterator[FieldError]:
    placement = experiment.placement
    for index, target in enumerate(experiment.targets):
        path = f"targets[{index}]"
        if target.deployment == "in_process":
            if placement.apart == "required" or placement.drivers.machines > 1:
                yield FieldError(
                    path="placement",
                    message=f"{target.name} lives inside its driver, so it cannot be apart from "
                    "it, nor be driven from several machines",
                    expected="one driver machine, and apart: no or preferred",
                )
            continue
        machines = min(placement.servers.machines, target.topology.nodes)
        manifest = manifests.get(target.system)
        spread = manifest is not None and manifest.topology.spread
        if target.deployment != "external" and machines > 1 and not spread:
            yield FieldError(
                path=f"{path}.topology.nodes",
                message=f"the nodes of {target.system} cannot be on several machines here",
                expected="placement.servers.machines: 1",
            )
