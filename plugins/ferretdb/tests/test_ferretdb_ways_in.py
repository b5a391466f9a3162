"""Every way in to a real FerretDB that somebody else started, for the driver that it shares."""

import contextlib
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_ferretdb import PLUGIN
from weighhouse_protocol.driver import Failed
from weighhouse_sdk.credentials import Credentials, CredentialsRefused
from weighhouse_sdk.errors import ServerUnfit
from weighhouse_sdk.families.mongo import ask
from weighhouse_sdk.machine.certificates import AUTHORITY, CERTIFICATE, KEY, certify
from weighhouse_sdk.machine.ports import HeldPorts
from weighhouse_sdk.testkit import at_hand
from weighhouse_sdk.testkit.gateway import gateway
from weighhouse_sdk.testkit.ways_in import Way, check_reached, loaded
from weighhouse_sdk.wire import Address

NAME = "documents.example"
"""In no directory of names."""
LOCAL = "localhost"
"""In that of every machine: the driver's library looks up a certificate's name by itself."""
HERE = {LOCAL: ("127.0.0.1", "::1")}
RECORDS = 50
WAYS = {
    "IPv4": Way("tcp://127.0.0.1:PORT"),
    "IPv6": Way("tcp://[::1]:PORT", host="::1"),
    "name": Way(f"tcp://{NAME}:PORT", hosts={NAME: ("::1", "127.0.0.9", "127.0.0.1")}),
    "socket": Way("unix://DIRECTORY/s.sock"),
    "TLS by name": Way(f"tls://{LOCAL}:PORT", hosts=HERE),
    "own certificate": Way(f"tls://{LOCAL}:PORT", hosts=HERE, own=True),
    "another database": Way("tcp://127.0.0.1:PORT", options={"database": "shop"}),
}

Serve = Callable[[Way], int]


@pytest.fixture
def serve(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Serve]:
    """Starts a server that is to be come to by a way; its certificate is for the name alone."""
    program = at_hand.server(
        request, "ferretdb", "WEIGHHOUSE_FERRETDB", "infra/build/ferretdb.sh builds it with Go"
    )
    files = tmp_path / "tls"
    certify(files, {LOCAL, NAME})
    with contextlib.ExitStack() as served:

        def started(way: Way) -> int:
            ports = HeldPorts()
            port = ports.hold(1, way.host)[0]
            ports.release()
            at = f"[{way.host}]:{port}" if ":" in way.host else f"{way.host}:{port}"
            words = ["--handler=sqlite", "--sqlite-url=file:./", "--log-level=error"]
            if way.endpoint.startswith("unix"):
                words += ["--listen-addr=", f"--listen-unix={tmp_path / 's.sock'}"]
            elif way.secured:
                words += ["--listen-addr=", f"--listen-tls={at}"]
                words += [f"--listen-tls-cert-file={files / CERTIFICATE}"]
                words += [f"--listen-tls-key-file={files / KEY}"]
                words += [f"--listen-tls-ca-file={files / AUTHORITY}"] if way.own else []
            else:
                words += [f"--listen-addr={at}"]
            data = tmp_path / "data"
            data.mkdir()
            server = served.enter_context(subprocess.Popen([program, *words], cwd=data))
            served.callback(server.terminate)
            return port

        yield started


@pytest.mark.parametrize("name", WAYS)
def test_it_is_asked_and_loaded(name: str, serve: Serve, tmp_path: Path) -> None:
    way = WAYS[name]
    port = serve(way)
    check_reached(PLUGIN, way.context("ferretdb", port, tmp_path, way.shown(tmp_path / "tls")))


def test_records_are_in_the_database_that_was_named(serve: Serve, tmp_path: Path) -> None:
    way = WAYS["another database"]
    port = serve(way)
    check_reached(PLUGIN, way.context("ferretdb", port, tmp_path, Credentials()), RECORDS)
    count, usual = (
        ask(Address("127.0.0.1", port), 5.0, {"count": "usertable"}, database=each)[0]["n"]
        for each in ("shop", "ycsb")
    )
    assert (count, usual) == (RECORDS, 0)


