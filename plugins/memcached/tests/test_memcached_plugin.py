"""The Memcached plugin against the real memcached."""

import itertools
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_plugin_memcached import PLUGIN
from weighhouse_plugin_memcached.stats import stats
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import NotReady
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.testkit.at_hand import not_run
from weighhouse_sdk.testkit.testing import PluginConformance
from weighhouse_sdk.testkit.tls_testing import check_tls
from weighhouse_sdk.wire import Address, Connection, ReplyError
from weighhouse_testing.waits import until


class TestConformance(PluginConformance):
    plugin = PLUGIN
    changed: ClassVar = {
        "memory_mebibytes": 300,
        "threads": 2,
        "evictions": False,
        "max_connections": 200,
        "max_item_bytes": 2_097_152,
        "growth_factor": 1.1,
        "cas": False,
        "requests_per_event": 50,
        "hash_power": 17,
        "slab_automove": 0,
        "hot_lru_percentage": 10,
        "warm_lru_percentage": 50,
        "large_pages": True,
        "extstore_mebibytes": 128,
        "extstore_item_bytes": 700,
    }
    impossible: ClassVar = {"max_item_bytes": 1_073_741_824}
    refusal = "Cannot set item size limit higher than 1/2 of memory max"


def address_of(deployed: Deployed) -> Address:
    host, _, port = deployed.endpoints[0].removeprefix("tcp://").rpartition(":")
    return Address(host, int(port))


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    target = Target(name="m", system="memcached", parameters={"memory_mebibytes": 8})
    context = Context.open(target, tmp_path / "attempt")
    yield context
    PLUGIN.clean_up(context)


@pytest.fixture
def deployed(context: Context) -> Iterator[Deployed]:
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    yield deployed
    PLUGIN.stop(context, deployed)


def store(deployed: Deployed, count: int, size: int, first: int = 0) -> None:
    with Connection(address_of(deployed), 5.0) as connection:
        for number in range(first, first + count):
            connection.send(b"set key%d 0 0 %d\r\n%s\r\n" % (number, size, b"x" * size))
            assert connection.line() == "STORED"


def test_plugin_changes_places_alone(context: Context, deployed: Deployed) -> None:
    described = PLUGIN.describe(context, deployed)
    assert {each.source for each in described.settings} <= {"default", "experiment", "place"}
    own = {each.name: each.default for each in described.settings if each.source == "place"}
    assert own == {"inter": "NULL", "tcpport": "11211"}


def test_the_memory_limit_is_a_limit(context: Context, deployed: Deployed) -> None:
    store(deployed, count=12_000, size=1000)
    metrics = PLUGIN.sample(context, deployed).metrics
    assert metrics["evictions"] > 0
    assert metrics["limit_maxbytes"] == 8 * 1_048_576
    used = PLUGIN.memory(context, deployed).used_bytes
    assert used is not None
    assert 1_000_000 < used <= 8 * 1_048_576


def test_extended_options_have_their_effect(tmp_path: Path) -> None:
    """Values leave memory for the file, the hash table begins as large as was asked, and large
    pages take all memory at the start.
    """
    parameters: dict[str, Scalar] = {
        "memory_mebibytes": 48,
        "hash_power": 20,
        "large_pages": True,
        "extstore_mebibytes": 256,
        "extstore_item_bytes": 600,
    }
    target = Target(name="m", system="memcached", parameters=parameters)
    context = Context.open(target, tmp_path / "attempt")
    deployed = PLUGIN.deploy(context)
    try:
        PLUGIN.wait_ready(context, deployed)
        address = address_of(deployed)
        assert stats(address, 5.0)["hash_power_level"] == "20"
        assert int(stats(address, 5.0, "slabs")["total_malloced"]) >= 48 * 1_048_576
        numbers = itertools.count(0, 1000)

        def written() -> bool:
            store(deployed, count=1000, size=5000, first=next(numbers))
            return bool(PLUGIN.metrics(address, 5.0)["extstore_bytes_written"])

        until("a value goes to the file", written)
        assert list(context.data_directory.rglob("extstore*"))
    finally:
        PLUGIN.stop(context, deployed)
        PLUGIN.clean_up(context)


def test_taken_port_is_told_in_the_servers_words(context: Context) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        options = HostOptions(port=holder.getsockname()[1])
        taken = Context.open(context.target, context.directory, options=options)
        deployed = PLUGIN.deploy(taken)
        with pytest.raises(NotReady) as caught:
            PLUGIN.wait_ready(taken, deployed)
    assert "Address already in use" in "\n".join(caught.value.log_lines)
    PLUGIN.stop(taken, deployed)


def test_error_replies_are_errors(deployed: Deployed) -> None:
    with pytest.raises(ReplyError):
        stats(address_of(deployed), 5.0, "detail nonsense")


def test_it_speaks_tls_and_the_driver_verifies_it(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    said = subprocess.run(["memcached", "-h"], capture_output=True, check=True, text=True).stdout
    if "enable-ssl" not in said:
        not_run(request, "this Memcached was built without TLS")
    check_tls(PLUGIN, tmp_path)
