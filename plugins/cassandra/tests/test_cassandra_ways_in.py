"""Every way in to a real node that somebody else started, with TLS and without."""

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from weighhouse_plugin_cassandra import PLUGIN
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import Failed
from weighhouse_sdk.clock import SystemClock
from weighhouse_sdk.context import Context
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.errors import ServerUnfit
from weighhouse_sdk.families.cql import rows
from weighhouse_sdk.machine.certificates import AUTHORITY, CERTIFICATE, KEY, certify
from weighhouse_sdk.places import Place
from weighhouse_sdk.replies import NotYet
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.testkit.resp_rights import free_address
from weighhouse_sdk.testkit.ways_in import Way, check_reached, loaded
from weighhouse_sdk.wire import Address

NAME = "ring.example"
"""In no directory of names."""
SMALL: dict[str, Scalar] = {"heap_mebibytes": 256, "garbage_collector": "serial"}
EVERYWHERE = {"rpc_address": "::", "broadcast_rpc_address": "127.0.0.1"}
UP_SECONDS = 240.0
RECORDS = 50
DEAD_FIRST = {NAME: ("127.0.0.9", "127.0.0.1")}
ON_IPV6 = {NAME: ("::1",)}
NOWHERE = "192.0.2.20"
"""Of documentation's network (RFC 5737): where the plain node says that it is."""
PLAIN = {
    "IPv4": Way("tcp://127.0.0.1:PORT", announced=NOWHERE),
    "IPv6": Way("tcp://[::1]:PORT", announced=NOWHERE),
    "name": Way(f"tcp://{NAME}:PORT", hosts=DEAD_FIRST, announced=NOWHERE),
    "name, IPv6": Way(f"tcp://{NAME}:PORT", hosts=ON_IPV6, announced=NOWHERE),
}


@dataclass
class There:
    """A node as somebody set it up.

    :param files: with its certificate, and the authority's.
    """

    port: int
    files: Path
    own: bool = False

    def context(self, way: Way, directory: Path, shown: Credentials | None = None) -> Context:
        """An attempt on it."""
        return way.context("cassandra", self.port, directory, shown or way.shown(self.files))


@contextlib.contextmanager
def standing(directory: Path, changes: Mapping[str, object], shown: Credentials) -> Iterator[int]:
    """A node, by the port where it answers."""
    plain = free_address()
    place = Place(1, "cassandra", plain, directory, (plain,), 1)
    PLUGIN.prepare(SMALL, place)
    yaml = directory / "cassandra.yaml"
    changed = {**json.loads(yaml.read_text()), **EVERYWHERE, **changes}
    yaml.write_text(json.dumps(changed), encoding="utf-8")
    *options, daemon = PLUGIN.arguments(SMALL, place)
    words = [str(shutil.which("java")), *options, "-Djava.net.preferIPv4Stack=false", daemon]
    secured = "client_encryption_options" in changes
    address = Address(NAME, plain.port, shown, tls=secured, resolved=(plain.host,))
    clock = SystemClock()
    with child(words, cwd=directory, stdout=subprocess.DEVNULL) as process:
        end_at = clock.monotonic() + UP_SECONDS
        while clock.monotonic() < end_at and process.poll() is None:
            with contextlib.suppress(OSError, NotYet):
                rows(address, 10.0)
                break
        yield plain.port


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[There]:
    directory = tmp_path_factory.mktemp("node")
    changes = {"broadcast_rpc_address": NOWHERE}
    with standing(directory, changes, Credentials()) as port:
        yield There(port, directory)


