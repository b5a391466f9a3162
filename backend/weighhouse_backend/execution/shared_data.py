"""What a run finds on an external system: whether others of its campaign wrote to it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from weighhouse_protocol.records import same_records
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload


@dataclass(frozen=True)
class Earlier:
    """The latest attempt of the campaign that had begun on the same system."""

    target: Target
    workload: Workload
    completed: bool
    """It ended well, so that its records are there."""


def on_the_same_system(targets: Sequence[Target], place: int) -> set[int]:
    """Positions of the targets that write to where one of them does, itself included."""
    own = set(targets[place].endpoints)
    return {place} | {
        index for index, each in enumerate(targets) if own.intersection(each.endpoints)
    }


def loads(target: Target, workload: Workload, earlier: Earlier | None) -> bool:
    """Whether a run is to load its records.

    Agents decide for themselves where the system lives in their drivers: each knows what it kept.

    :param earlier: None: no attempt of the campaign has begun on the system.
    """
    if target.data == "keep":
        return False
    if target.data == "fresh" or target.deployment != "external" or earlier is None:
        return True
    same_target = _plain(target) == _plain(earlier.target)
    return not (earlier.completed and same_target and same_records(workload, earlier.workload))


def _plain(target: Target) -> Target:
    return target.model_copy(update={"name": "any", "label": ""})
