"""What manifests say that systems take at most, on the systems: what is let through they take, and
of one byte more both say no.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.compatibility.ceilings import record_errors
from weighhouse_protocol.compatibility.driver_memory import kept_bytes
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Failed, PhaseFinished
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.testkit import at_hand


@dataclass(frozen=True)
class Running:
    """A system that runs, and what it says of itself."""

    target: Target
    context: Context
    deployed: Deployed

    @property
    def facts(self) -> Facts:
        plugin = load_plugin(self.target.system)
        settings = plugin.describe(self.context, self.deployed).settings
        told = {each.name: each.value for each in settings}
        return Facts(self.target, plugin.manifest, settings=told)

    def loads(self, workload: Workload) -> dict[str, int]:
        """What became of inserting the workload's records: outcome → count."""
        finished, _ = self.drives(workload, ClosedLoad(clients=1), ())
        told: dict[str, int] = {}
        for totals in finished[0].operations.values():
            told |= {"ok": totals.ok} if totals.ok else {}
            told |= totals.errors
        return told

    def drives(
        self, workload: Workload, load: ClosedLoad, phases: tuple[Phase, ...]
    ) -> tuple[list[PhaseFinished], int]:
        """Load the workload's records, then do its operations.

        :returns: what each phase came to, and the most memory that the driver had, bytes.
        """
        plugin = load_plugin(self.target.system)
        options = plugin.driver_options(self.target)
        order = DriverOrder(
            workload=workload,
            target=DriverTarget(endpoints=self.deployed.endpoints, options=options),
            load=load,
            phases=(Phase(kind="load", clients=load.clients), *phases),
            seed=7,
        )
        finished, most = [], 0
        with DriverRun(plugin.manifest.driver.id, order, self.context) as run:
            for event in run.events():
                assert not isinstance(event, Failed), event
                if isinstance(event, PhaseFinished):
                    finished.append(event)
                # With its last words it may have ended: then it has told before what it had.
                found = HIGHEST.search(Path(f"/proc/{run.pid}/status").read_text())
                most = max(most, int(found[1]) * 1024) if found else most
        assert most > 0
        return finished, most


Start = Callable[..., Running]
HIGHEST = re.compile(r"VmHWM:\s+(\d+) kB")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as after:

        def running(system: str, **target: Any) -> Running:
            wanted = Target(name="t", system=system, **target)
            plugin = load_plugin(system)
            context = Context.open(wanted, tmp_path / f"{system}-{wanted.deployment}")
            after.callback(plugin.clean_up, context)
            deployed = plugin.deploy(context)
            after.callback(plugin.stop, context, deployed)
            plugin.wait_ready(context, deployed)
            return Running(wanted, context, deployed)

        yield running


def one(**said: Any) -> Workload:
    base: dict[str, Any] = {
        "name": "w", "record_count": 1, "insert_order": "ordered", "insert_retry_limit": 0,
    }  # fmt: skip
    return Workload.model_validate(base | said)


def hold(running: Running, fits: Workload, beyond: Workload, refused: Mapping[str, int]) -> None:
    """The rule says of both, before and after the server was asked, what the server does."""
    draft = Facts(running.target, running.facts.manifest)
    for facts in (draft, running.facts):
        assert list(record_errors(fits, facts)) == []
        assert len(list(record_errors(beyond, facts))) == 1
    assert running.loads(fits) == {"ok": 1}
    assert running.loads(beyond) == refused


MEMCACHED: list[tuple[dict[str, Scalar], int]] = [
    ({}, 524_256),
    ({"cas": False}, 524_260),
    ({"max_item_bytes": 1_572_864}, 786_400),
]
"""Parameters → bytes of each of two fields that just fit, beside a key of five."""


@pytest.mark.parametrize(("parameters", "length"), MEMCACHED)
def test_memcached_takes_items_of_its_size(
    parameters: dict[str, Scalar], length: int, start: Start
) -> None:
    running = start("memcached", parameters=parameters)
    fits, beyond = (one(field_count=2, field_length=each) for each in (length, length + 1))
    hold(running, fits, beyond, {"too_large": 1})


