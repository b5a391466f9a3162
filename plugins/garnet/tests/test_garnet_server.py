"""A real Garnet: what it tells of itself, what it keeps, and the driver on it."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_garnet import PLUGIN
from weighhouse_plugin_garnet.device import native_device_lacks
from weighhouse_protocol.driver import DriverOrder, DriverTarget, PhaseFinished
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import OperationMix, Workload
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.families.resp import ask, converse
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.testkit.at_hand import server
from weighhouse_sdk.testkit.tls_testing import check_tls
from weighhouse_sdk.wire import Address, Connection

HINT = "`dotnet tool install --tool-path … garnet-server` brings it"


@pytest.fixture
def garnet(request: pytest.FixtureRequest) -> Path:
    """The real server."""
    return server(request, "garnet-server", "WEIGHHOUSE_GARNET", HINT)


class Attempt:
    """A deployment of the real server."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.context: Context | None = None
        self.deployed: Deployed | None = None

    def begin(self, **parameters: int | bool | str) -> tuple[Context, Deployed]:
        target = Target(name="g", system="garnet", parameters=parameters)
        self.context = Context.open(target, self.directory)
        self.deployed = PLUGIN.deploy(self.context)
        PLUGIN.wait_ready(self.context, self.deployed)
        return self.context, self.deployed

    def end(self) -> None:
        if self.context is not None:
            if self.deployed is not None:
                PLUGIN.stop(self.context, self.deployed)
            PLUGIN.clean_up(self.context)


@pytest.fixture
def attempt(garnet: Path, tmp_path: Path) -> Iterator[Attempt]:
    """Starts the real server, and removes it again."""
    assert garnet.is_file()
    attempt = Attempt(tmp_path / "attempt")
    yield attempt
    attempt.end()


def write(address: Address, records: int, first: int = 0) -> None:
    """Records of 1,000 bytes."""
    for begin in range(first, first + records, 1000):
        lines = [("SET", f"user{each}", "x" * 1000) for each in range(begin, begin + 1000)]
        assert set(converse(address, 30.0, *lines)) == {"OK"}


def test_a_durable_garnet_keeps_what_it_acknowledged(attempt: Attempt) -> None:
    """Wherever it runs: also where its native device cannot be loaded."""
    context, deployed = attempt.begin(aof=True, aof_commit_wait=True)
    (node,) = deployed.nodes
    address = node.place.address
    assert ask(address, 5.0, "SET", "key", "value") == "OK"
    told = {each.name: each for each in PLUGIN.describe(context, deployed).settings}
    lacks = native_device_lacks(Path(str(shutil.which("garnet-server"))))
    assert told["device-type"].value == ("RandomAccess" if lacks else "Default")
    assert told["device-type"].source == ("plugin" if lacks else "default")
    assert told["device-type"].default == "Default"
    assert node.body.exit_code is None
    assert list((context.data_directory / "AOF").rglob("aof.log*"))


def test_settings_that_only_the_command_line_tells(attempt: Attempt) -> None:
    context, deployed = attempt.begin(min_threads=16, checkpoint_throttle_ms=-1)
    told = {each.name: each for each in PLUGIN.describe(context, deployed).settings}
    assert (told["minthreads"].value, told["minthreads"].source) == ("16", "experiment")
    assert (told["maxthreads"].value, told["maxthreads"].source) == ("0", "default")
    assert told["checkpoint-throttle-delay"].value == "-1"
    assert (told["memory"].value, told["memory"].default) == ("17179869184", "17179869184")


def test_counters_are_told_where_they_are_kept(attempt: Attempt) -> None:
    context, deployed = attempt.begin(metrics_sampling_seconds=1)
    address = deployed.nodes[0].place.address
    with Connection(address, 5.0):
        for _ in context.attempts(60.0):
            ask(address, 5.0, "PING")
            metrics = PLUGIN.sample(context, deployed).metrics
            if metrics.get("total_commands_processed") and metrics.get("connected_clients"):
                break
        else:
            pytest.fail(f"never counted: {metrics}")


def test_what_was_thrown_away_is_told_and_what_is_left_is_counted(attempt: Attempt) -> None:
    context, deployed = attempt.begin(memory_bytes=67_108_864)
    address = deployed.nodes[0].place.address
    write(address, 10_000)
    assert PLUGIN.memory(context, deployed).records is None, "all are there, nobody counts"
    assert PLUGIN.sample(context, deployed).metrics["Log.BeginAddress"] == 64
    write(address, 100_000, 10_000)
    held = PLUGIN.memory(context, deployed).records
    assert held == ask(address, 60.0, "DBSIZE")
    assert 20_000 < held < 70_000
    assert PLUGIN.sample(context, deployed).metrics["Log.BeginAddress"] > 64


