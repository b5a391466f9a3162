"""What is of this machine, asked of the machine that the tests run on."""

import ipaddress
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_sdk.machine import locality
from weighhouse_sdk.machine.locality import any_is_here, endpoint_is_here, is_here
from weighhouse_sdk.machine.procfs import PROC

HERE = ["127.0.0.1", "127.0.0.2", "::1", "::", "0.0.0.0", "::ffff:127.0.0.1", "localhost"]
ELSEWHERE = ["192.0.2.77", "203.0.113.9", "::ffff:203.0.113.9"]
"""Of documentation's networks (RFC 5737): no machine has them, unless it is one of ours."""


def of_interfaces() -> list[str]:
    """Every address that the interfaces of this machine have, by the program `ip`."""
    told = subprocess.run(["ip", "-o", "addr"], capture_output=True, text=True, check=True).stdout
    return [line.split()[3].partition("/")[0] for line in told.splitlines()]


@pytest.mark.parametrize("host", HERE)
def test_ways_to_write_this_machine(host: str) -> None:
    assert is_here(host) is True


def test_every_address_of_every_interface_is_here() -> None:
    found = of_interfaces()
    assert found
    for address in found:
        assert is_here(address) is True, address
        if ipaddress.ip_address(address).version == 4:
            assert is_here(f"::ffff:{address}") is True, address


def test_names_of_this_machine_are_here() -> None:
    with (PROC.parent / "etc" / "hosts").open(encoding="utf-8") as file:
        lines = [line.partition("#")[0].split() for line in file]
    own = {*HERE, *of_interfaces()}
    named = [name for address, *names in (line for line in lines if line) for name in names
             if address in own]  # fmt: skip
    assert "localhost" in named
    for name in named:
        assert is_here(name) is True, name


@pytest.mark.parametrize("host", ELSEWHERE)
def test_what_is_no_address_of_this_machine_is_not_here(host: str) -> None:
    assert is_here(host) is not True


@pytest.mark.parametrize("host", ["", "no-such-host.invalid"])
def test_what_has_no_address_is_not_known(host: str) -> None:
    assert is_here(host) is None


@pytest.mark.parametrize(
    ("endpoint", "here"),
    [
        ("unix:///run/server.sock", True),
        ("file:///data", True),
        ("tcp://[::1]:6379", True),
        ("tls://[::ffff:127.0.0.1]:6379", True),
        ("tcp://127.0.0.2:1", True),
        ("tcp://", None),
        ("tcp://[bad", None),
    ],
)
def test_endpoints(endpoint: str, here: bool | None) -> None:
    assert endpoint_is_here(endpoint) is here


def test_a_part_of_a_system_that_is_here_is_enough() -> None:
    far = f"tcp://{ELSEWHERE[0]}:1"
    assert any_is_here((far, "tcp://127.0.0.1:1")) is True
    assert any_is_here((far, "tcp://no-such-host.invalid:1")) is None
    assert any_is_here(()) is None


@pytest.fixture
def namespace() -> Iterator[tuple[str, str]]:
    """A namespace that a process lives in, as a container does; its outer and inner address."""
    name = f"wh-here-{os.getpid()}"
    outer, inner = "198.51.100.1", "198.51.100.2"
    setup = [
        f"ip netns add {name}",
        f"ip link add whh0 type veth peer name whh1 netns {name}",
        f"ip addr add {outer}/24 dev whh0",
        "ip link set whh0 up",
        f"ip -n {name} addr add {inner}/24 dev whh1",
        f"ip -n {name} link set whh1 up",
        f"ip -n {name} link set lo up",
    ]
    process: subprocess.Popen[bytes] | None = None
    try:
        for line in setup:
            subprocess.run(line.split(), check=True)
        process = subprocess.Popen(
            ["ip", "netns", "exec", name, "sh", "-c", "echo there; exec cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        yield outer, inner
    finally:
        if process is not None:
            process.kill()
            process.communicate()
        subprocess.run(["ip", "link", "del", "whh0"], check=False)
        subprocess.run(["ip", "netns", "del", name], check=False)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes network namespaces")
def test_a_container_of_this_machine_is_here_and_its_neighbour_is_not_known(
    namespace: tuple[str, str],
) -> None:
    outer, inner = namespace
    assert is_here(outer) is True
    assert is_here(inner) is True
    assert is_here("198.51.100.3") is None


def test_an_address_that_this_machine_answers_at_is_one_that_it_can_listen_at() -> None:
    """The other way round: what a server can be bound to is of this machine."""
    for address in of_interfaces():
        if ipaddress.ip_address(address).is_link_local:
            continue
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as listener:
            listener.bind((address, 0))
            listener.listen()
            assert is_here(listener.getsockname()[0]) is True


def test_of_a_machine_whose_addresses_cannot_be_read_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine with a card, whose kernel lets less and less be read."""
    net = tmp_path / "proc" / "self" / "net"
    net.mkdir(parents=True)
    (tmp_path / "class" / "card" / "device").mkdir(parents=True)
    monkeypatch.setattr(locality, "PROC", tmp_path / "proc")
    monkeypatch.setattr(locality, "DEVICES", tmp_path / "class")
    (net / "route").write_text("head\ncard 00000000 00000000 0003 0 0 0 00000000 0 0 0\n")
    none = "0" * 32
    (net / "ipv6_route").write_text(f"{none} 00 {none} 00 {none} 00000400 0 0 00000003 card\n")
    (net / "fib_trie").write_text("  |-- 192.0.2.1\n     /32 host LOCAL\n")
    (net / "if_inet6").write_text("20010db8000000000000000000000001 02 40 00 80 card\n")
    assert is_here("192.0.2.1") is True
    assert is_here("2001:db8::1") is True
    for far, file in (("203.0.113.9", "fib_trie"), ("2001:db8::9", "if_inet6")):
        assert is_here(far) is False
        (net / file).write_text("")
        assert is_here(far) is None
        (net / file).unlink()
        assert is_here(far) is None
