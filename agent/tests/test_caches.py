"""Caches between load and measurement: drivers of an attempt, and reads that ask the disk."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from weighhouse_agent.attempt.caches import Cooling, check_caches, parts_of
from weighhouse_agent.machine.policy import Policy, PolicyRefused
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Interval
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.target import Caches, Target
from weighhouse_protocol.workload import OperationMix, Workload
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.machine.page_cache import cached, drop_files
from weighhouse_sdk.registry import load_plugin

MakeOrder = Callable[..., AttemptOrder]
RECORDS = 20_000


def cold(order: AttemptOrder, caches: Caches) -> AttemptOrder:
    return order.model_copy(update={"target": order.target.model_copy(update={"caches": caches})})


def test_a_warm_run_is_one_driver_and_a_cold_one_two_of_as_many_threads(order: MakeOrder) -> None:
    for plain in (order(), cold(order(), "warm")):
        (part,) = parts_of(plain, lambda _: 3)
        assert part.order.phases == plain.phases
        assert (part.name, part.cold, part.ends_link) == ("driver", False, True)
    load, rest = parts_of(cold(order(), "restarted"), lambda _: 3)
    assert [phase.kind for phase in load.order.phases] == ["load"]
    assert [phase.kind for phase in rest.order.phases] == ["warmup", "measure"]
    assert (load.name, load.cold, load.ends_link) == ("driver-load", False, False)
    assert (rest.name, rest.cold, rest.ends_link) == ("driver", True, True)
    assert load.order.threads == rest.order.threads == 3


def test_what_an_earlier_run_loaded_is_cold_before_the_first_driver(order: MakeOrder) -> None:
    whole = cold(order(), "dropped")
    loaded = whole.model_copy(update={"phases": whole.phases[1:]})
    (part,) = parts_of(loaded, lambda _: 1)
    assert part.cold


def test_a_policy_may_keep_page_caches(order: MakeOrder) -> None:
    dropped = cold(order(), "dropped")
    for text in ("files", "machine"):
        check_caches(Policy(drop_caches=text), dropped)
    with pytest.raises(PolicyRefused, match="drop_caches: no"):
        check_caches(Policy(drop_caches="no"), dropped)
    check_caches(Policy(drop_caches="no"), cold(order(), "restarted"))


@contextlib.contextmanager
def rocksdb(directory: Path, caches: Caches) -> Iterator[tuple[Context, Deployed, Cooling]]:
    plugin = load_plugin("rocksdb")
    target = Target(
        name="r", system="rocksdb", deployment="in_process", caches=caches,
        parameters={"write_buffer_bytes": 1_048_576},
    )  # fmt: skip
    context = Context.open(target, directory)
    try:
        deployed = plugin.deploy(context)
        said: list[tuple[str, str]] = []
        yield (
            context,
            deployed,
            Cooling(plugin, context, target, deployed, "files", lambda *mark: said.append(mark)),
        )
    finally:
        plugin.clean_up(context)


def drive(context: Context, deployed: Deployed, phase: Phase) -> int:
    """Bytes that the driver had read from disks when its phase was over."""
    order = DriverOrder(
        workload=Workload(name="w", record_count=RECORDS, operations=OperationMix(read=1.0)),
        target=DriverTarget(
            endpoints=deployed.endpoints, options=dict(context.target.parameters)
        ),
        load=ClosedLoad(clients=1),
        phases=(phase,),
        seed=7,
        interval_seconds=0.1,
    )  # fmt: skip
    read = 0
    with DriverRun("rocksdb", order, context) as run:
        for event in run.events():
            if isinstance(event, Interval):
                told = Path(f"/proc/{run.pid}/io").read_text()
                read = int(told.split("read_bytes: ")[1].split()[0])
    return read


@pytest.mark.parametrize(("caches", "asks"), [("restarted", False), ("dropped", True)])
def test_reads_after_a_drop_ask_the_disk(caches: Caches, asks: bool, tmp_path: Path) -> None:
    with rocksdb(tmp_path / "attempt", caches) as (context, deployed, cooling):
        drive(context, deployed, Phase(kind="load", clients=1))
        before = cached(context.data_directory)
        assert before.bytes > RECORDS * 1000 * 0.9
        assert before.cached_bytes > before.bytes * 0.9
        cooling.cool()
        after = cached(context.data_directory).cached_bytes
        read = drive(context, deployed, Phase(kind="measure", duration_seconds=1.0))
        if asks:
            assert after < before.bytes * 0.01
            assert read > before.bytes * 0.5
        else:
            assert after > before.bytes * 0.9
            assert read < before.bytes * 0.05


def test_files_that_are_memory_cannot_be_dropped_and_that_is_said(tmp_path: Path) -> None:
    place = Path("/dev/shm") / tmp_path.name
    try:
        with rocksdb(place / "attempt", "dropped") as (context, deployed, cooling):
            drive(context, deployed, Phase(kind="load", clients=1))
            with pytest.raises(DeployFailed, match=r"files stay in memory") as told:
                cooling.cool()
            assert "tmpfs" in told.value.hint
    finally:
        shutil.rmtree(place, ignore_errors=True)


def test_a_node_that_does_not_end_in_order_is_not_measured(tmp_path: Path) -> None:
    plugin = load_plugin("redis")
    target = Target(name="r", system="redis", caches="restarted")
    context = Context.open(target, tmp_path / "attempt")
    with contextlib.ExitStack() as after:
        after.callback(plugin.clean_up, context)
        deployed = plugin.deploy(context)
        after.callback(plugin.stop, context, deployed)
        plugin.wait_ready(context, deployed)
        deployed.nodes[0].body.kill()
        cooling = Cooling(plugin, context, target, deployed, "files", lambda *_: None)
        with pytest.raises(DeployFailed, match=r"node 1 did not end in order, but with -9"):
            cooling.cool()


def test_nothing_of_an_empty_directory_is_cached(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to("/proc/self/maps")
    drop_files(tmp_path)
    assert cached(tmp_path).files == 0