@pytest.mark.parametrize(
    ("endpoint", "shown", "words"),
    [
        ("tls://127.0.0.1:PORT", "theirs", "is for another name than 127.0.0.1"),
        (f"tls://{LOCAL}:PORT", "others", "of an authority that is not known here"),
        (f"tcp://{LOCAL}:PORT", "theirs", "speaks TLS on this port, and was asked without"),
    ],
    ids=["another name", "another authority", "without TLS"],
)
def test_what_is_not_as_written_is_told_by_the_observer_and_refused_by_the_driver(
    endpoint: str, shown: str, words: str, serve: Serve, tmp_path: Path
) -> None:
    port = serve(WAYS["TLS by name"])
    certify(tmp_path / "others", {LOCAL})
    files = tmp_path / ("tls" if shown == "theirs" else "others")
    way = Way(endpoint, hosts=HERE)
    context = way.context("ferretdb", port, tmp_path, way.shown(files))
    deployed = PLUGIN.deploy(context)
    with pytest.raises(ServerUnfit, match=words):
        PLUGIN.wait_ready(context, deployed)
    *_, last = loaded(PLUGIN, context, PLUGIN.endpoints(deployed))
    assert isinstance(last, Failed)
    assert "cannot be reached" in last.message


def test_a_server_that_wants_a_certificate_is_told(serve: Serve, tmp_path: Path) -> None:
    port = serve(WAYS["own certificate"])
    way = WAYS["TLS by name"]
    context = way.context("ferretdb", port, tmp_path, way.shown(tmp_path / "tls"))
    deployed = PLUGIN.deploy(context)
    with pytest.raises(ServerUnfit, match="wants to see a certificate of its client"):
        PLUGIN.wait_ready(context, deployed)


def test_the_observer_comes_by_a_name_that_no_directory_has(serve: Serve, tmp_path: Path) -> None:
    """The driver does not, and says so: its library looks up the name by itself."""
    way = Way(f"tls://{NAME}:PORT", hosts={NAME: ("::1", "127.0.0.1")}, own=True)
    port = serve(way)
    context = way.context("ferretdb", port, tmp_path, way.shown(tmp_path / "tls"))
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    assert PLUGIN.describe(context, deployed).version
    *_, last = loaded(PLUGIN, context, PLUGIN.endpoints(deployed))
    assert isinstance(last, Failed)
    assert last.message.startswith(f"{NAME}: ")
    assert "has to have an address" in (last.hint or "")


def test_another_name_than_the_hosts_is_refused_before_the_driver_starts(
    serve: Serve, tmp_path: Path
) -> None:
    way = Way("tls://127.0.0.1:PORT", server_name=NAME)
    port = serve(way)
    context = way.context("ferretdb", port, tmp_path, way.shown(tmp_path / "tls"))
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    with pytest.raises(CredentialsRefused, match="has no option tls_server_name"):
        loaded(PLUGIN, context, PLUGIN.endpoints(deployed))


def test_observer_and_driver_name_the_database_of_their_account(
    serve: Serve, tmp_path: Path
) -> None:
    """What is sent; the server that is built here keeps no accounts."""
    heard: list[bytes] = []
    port = serve(WAYS["IPv4"])
    up = WAYS["IPv4"].context("ferretdb", port, tmp_path, Credentials(), "up")
    PLUGIN.wait_ready(up, PLUGIN.deploy(up))
    file = tmp_path / "password"
    file.write_text("a-password-of-its-own", encoding="utf-8")
    shown = Credentials("weighhouse", "a-password-of-its-own", file)
    way = Way("tcp://127.0.0.1:PORT", options={"auth_source": "people"})
    with gateway(Address("127.0.0.1", port), heard.append) as before:
        context = way.context("ferretdb", before.address.port, tmp_path, shown)
        deployed = PLUGIN.deploy(context)
        with contextlib.suppress(ServerUnfit):
            PLUGIN.wait_ready(context, deployed)
        observer, heard[:] = b"".join(heard), []
        loaded(PLUGIN, context, PLUGIN.endpoints(deployed))
        driver = b"".join(heard)
    for said in (observer, driver):
        assert said.count(b"saslStart\0") == said.count(b"db\0\x07\0\0\0people\0") > 0
