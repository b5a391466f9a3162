"""How targets are told apart wherever they are shown. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from weighhouse_judging.identity.names import target_names
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest

UNKNOWN_COLOUR, UNKNOWN_MARK = "#7F7F7F", "◆"
"""Of a system whose plugin is gone."""


def measured_names(
    document: Experiment, beside: Sequence[Mapping[str, Any]], manifests: Mapping[str, Manifest]
) -> dict[str, str]:
    """What the targets that a campaign measures are called, by their own names.

    :param beside: `Campaign.beside`: what of its base is measured again, each by the name of the
        target that it is the base of.
    """
    found = target_names(document.targets, manifests)
    again = {
        str(one["name"]): f"{found.get(str(one['of']), one['of'])} (base, measured again)"
        for one in beside
    }
    return {**found, **again}


def hollow(systems: Sequence[str]) -> list[bool]:
    """Which marks are drawn hollow: of several of one system, all but the first.

    :param systems: of what is shown together, in its order.
    """
    return [system in systems[:place] for place, system in enumerate(systems)]
