"""Where a policy lets a system under test be: every scheme, every spelling, every way there."""

import ipaddress
from pathlib import Path

import pytest
from weighhouse_agent.attempt.gangs import address_url
from weighhouse_agent.machine.endpoints import NotWithin, judged
from weighhouse_agent.machine.policy import Policy, PolicyRefused, check_endpoint
from weighhouse_protocol.endpoints import NotAnEndpoint

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))
WIDE = (ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0"))


@pytest.mark.parametrize(
    "endpoint",
    [
        "", "nonsense", "127.0.0.1:6379", "tcp:", "tcp://", "tcp:///x", "//127.0.0.1:1",
        "tcp:127.0.0.1:1",
        "tcp://127.0.0.1:0", "tcp://127.0.0.1:65536", "tcp://127.0.0.1:-1", "tcp://127.0.0.1:x",
        "tcp://2130706433:6379", "tcp://0x7f000001:1", "tcp://0x7f.1:1", "tcp://0177.0.0.1:1",
        "tcp://127.1:1", "tcp://127.0.0.01:1", "tcp://127.0.0.1.:1", "tcp://0:1", "tcp://127.0.0.0x1:1",
        "tcp://[fe80::1%25eth0]:1", "tcp://[::1%lo]:1", "tcp://[::1", "tcp://[127.0.0.1]:1",
        "tcp://user@127.0.0.1:1", "redis://:hush@127.0.0.1:1", "mongodb://u:p@127.0.0.1:1",
        "tcp://@127.0.0.1:1", "tcp://127.0.0.1:1,10.0.0.1:1", "tcp://127.0.0.1\\@10.0.0.1:1",
        "tcp://127.0.0.1:1?x=y", "tcp://127.0.0.1:1#@10.0.0.1", "tcp://127.0.0.1:1/ x", "tcp://127.0.0.1\t:1",
        "tcp://127.0.0.1\n:1", "tcp://127.0.0.1\x00:1", "tcp://127.0.0.1\u202e:1", "tcp://１２７.0.0.1:1",
        "TCP+\x7f://127.0.0.1:1", "tcp://" + "a" * 1000,
        f"tcp://{'a' * 64}:1", "tcp://a..b:1", "unix://run/x", "unix://127.0.0.1/run/x",
        "unix:///run/../etc/x", "unix:///run/%2e%2e/x", "file:///etc/passwd?x", "file:///etc/pas\x00swd",
    ],
)  # fmt: skip
def test_what_has_more_than_one_meaning_is_none(endpoint: str) -> None:
    with pytest.raises(NotAnEndpoint):
        judged(endpoint, WIDE, [Path("/")])


@pytest.mark.parametrize(
    "endpoint",
    [
        "tcp://10.0.0.1:1", "redis://169.254.169.254:80", "tls://192.0.2.1", "bolt://[fe80::1]:1",
        "tcp://[::ffff:10.0.0.1]:1", "tcp://[::ffff:a00:1]:1", "tcp://[::]:1", "tcp://0.0.0.0:1",
        "tcp://[64:ff9b::7f00:1]:1", "tcp://[::7f00:1]:1", "tcp://[2002:7f00:1::]:1",
    ],
)  # fmt: skip
def test_every_scheme_leads_to_the_policys_networks_alone(endpoint: str) -> None:
    with pytest.raises(NotWithin) as told:
        judged(endpoint, LOOPBACK, [])
    assert told.value.key == "networks"


@pytest.mark.parametrize(
    ("endpoint", "asked"),
    [
        ("tcp://127.0.0.1:6379", "tcp://127.0.0.1:6379"), ("tls://[::1]:1/x", "tls://[::1]:1/x"),
        ("tcp://[::ffff:127.0.0.1]:1", "tcp://127.0.0.1:1"), ("tcp://127.9.9.9", "tcp://127.9.9.9"),
    ],
)  # fmt: skip
def test_what_is_within_is_asked_at_its_address(endpoint: str, asked: str) -> None:
    assert judged(endpoint, LOOPBACK, []) == asked


def test_a_name_is_replaced_by_an_address_that_was_judged() -> None:
    assert judged("tcp://localhost:1", LOOPBACK, []) in {"tcp://127.0.0.1:1", "tcp://[::1]:1"}
    with pytest.raises(NotWithin):
        judged("tcp://localhost:1", [ipaddress.ip_network("10.0.0.0/8")], [])
    with pytest.raises(OSError, match=r"not known|resolution"):
        judged("tcp://nowhere.invalid:1", WIDE, [])


def test_a_path_is_one_that_the_policy_names(tmp_path: Path) -> None:
    sockets, outside = tmp_path / "sockets", tmp_path / "outside"
    sockets.mkdir()
    outside.mkdir()
    (sockets / "way-out").symlink_to(outside)
    for endpoint in (f"unix://{outside}/x", f"file://{sockets}-2", f"unix://{sockets}/way-out/x"):
        with pytest.raises(NotWithin) as told:
            judged(endpoint, WIDE, [sockets])
        assert told.value.key == "paths"
    assert judged(f"unix://{sockets}/x", [], [sockets]) == f"unix://{sockets}/x"
    assert judged(f"file://{sockets}", [], [sockets]) == f"file://{sockets}"
    assert judged(f"file://{sockets}/my data", [], [sockets]) == f"file://{sockets}/my data"


def test_refusals_name_the_key(tmp_path: Path) -> None:
    with pytest.raises(PolicyRefused) as told:
        check_endpoint(Policy(), "unix:///run/redis.sock")
    assert "`paths`" in told.value.hint
    assert check_endpoint(Policy(), f"file://{tmp_path}", [tmp_path]) == f"file://{tmp_path}"
    with pytest.raises(ValueError, match="absolute"):
        Policy(paths=(Path("run"),))


@pytest.mark.parametrize("host", ["127.0.1.1", "::1"])
def test_a_machine_is_judged_by_its_address_alone(host: str) -> None:
    assert check_endpoint(Policy(), address_url(host)) == address_url(host)
    assert check_endpoint(Policy(), address_url(host, 6379)) == address_url(host, 6379)
