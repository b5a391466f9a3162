"""Systems that do not run here: a relative counts, and tells it in the words of the system."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis
from weighhouse_backend.results.counts import asked_of
from weighhouse_judging.findings.counted import between, reconciled
from weighhouse_protocol.counts import NodeCounts
from weighhouse_protocol.driver import DriverOrder, DriverTarget
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import OperationMix, Workload
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.families.resp import ask
from weighhouse_sdk.families.resp_recorded import RecordedServer
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.serving.server import ServerPlugin
from weighhouse_sdk.wire import Address
from weighhouse_testing.agreement import held
from weighhouse_testing.driver_counts import phases_of
from weighhouse_testing.own_redis import OwnRedis

MIX = Workload(
    name="mix", record_count=500,
    operations=OperationMix(read=0.4, update=0.3, insert=0.1, read_modify_write=0.1, delete=0.1),
)  # fmt: skip
SECTIONS = ("server", "stats", "replication", "commandstats")
LINE = re.compile(r"^cmdstat_([^:]+):calls=(\d+),usec=(\d+),usec_per_call=([\d.]+).*$")


def of_keydb(text: str) -> str:
    """KeyDB 6.3 has no calls that failed in those lines, and one line for all subcommands."""
    calls: dict[str, list[int]] = {}
    rest = []
    for line in text.splitlines():
        if found := LINE.match(line):
            total = calls.setdefault(found[1].partition("|")[0], [0, 0])
            total[0] += int(found[2])
            total[1] += int(found[3])
        else:
            rest.append(line)
    told = [
        f"cmdstat_{name}:calls={count},usec={us},usec_per_call={us / count:.2f}"
        for name, (count, us) in calls.items()
    ]
    return "\n".join([*rest, *told])


def of_dragonfly(text: str) -> str:
    """Dragonfly tells neither its process nor an id of this start, and rounds nothing."""
    lines = [
        line for line in of_keydb(text).splitlines()
        if not line.startswith(("run_id:", "process_id:"))
    ]  # fmt: skip
    return "\n".join(lines)


def told(plugin: ServerPlugin, port: int, words: Callable[[str], str]) -> NodeCounts:
    """The relative's counters as the system's plugin reads them in the system's words."""
    there = Address("127.0.0.1", port)
    answers = {
        f"INFO {name.upper()}": words(str(ask(there, 5.0, "INFO", name))) for name in SECTIONS
    }
    with RecordedServer(answers) as instead:
        found = plugin.counted(instead.address, 5.0)
    assert found is not None
    return found.model_copy(update={"node": "there"})


@pytest.mark.stand_in("of Redis's counters in the system's own words, not the system")
@pytest.mark.parametrize(
    ("system", "words"),
    [("keydb", of_keydb), ("dragonfly", of_dragonfly)],
    ids=["keydb", "dragonfly"],
)
def test_both_columns_are_the_same(
    system: str,
    words: Callable[[str], str],
    server: tuple[OwnRedis, Redis],
    tmp_path: Path,
) -> None:
    port = server[0].port
    plugin = load_plugin(system)
    assert isinstance(plugin, ServerPlugin)
    counting = plugin.manifest.counts
    assert counting is not None
    target = Target(
        name="t", system=system, deployment="external", endpoints=(f"tcp://127.0.0.1:{port}",)
    )
    context = Context.open(target, tmp_path / "attempt")
    order = DriverOrder(
        workload=MIX,
        target=DriverTarget(endpoints=target.endpoints, options=plugin.driver_options(target)),
        load=ClosedLoad(clients=4),
        phases=(Phase(kind="load", clients=4), Phase(kind="measure", duration_seconds=0.5)),
        seed=7,
    )
    before = told(plugin, port, words)
    with DriverRun(plugin.manifest.driver.id, order, context) as run:
        events = list(run.events())
    served = between([before], [told(plugin, port, words)])
    found = reconciled(counting, asked_of(phases_of(events)), served)
    held(found, system, plugin.manifest.driver.id)
    assert all(row.us for row in found.rows)
