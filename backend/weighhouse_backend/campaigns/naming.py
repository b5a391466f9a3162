"""How targets are told apart wherever they are shown. Pure."""

from collections.abc import Sequence

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest

UNKNOWN_COLOUR, UNKNOWN_MARK = "#7F7F7F", "◆"
"""Of a system whose plugin is gone."""


def target_label(document: Experiment, index: int, manifest: Manifest | None) -> str:
    """What a target is called: its own label, else the system's name, else, where a document has
    several of one system, its own name, which says how they differ.
    """
    target = document.targets[index]
    if target.label:
        return target.label
    if sum(one.system == target.system for one in document.targets) > 1:
        return target.name
    return target.system if manifest is None else manifest.name


def hollow(systems: Sequence[str]) -> list[bool]:
    """Which marks are drawn hollow: of several of one system, all but the first.

    :param systems: of what is shown together, in its order.
    """
    return [system in systems[:place] for place, system in enumerate(systems)]
