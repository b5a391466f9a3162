"""Which processors there are for what is started here."""

import os

from weighhouse_sdk.machine.cgroups import groups_above
from weighhouse_sdk.machine.limits import processors_kept


def usable_processors() -> frozenset[int]:
    """Numbers of the processors that this process' control group may run on: in a container or a
    pod that has some for itself, those alone; else all of the machine's.

    This process's own affinity says nothing: the agent keeps off what is measured.
    """
    everything = frozenset(range(os.cpu_count() or 1))
    own = next(iter(groups_above("self", "cpuset")), None)
    return (processors_kept(own) & everything if own else everything) or everything