@pytest.fixture
def open_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put first on the search path; whoever runs a server may read it."""
    with tempfile.TemporaryDirectory(prefix="weighhouse-") as name:
        Path(name).chmod(0o755)
        monkeypatch.setenv("PATH", name, prepend=os.pathsep)
        yield Path(name)


MIB = 2**20
LARGE: dict[str, dict[str, Any]] = {
    "redis": {"driver_options": {"layout": "string"}},
    "valkey": {"driver_options": {"layout": "hash"}},
    "memcached": {"parameters": {"max_item_bytes": 4 * MIB}},
    "cassandra": {"parameters": {"heap_mebibytes": 512, "garbage_collector": "serial"}},
    "rocksdb": {"deployment": "in_process"},
    "ferretdb": {},
}
"""System → what a target says that takes records of 2 MiB."""


@pytest.mark.parametrize("system", sorted(LARGE))
def test_values_of_one_and_two_mebibytes_come_back_as_they_were_written(
    system: str, start: Start, request: pytest.FixtureRequest
) -> None:
    if system == "ferretdb":
        at_hand.server(request, system, "WEIGHHOUSE_FERRETDB", "infra/build/ferretdb.sh")
    if system == "valkey" and not shutil.which("valkey-server"):
        kept = os.environ.get("WEIGHHOUSE_VALKEY")
        if kept is None:
            at_hand.not_run(request, "valkey-server is not here; infra/build/valkey-server.sh")
        # Whom the server becomes may not walk to where it is kept.
        place = request.getfixturevalue("open_folder")
        shutil.copy2(Path(kept) / "valkey-server", place)
    running = start(system, **LARGE[system])
    workload = one(
        record_count=12, field_count=1, field_length=2 * MIB, verify_fraction=1.0,
        field_length_distribution="histogram", field_length_histogram=[[MIB, 1], [2 * MIB, 1]],
        operations={"read": 0.6, "update": 0.4},
    )  # fmt: skip
    assert list(record_errors(workload, running.facts)) == []
    load = ClosedLoad(clients=3)
    measure = Phase(kind="measure", operation_count=60)
    (loaded, measured), _ = running.drives(workload, load, (measure,))
    assert loaded.operations["insert"].ok == 12
    read, update = (measured.operations[each] for each in ("read", "update"))
    assert read.ok + update.ok == 60
    if loaded.wire is not None:
        assert 12 * MIB < loaded.wire.sent < 12 * 2 * MIB


def test_a_driver_has_no_more_of_large_values_than_is_counted(start: Start) -> None:
    running = start("redis", driver_options={"layout": "string"}, parameters={"save": ""})
    load = ClosedLoad(clients=2)
    workload = one(
        record_count=2, field_count=1, field_length=100 * MIB,
        operations={"read": 0.5, "update": 0.5}, verify_fraction=1.0,
    )  # fmt: skip
    phases = (Phase(kind="measure", operation_count=12),)
    (loaded, measured), most = running.drives(workload, load, phases)
    assert loaded.operations["insert"].ok == 2
    assert sum(each.ok for each in measured.operations.values()) == 12
    counted = kept_bytes(workload, load, phases)
    # A reply that is not whole grows by an eighth; the driver itself has a few MiB.
    assert most < counted * 1.125 + 40 * MIB, f"{most / MIB:.0f} of {counted / MIB:.0f} MiB"


def test_memcached_takes_keys_of_250_bytes(start: Start) -> None:
    running = start("memcached")
    series = {
        "series_keys": 1,
        "key_length": 100,
        "tag_cardinalities": [1],
        "tag_value_length": 100,
    }
    fits, beyond = (one(field_count=1, time_series=series, key_prefix="p" * many)
                    for many in (38, 39))  # fmt: skip
    hold(running, fits, beyond, {"other": 1})


def test_redis_takes_arguments_of_the_length_that_it_says(start: Start) -> None:
    """A server of somebody else's, who has set it: before it is asked nothing is known."""
    theirs = start("redis", parameters={"save": ""})
    port = theirs.deployed.endpoints[0].rpartition(":")[2]
    command = ["redis-cli", "-p", port, "config", "set", "proto-max-bulk-len", "1048576"]
    subprocess.run(command, check=True, capture_output=True)
    there = start(
        "redis", deployment="external", endpoints=theirs.deployed.endpoints,
        driver_options={"layout": "string"},
    )  # fmt: skip
    fits, beyond = (one(field_count=2, field_length=each) for each in (524_288, 524_289))
    assert list(record_errors(beyond, Facts(there.target, there.facts.manifest))) == []
    (error,) = record_errors(beyond, there.facts)
    assert "takes 1,048,576 (proto-max-bulk-len)" in error.message
    assert list(record_errors(fits, there.facts)) == []
    assert there.loads(fits) == {"ok": 1}
    # It answers with an error and hangs up, whichever the driver sees first.
    assert there.loads(beyond).keys() <= {"too_large", "connection"}


def test_cassandra_takes_half_a_segment_of_its_log(start: Start) -> None:
    parameters = {"commitlog_segment_mebibytes": 1, "heap_mebibytes": 512}
    running = start("cassandra", parameters=parameters)
    fits, beyond = (one(field_count=1, field_length=each) for each in (524_227, 524_228))
    hold(running, fits, beyond, {"other": 1})


def test_ferretdb_takes_what_a_message_holds(start: Start, request: pytest.FixtureRequest) -> None:
    at_hand.server(
        request, "ferretdb", "WEIGHHOUSE_FERRETDB", "infra/build/ferretdb.sh builds it with Go"
    )
    running = start("ferretdb")
    fits, beyond = (one(field_count=60, field_length=799_983, key_prefix="k" * each)
                    for each in (6, 7))  # fmt: skip
    hold(running, fits, beyond, {"other": 1})
