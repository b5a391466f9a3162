"""What the fairness sheet is told of a side. Pure but for the rows it is given."""

from dataclasses import replace

from weighhouse_judging.fairness.sheet import SideFacts
from weighhouse_judging.fairness.sides import side_of, unknown_side
from weighhouse_protocol.disclosure import SystemDisclosure
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

from weighhouse_backend.measurements.records import AttemptRecord


def side_facts(
    key: str,
    label: str,
    document: Experiment,
    target: Target,
    manifest: Manifest | None,
    tool: Manifest | None,
    record: AttemptRecord | None,
    repeats: int,
    machine: str | None,
    machines: str | None,
) -> SideFacts:
    """What is known of one side of a comparison.

    :param manifest: of its system.
    :param tool: of the load tool in the driver's place.
    :param machine: the kinds of machines of all its runs, in words.
    :param machines: which machines, where they are not the same for all sides.
    """
    said = next(
        (one for one in document.disclosure.systems if one.system == target.system),
        SystemDisclosure(system=target.system),
    )
    if manifest is None:
        side = unknown_side(key, label, target)
    else:
        side = side_of(key, label, facts_of(target, manifest, tool, record))
    return replace(
        side,
        version=None if record is None else record.version,
        machine=machine,
        machines=machines,
        co_located=None if record is None else record.co_located,
        tuning=said.tuning,
        repeats=repeats,
        factors=frozenset(document.factors),
    )


def facts_of(
    target: Target, manifest: Manifest, tool: Manifest | None, record: AttemptRecord | None
) -> Facts:
    """What the rules of fairness look at: what ran, where something did; else what was ordered."""
    if record is None:
        return Facts(target, manifest, tool)
    told = {str(one["name"]): str(one["value"]) for one in record.effective_configuration}
    return Facts(
        target,
        manifest,
        tool,
        settings=told or None,  # a server that told nothing of itself was not asked
        endpoints=tuple(str(each) for each in record.endpoints),
        co_located=record.co_located,
    )
