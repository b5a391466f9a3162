"""What no waiting mends is told at the first answer, in words of its own; else it is waited for."""

import contextlib
import datetime
import http.server
import socket
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_redis import PLUGIN
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.errors import NotReady, ServerUnfit
from weighhouse_sdk.families.resp import ask
from weighhouse_sdk.machine import certificates
from weighhouse_sdk.testkit.resp_rights import free_address, served
from weighhouse_sdk.testkit.rights_testing import Visitor
from weighhouse_sdk.wire import Address

ASK_SECONDS = 5.0


@contextlib.contextmanager
def redis(*words: str) -> Iterator[Address]:
    address = free_address()
    arguments = ["--port", str(address.port), "--bind", address.host, "--save", "", *words]
    with served("redis-server", arguments, address) as there:
        yield there


@contextlib.contextmanager
def secure_redis(directory: Path, *hosts: str) -> Iterator[tuple[Address, Path]]:
    """It speaks TLS alone; its authority's file."""
    authority = certificates.certify(directory, hosts)
    address = free_address()._replace(tls=True, credentials=Credentials(tls_ca_file=authority))
    words = ["--port", "0", "--tls-port", str(address.port), "--bind", address.host, "--save", ""]
    words += ["--tls-cert-file", str(directory / certificates.CERTIFICATE), "--tls-auth-clients"]
    words += ["no", "--tls-key-file", str(directory / certificates.KEY)]
    words += ["--tls-ca-cert-file", str(authority)]
    with served("redis-server", words, address) as there:
        yield there, authority


@contextlib.contextmanager
def answering(server: socketserver.BaseServer) -> Iterator[Address]:
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    host, port = server.server_address[:2]  # type: ignore[misc]
    yield Address(str(host), int(port))
    server.shutdown()
    server.server_close()


def test_tls_and_none_are_told_apart(tmp_path: Path) -> None:
    with redis() as address:
        visitor = Visitor(PLUGIN, address._replace(tls=True), tmp_path)
        told = visitor.refused("tls-to-plain")
        assert f"does not speak TLS on port {address.port}" in told.message
        assert "tcp://" in told.hint
    with secure_redis(tmp_path / "own", "127.0.0.1") as (address, _):
        told = Visitor(PLUGIN, Address(*address[:2]), tmp_path).refused("plain-to-tls")
        assert "speaks TLS on this port, and was asked without" in told.message
        assert "tls://" in told.hint


def test_each_fault_of_a_certificate_has_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with secure_redis(tmp_path / "own", "127.0.0.1") as (address, authority):
        visitor = Visitor(PLUGIN, address, tmp_path)
        visitor.measures("known", Credentials(tls_ca_file=authority))
        told = visitor.refused("unknown")
        assert "of an authority that is not known here" in told.message
        assert "tls_ca_file" in told.hint
        (tmp_path / "empty.pem").touch()
        told = visitor.refused("empty", Credentials(tls_ca_file=tmp_path / "empty.pem"))
        assert "holds no certificate" in told.message
        told = visitor.refused("gone", Credentials(tls_ca_file=tmp_path / "gone.pem"))
        assert (
            "gone.pem of the credentials, or its key, cannot be used: No such file" in told.message
        )
    with secure_redis(tmp_path / "other", "cache.example") as (address, authority):
        visitor = Visitor(PLUGIN, address, tmp_path)
        told = visitor.refused("other-name", Credentials(tls_ca_file=authority))
        assert "is for another name than 127.0.0.1" in told.message
        assert "the name that stands in its certificate" in told.hint
    monkeypatch.setattr(certificates, "VALID", -datetime.timedelta(minutes=5))
    with secure_redis(tmp_path / "old", "127.0.0.1") as (address, authority):
        told = Visitor(PLUGIN, address, tmp_path).refused(
            "expired", Credentials(tls_ca_file=authority)
        )
        assert "has expired" in told.message
        assert "renewed" in told.hint


