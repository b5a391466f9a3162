"""What a machine is said to have for the nodes that are started on it."""

import os
import threading
from pathlib import Path

from weighhouse_protocol.target import Limits, Target
from weighhouse_sdk.capacity import capacity
from weighhouse_sdk.context import Context, HostOptions

PROCESSORS = "machine:processors"
TARGET = Target(name="t", system="anything")


def test_processors_are_the_servers_and_not_this_programs() -> None:
    seen = []

    def pinned() -> None:
        os.sched_setaffinity(threading.get_native_id(), {min(os.sched_getaffinity(0))})
        seen.append(len(os.sched_getaffinity(0)))
        seen.append(capacity()[PROCESSORS])

    thread = threading.Thread(target=pinned)
    thread.start()
    thread.join()
    assert seen == [1, os.cpu_count()]


def test_what_the_operator_and_the_limits_leave_counts(tmp_path: Path) -> None:
    options = HostOptions(server_cpus=frozenset({4, 5, 6}))
    limited = TARGET.model_copy(update={"limits": Limits(cpus=1.5)})
    found = [
        Context.open(each, tmp_path, options=options).machine[PROCESSORS]
        for each in (TARGET, limited)
    ]
    assert found == [3, 2]


def test_a_container_has_not_this_programs_open_files() -> None:
    assert "machine:open_files" in capacity(TARGET)
    assert "machine:open_files" not in capacity(TARGET.model_copy(update={"deployment": "docker"}))


def test_a_machine_without_nodes_is_asked_nothing(tmp_path: Path) -> None:
    assert Context.open(TARGET, tmp_path, own_nodes=()).machine == {}
    assert Context.open(TARGET, tmp_path, own_nodes=(2,)).machine == capacity(TARGET)