@pytest.fixture(scope="module", params=[False, True], ids=["its own", "and ours"])
def secured(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[There]:
    """With a certificate for a name alone, and once it wants one of the client's."""
    own = bool(request.param)
    directory = tmp_path_factory.mktemp("node")
    files = directory / "certificates"
    certify(files, {NAME})
    whole = files / "whole.pem"
    whole.write_bytes((files / KEY).read_bytes() + (files / CERTIFICATE).read_bytes())
    options = {
        "enabled": True,
        "optional": False,
        "require_client_auth": own,
        "keystore": str(whole),
        "truststore": str(files / AUTHORITY),
        "ssl_context_factory": {
            "class_name": "org.apache.cassandra.security.PEMBasedSslContextFactory"
        },
    }
    shown = Way("tls://", own=own).shown(files)
    with standing(directory, {"client_encryption_options": options}, shown) as port:
        yield There(port, files, own)


def test_without_a_map_the_library_goes_nowhere_that_nobody_allowed(
    plain: There, tmp_path: Path
) -> None:
    context = plain.context(Way("tcp://127.0.0.1:PORT"), tmp_path)
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    named = PLUGIN.find_nodes(context, deployed)
    assert [each.place for each in named] == [f"{NOWHERE}:{plain.port}"]
    *_, last = loaded(PLUGIN, context, PLUGIN.endpoints(deployed))
    assert isinstance(last, Failed), last


@pytest.mark.parametrize("name", PLAIN)
def test_it_is_asked_and_loaded(plain: There, name: str, tmp_path: Path) -> None:
    check_reached(PLUGIN, plain.context(PLAIN[name], tmp_path))


def test_records_are_in_the_keyspace_that_was_named(plain: There, tmp_path: Path) -> None:
    way = Way("tcp://127.0.0.1:PORT", options={"keyspace": "shop"}, announced=NOWHERE)
    check_reached(PLUGIN, plain.context(way, tmp_path), RECORDS)
    (found,) = rows(Address("127.0.0.1", plain.port), 10.0, "SELECT y_id FROM shop.usertable")
    assert len(found) == RECORDS


@pytest.mark.parametrize("hosts", [DEAD_FIRST, ON_IPV6], ids=["IPv4", "IPv6"])
def test_it_is_come_to_by_its_name(
    secured: There, hosts: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    way = Way(f"tls://{NAME}:PORT", hosts=hosts, own=secured.own)
    check_reached(PLUGIN, secured.context(way, tmp_path))


def test_its_name_may_be_said_beside_its_address(secured: There, tmp_path: Path) -> None:
    by_option = {"tls_server_name": NAME}
    way = Way("tls://127.0.0.1:PORT", options=by_option, own=secured.own)
    check_reached(PLUGIN, secured.context(way, tmp_path / "target"))
    way = Way("tls://127.0.0.1:PORT", own=secured.own, server_name=NAME)
    check_reached(PLUGIN, secured.context(way, tmp_path / "policy"))


@pytest.mark.parametrize(
    ("host", "authority", "words"),
    [
        ("127.0.0.1", "theirs", "is for another name than 127.0.0.1"),
        (NAME, "another", "of an authority that is not known here"),
    ],
    ids=["another name", "another authority"],
)
def test_another_certificate_is_refused(
    secured: There, host: str, authority: str, words: str, tmp_path: Path
) -> None:
    way = Way(f"tls://{host}:PORT", hosts=DEAD_FIRST, own=secured.own)
    shown = way.shown(secured.files)
    if authority == "another":
        shown = Credentials(tls_ca_file=certify(tmp_path / "others", {NAME}))
    context = secured.context(way, tmp_path, shown)
    deployed = PLUGIN.deploy(context)
    with pytest.raises(ServerUnfit, match=words):
        PLUGIN.wait_ready(context, deployed)
    *_, last = loaded(PLUGIN, context, PLUGIN.endpoints(deployed))
    assert isinstance(last, Failed)
    assert "cannot be reached" in last.message


def test_what_it_wants_is_told(secured: There, tmp_path: Path) -> None:
    way = Way(f"tcp://{NAME}:PORT", hosts=DEAD_FIRST)
    words = "speaks TLS on this port, and was asked without"
    if secured.own:
        way = Way(f"tls://{NAME}:PORT", hosts=DEAD_FIRST)
        words = "wants to see a certificate of its client"
    context = secured.context(way, tmp_path)
    with pytest.raises(ServerUnfit, match=words):
        PLUGIN.wait_ready(context, PLUGIN.deploy(context))