def test_a_password_that_nobody_wants_is_told(tmp_path: Path) -> None:
    with redis() as address:
        visitor = Visitor(PLUGIN, address, tmp_path)
        told = visitor.refused("unwanted", visitor.account(None, "ERR"))
        assert "has no password, and was shown one" in told.message
        assert "leave out the credentials" in told.hint


def test_a_server_that_is_full_is_told(tmp_path: Path) -> None:
    with redis("--maxclients", "2") as address, contextlib.ExitStack() as held:
        for _ in range(2):
            held.enter_context(socket.create_connection(address[:2]))
        told = Visitor(PLUGIN, address, tmp_path).refused("full")
        assert "takes no further connection" in told.message
        assert "maxclients" in told.hint
        assert told.kind == "refused"


class Greeting(socketserver.StreamRequestHandler):
    """Says what programs of another kind say."""

    words = b"SSH-2.0-OpenSSH_9.2\r\n"

    def handle(self) -> None:
        self.wfile.write(self.words)


def test_other_products_are_told_by_what_they_speak(tmp_path: Path) -> None:
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    with answering(web) as address:
        told = Visitor(PLUGIN, address, tmp_path).refused("web")
        assert "speaks HTTP, not Redis' protocol" in told.message
    with answering(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Greeting)) as address:
        told = Visitor(PLUGIN, address, tmp_path).refused("shell")
        assert "speaks SSH, not Redis' protocol" in told.message
    address = free_address()
    words = ["-l", address.host, "-p", str(address.port), "-U", "0", "-u", "root"]
    with served("memcached", words, address):
        told = Visitor(PLUGIN, address, tmp_path).refused("memcached")
        assert "speaks Memcached's protocol, not Redis' protocol" in told.message


class Nonsense(Greeting):
    """A length that is none."""

    words = b"$many\r\n"


def test_what_cannot_be_read_is_told_in_words(tmp_path: Path) -> None:
    with answering(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Nonsense)) as address:
        told = Visitor(PLUGIN, address, tmp_path).refused("nonsense")
        assert "does not speak Redis' protocol; it says '$many'" in told.message


def test_a_name_that_is_not_known_is_told(tmp_path: Path) -> None:
    told = Visitor(PLUGIN, Address("nobody.invalid", 6379), tmp_path).refused("name")
    assert "the name nobody.invalid is not known" in told.message


class Loading(socketserver.StreamRequestHandler):
    """A server that loads its data the first few times it is asked."""

    left = 3
    real: Address

    def handle(self) -> None:
        words = []
        while head := self.rfile.readline():
            words = [head, *(self.rfile.readline() for _ in range(2 * int(head[1:])))]
            if Loading.left:
                Loading.left -= 1
                self.wfile.write(b"-LOADING Redis is loading the dataset in memory\r\n")
                continue
            told = ask(Loading.real, ASK_SECONDS, *(each.decode().strip() for each in words[2::2]))
            data = str(told).encode()
            self.wfile.write(b"$%d\r\n%s\r\n" % (len(data), data))


def test_a_server_that_loads_is_waited_for(tmp_path: Path) -> None:
    with (
        redis() as Loading.real,
        answering(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Loading)) as address,
    ):
        context = Visitor(PLUGIN, address, tmp_path).context("loading")
        deployed = PLUGIN.deploy(context)
        PLUGIN.wait_ready(context, deployed)
        assert Loading.left == 0


def test_a_server_that_is_not_up_is_waited_for_until_it_is(tmp_path: Path) -> None:
    address = free_address()
    context = Visitor(PLUGIN, address, tmp_path).context("later")
    deployed = PLUGIN.deploy(context)
    ready = threading.Event()

    def wait() -> None:
        PLUGIN.wait_ready(context, deployed)
        ready.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    words = ["--port", str(address.port), "--bind", address.host, "--save", ""]
    with served("redis-server", words, address):
        waiting.join(ASK_SECONDS * 6)
        assert ready.is_set()
    short = Visitor(PLUGIN, free_address(), tmp_path, ready_seconds=0.1).context("never")
    with pytest.raises(NotReady, match="does not answer") as told:
        PLUGIN.wait_ready(short, PLUGIN.deploy(short))
    assert not isinstance(told.value, ServerUnfit)