def test_what_goes_to_disk_is_not_thrown_away(attempt: Attempt) -> None:
    parameters = {"memory_bytes": 67_108_864, "storage_tier": True, "min_threads": 64}
    context, deployed = attempt.begin(**parameters)
    address = deployed.nodes[0].place.address
    write(address, 100_000)
    assert PLUGIN.memory(context, deployed).records is None
    assert ask(address, 60.0, "DBSIZE") == 100_000
    assert PLUGIN.sample(context, deployed).metrics["Log.BeginAddress"] == 64


def test_somebody_elses_garnet_is_used_as_it_is(attempt: Attempt, tmp_path: Path) -> None:
    """What only its command line would tell is not told."""
    _, deployed = attempt.begin(memory_bytes=67_108_864, min_threads=16)
    target = Target(
        name="there", system="garnet", deployment="external", endpoints=deployed.endpoints
    )
    context = Context.open(target, tmp_path / "other")
    found = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, found)
    described = PLUGIN.describe(context, found)
    told = {each.name: each.value for each in described.settings}
    assert described.version == deployed.version
    assert told["memory"] == "67108864"
    assert {"minthreads", "device-type"}.isdisjoint(told)
    write(deployed.nodes[0].place.address, 100_000)
    assert 20_000 < (PLUGIN.memory(context, found).records or 0) < 70_000
    assert PLUGIN.sample(context, found).metrics["Log.BeginAddress"] > 64
    PLUGIN.stop(context, found)
    PLUGIN.clean_up(context)
    assert ask(deployed.nodes[0].place.address, 5.0, "PING") == "PONG"


def test_defaults_of_the_command_line_are_the_vendors(garnet: Path) -> None:
    """As the program's own help has them, for what the server does not tell."""
    told = subprocess.run([garnet, "--help"], capture_output=True, text=True, check=False)
    text = " ".join((told.stdout + told.stderr).split())
    for schema in declared(PLUGIN.manifest.parameters).values():
        found = re.search(rf'--{schema["x-flag"]} (?:\(Default: "?(.*?)"?\))?', text)
        assert found, schema["x-flag"]
        default = found[1] or str(schema["default"])
        size = re.fullmatch(r"(\d+)([mg])", default)
        if size:
            default = str(int(size[1]) << {"m": 20, "g": 30}[size[2]])
        assert default == str(schema["default"]), schema["x-flag"]


@pytest.mark.parametrize("layout", ["hash", "string"])
@pytest.mark.parametrize("scan_index", ["none", "ycsb", "lex"])
def test_the_driver_on_the_real_server(layout: str, scan_index: str, attempt: Attempt) -> None:
    """Every operation that the manifest offers, in every layout; a read gets what was written."""
    context, deployed = attempt.begin()
    scans = 0.0 if scan_index == "none" else 0.2
    order = DriverOrder(
        workload=Workload(
            name="all",
            record_count=1000,
            field_count=3,
            field_length=20,
            operations=OperationMix(
                read=0.3 - scans / 2, update=0.2, insert=0.2, scan=scans,
                read_modify_write=0.2, delete=0.1 - scans / 2,
            ),
            verify_fraction=1.0,
        ),
        target=DriverTarget(
            endpoints=deployed.endpoints, options={"layout": layout, "scan_index": scan_index}
        ),
        load=ClosedLoad(model="closed", clients=4),
        phases=(Phase(kind="load", clients=4), Phase(kind="measure", operation_count=10_000)),
        seed=7,
        interval_seconds=0.25,
    )  # fmt: skip
    with DriverRun("resp", order, context) as run:
        ends = [event for event in run.events() if isinstance(event, PhaseFinished)]
    assert [each.phase for each in ends] == ["load", "measure"]
    for end in ends:
        for name, totals in end.operations.items():
            assert totals.ok > 0, name
            assert not totals.errors, name
            assert not totals.verify_failed, name


def test_it_speaks_tls_and_the_driver_verifies_it(garnet: Path, tmp_path: Path) -> None:
    assert garnet.is_file()
    check_tls(PLUGIN, tmp_path)
