"""Every way in to a server that somebody else started: observers ask it, drivers load it."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import Failed, PhaseFinished
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.families.resp import ask
from weighhouse_sdk.machine.certificates import CERTIFICATE, KEY, certify
from weighhouse_sdk.machine.ports import HeldPorts
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.testkit.testing import order_for
from weighhouse_sdk.wire import Address

NAME = "cache.example"
"""In no directory of names: who looks it up does not find it."""
RECORDS = 50


@dataclass
class Way:
    """One way in.

    :param host: where the server listens.
    :param endpoint: with PORT, and DIRECTORY for the attempt's.
    :param own: whether the server wants to see a certificate.
    """

    endpoint: str
    host: str = "127.0.0.1"
    hosts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    options: dict[str, Scalar] = field(default_factory=dict)
    own: bool = False
    server_name: str | None = None


WAYS = {
    "IPv4": Way("tcp://127.0.0.1:PORT"),
    "IPv6": Way("tcp://[::1]:PORT", host="::1"),
    "name": Way(f"tcp://{NAME}:PORT", hosts={NAME: ("::1", "127.0.0.9", "127.0.0.1")}),
    "socket": Way("unix://DIRECTORY/s.sock"),
    "TLS by name": Way(f"tls://{NAME}:PORT", hosts={NAME: ("127.0.0.1",)}),
    "TLS by name, IPv6": Way(f"tls://{NAME}:PORT", host="::1", hosts={NAME: ("::1",)}),
    "own certificate": Way(f"tls://{NAME}:PORT", hosts={NAME: ("127.0.0.1",)}, own=True),
    "another name": Way("tls://127.0.0.1:PORT", options={"tls_server_name": NAME}),
    "another name by policy": Way("tls://127.0.0.1:PORT", server_name=NAME),
}


def redis(way: Way, port: int, directory: Path) -> list[str]:
    """A Redis' command line."""
    tls = way.endpoint.startswith("tls")
    words = ["redis-server", "--save", "", "--dir", str(directory), "--bind", way.host]
    words += ["--unixsocket", str(directory / "s.sock")]
    if not tls:
        return [*words, "--port", str(port)]
    words += ["--port", "0", "--tls-port", str(port)]
    words += ["--tls-auth-clients", "yes" if way.own else "no"]
    files = {"cert": CERTIFICATE, "key": KEY, "ca-cert": "authority.pem"}
    for name, file in files.items():
        words += [f"--tls-{name}-file", str(directory / "tls" / file)]
    return words


def memcached(way: Way, port: int, directory: Path) -> list[str]:
    """A Memcached's command line."""
    words = ["memcached", "-u", "root", "-U", "0", "-t", "1"]
    if way.endpoint.startswith("unix"):
        return [*words, "-s", str(directory / "s.sock")]
    words += ["-l", way.host, "-p", str(port)]
    if way.endpoint.startswith("tls"):
        tls = directory / "tls"
        options = [f"ssl_chain_cert={tls / CERTIFICATE}", f"ssl_key={tls / KEY}"]
        options += [f"ssl_ca_cert={tls / 'authority.pem'}", f"ssl_verify_mode={2 * way.own}"]
        words += ["-Z", "-o", ",".join(options)]
    return words


SERVERS = {"redis": redis, "memcached": memcached}


@pytest.fixture(params=[(system, way) for system in SERVERS for way in WAYS], ids=" by ".join)
def there(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Way, Context]]:
    """A server that runs, and what an attempt knows of it."""
    system, name = request.param
    way, ports = WAYS[name], HeldPorts()
    authority = certify(tmp_path / "tls", {NAME})
    port = ports.hold(1, way.host)[0]
    ports.release()
    endpoint = way.endpoint.replace("PORT", str(port)).replace("DIRECTORY", str(tmp_path))
    target = Target(
        name="there", system=system, deployment="external", endpoints=(endpoint,),
        driver_options=way.options, credentials="staging",
    )  # fmt: skip
    shown = Credentials(tls_ca_file=authority, tls_server_name=way.server_name)
    if way.own:
        shown = Credentials(
            tls_ca_file=authority,
            tls_certificate_file=tmp_path / "tls" / CERTIFICATE,
            tls_key_file=tmp_path / "tls" / KEY,
        )
    if not endpoint.startswith("tls"):
        shown = Credentials()
    context = Context.open(
        target,
        tmp_path / "attempt",
        options=HostOptions(credentials=shown, ready_seconds=5.0),
        hosts=way.hosts,
    )
    line = SERVERS[system](way, port, tmp_path)
    with child(line, stdout=subprocess.DEVNULL):
        yield system, way, context


def test_it_is_asked_and_loaded(there: tuple[str, Way, Context]) -> None:
    system, way, context = there
    plugin = load_plugin(system)
    deployed = plugin.deploy(context)
    plugin.wait_ready(context, deployed)
    described = plugin.describe(context, deployed)
    assert described.version[0].isdigit()
    assert described.settings
    shown = context.credentials()
    assert shown is not None
    options = {**plugin.driver_options(context.target), **shown.driver_options("x", ANY)}
    order = order_for(plugin.endpoints(deployed), options, measure_seconds=0.2, records=RECORDS)
    order = order.model_copy(
        update={"target": order.target.model_copy(update={"hosts": way.hosts})}
    )
    with DriverRun(plugin.manifest.driver.id, order, context) as run:
        events = list(run.events())
    assert not [each for each in events if isinstance(each, Failed)]
    assert len([each for each in events if isinstance(each, PhaseFinished)]) == 2
    assert plugin.memory(context, deployed).records == RECORDS


class _Any(frozenset[str]):
    def __contains__(self, name: object) -> bool:
        return True


ANY = _Any()
"""The drivers tell themselves which options they have."""


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
