"""Which processors there are for servers and drivers: the control group's, not the agent's."""

import os
import threading

from weighhouse_sdk.machine.cgroups import groups_above
from weighhouse_sdk.machine.limits import processors_kept
from weighhouse_sdk.machine.processors import usable_processors


def test_they_are_the_groups_and_not_this_programs() -> None:
    seen = []

    def pinned() -> None:
        os.sched_setaffinity(threading.get_native_id(), {min(os.sched_getaffinity(0))})
        seen.append(usable_processors())

    thread = threading.Thread(target=pinned)
    thread.start()
    thread.join()
    groups = groups_above("self", "cpuset")
    kept = processors_kept(groups[0]) if groups else frozenset()
    assert seen == [kept or frozenset(range(os.cpu_count() or 1))]
