"""Every way in to a server that somebody else started: observers ask it, drivers load it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.families.resp import ask
from weighhouse_sdk.machine.certificates import CERTIFICATE, KEY, certify
from weighhouse_sdk.machine.ports import HeldPorts
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.testkit.orders import order_for
from weighhouse_sdk.testkit.resp_ways import NAME, WAYS, redis
from weighhouse_sdk.testkit.ways_in import Way, check_reached
from weighhouse_sdk.wire import Address

RECORDS = 50


def memcached(way: Way, port: int, directory: Path) -> list[str]:
    """A Memcached's command line."""
    words = ["memcached", "-u", "root", "-U", "0", "-t", "1"]
    if way.endpoint.startswith("unix"):
        return [*words, "-s", str(directory / "s.sock")]
    words += ["-l", way.host, "-p", str(port)]
    if way.secured:
        tls = directory / "tls"
        options = [f"ssl_chain_cert={tls / CERTIFICATE}", f"ssl_key={tls / KEY}"]
        options += [f"ssl_ca_cert={tls / 'authority.pem'}", f"ssl_verify_mode={2 * way.own}"]
        words += ["-Z", "-o", ",".join(options)]
    return words


SERVERS = {"redis": redis, "memcached": memcached}


@pytest.fixture(params=[(system, way) for system in SERVERS for way in WAYS], ids=" by ".join)
def there(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Context]]:
    """A server that runs, and what an attempt knows of it."""
    system, name = request.param
    way, ports = WAYS[name], HeldPorts()
    certify(tmp_path / "tls", {NAME})
    port = ports.hold(1, way.host)[0]
    ports.release()
    context = way.context(system, port, tmp_path, way.shown(tmp_path / "tls"))
    line = SERVERS[system](way, port, tmp_path)
    with child(line, stdout=subprocess.DEVNULL):
        yield system, context


def test_it_is_asked_and_loaded(there: tuple[str, Context]) -> None:
    system, context = there
    check_reached(load_plugin(system), context)


def test_records_are_in_the_database_that_was_named(tmp_path: Path) -> None:
    plugin, ports = load_plugin("redis"), HeldPorts()
    port = ports.hold(1, "127.0.0.1")[0]
    ports.release()
    target = Target(
        name="there", system="redis", deployment="external",
        endpoints=(f"tcp://127.0.0.1:{port}",), driver_options={"database": 3},
    )  # fmt: skip
    context = Context.open(target, tmp_path / "attempt")
    line = redis(Way("tcp://127.0.0.1"), port, tmp_path)
    with child(line, stdout=subprocess.DEVNULL):
        deployed = plugin.deploy(context)
        plugin.wait_ready(context, deployed)
        order = order_for(target.endpoints, plugin.driver_options(target), records=RECORDS)
        with DriverRun("resp", order, context) as run:
            list(run.events())
        keyspace = ask(Address("127.0.0.1", port), 2.0, "INFO", "keyspace")
        assert plugin.memory(context, deployed).records == RECORDS
    assert isinstance(keyspace, str)
    assert f"db3:keys={RECORDS}" in keyspace
    assert "db0" not in keyspace
