"""Finds a system's own events in its metrics: when something begins, and when it ends. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

NODE = re.compile(r"^node (\d+) ")
"""How a sample of several nodes names each one's metrics."""
STILL_SAMPLES = 5
"""Samples without growth after which a counter that grows again is told again."""
BEGAN, ENDED = "_began", "_ended"


class SystemEvent(NamedTuple):
    """Something that the system did by itself."""

    mark: str
    label: str
    """In words, with the node where there are several."""


@dataclass
class Marking:
    """Turns one sample after the other into events.

    A gauge gives `NAME_began` when it is above 0 and `NAME_ended` when it is 0 again. A counter
    gives `NAME` when it begins to grow, and once more when it grows after `STILL_SAMPLES` samples
    without growth. What a sample does not tell leaves things as they were; a counter that falls,
    as after a start, is counted from there.

    :param gauges: metric → NAME.
    :param counters: metric → NAME.
    """

    gauges: Mapping[str, str]
    counters: Mapping[str, str]
    _above: set[str] = field(default_factory=set)
    _values: dict[str, float] = field(default_factory=dict)
    _still: dict[str, int] = field(default_factory=dict)

    def events(self, metrics: Mapping[str, float]) -> list[SystemEvent]:
        """What happened since the sample before.

        :param metrics: of one sample; those of several nodes begin with `node N `.
        """
        found = []
        for key, value in metrics.items():
            node = NODE.match(key)
            metric = key[node.end() :] if node else key
            where = f"node {node.group(1)}: " if node else ""
            if metric in self.gauges:
                name = self.gauges[metric]
                if (value > 0) != (key in self._above):
                    end = BEGAN if value > 0 else ENDED
                    (self._above.add if value > 0 else self._above.discard)(key)
                    found.append(SystemEvent(name + end, where + (name + end).replace("_", " ")))
            elif metric in self.counters and self._begins_to_grow(key, value):
                name = self.counters[metric]
                found.append(SystemEvent(name, where + name.replace("_", " ")))
        return found

    def _begins_to_grow(self, key: str, value: float) -> bool:
        earlier = self._values.get(key)
        self._values[key] = value
        still = self._still.get(key, STILL_SAMPLES)
        grows = earlier is not None and value > earlier
        self._still[key] = 0 if grows else still + 1
        return grows and still >= STILL_SAMPLES
