"""Where a policy lets a system under test be: every scheme, every spelling, every way there."""

import ipaddress
from pathlib import Path

import pytest
from weighhouse_agent.machine.endpoints import NotWithin, judged
from weighhouse_agent.machine.policy import Policy, PolicyRefused, check_endpoint, check_host
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
        "tcp://127.0.0.1\n:1", "redis://127.0.0.1:1", "tcp://127.0.0.1", "tls://[::1]:1/x",
        "tcp://[::7f00:1]", "tcp://127.0.0.1\x00:1", "tcp://127.0.0.1\u202e:1", "tcp://１２７.0.0.1:1",
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
        "tcp://10.0.0.1:1", "tcp://169.254.169.254:80", "tls://192.0.2.1:1", "tls://[fe80::1]:1",
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
        ("tcp://127.0.0.1:6379", "tcp://127.0.0.1:6379"), ("tls://[::1]:1", "tls://[::1]:1"),
        ("tcp://[::ffff:127.0.0.1]:1", "tcp://127.0.0.1:1"), ("tcp://127.9.9.9:1", "tcp://127.9.9.9:1"),
    ],
)  # fmt: skip
def test_what_is_within_is_asked_at_its_address(endpoint: str, asked: str) -> None:
    found = judged(endpoint, LOOPBACK, [])
    assert (str(found.endpoint), found.addresses) == (asked, ())


def test_a_name_stays_and_has_its_addresses_beside_it() -> None:
    found = judged("tls://localhost:1", LOOPBACK, [])
    assert str(found.endpoint) == "tls://localhost:1"
    assert set(found.addresses) <= {"127.0.0.1", "::1"}
    assert found.addresses
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
    for endpoint in (f"unix://{sockets}/x", f"file://{sockets}", f"file://{sockets}/my data"):
        assert str(judged(endpoint, [], [sockets]).endpoint) == endpoint


def test_refusals_name_the_key(tmp_path: Path) -> None:
    with pytest.raises(PolicyRefused) as told:
        check_endpoint(Policy(), "unix:///run/redis.sock")
    assert "`paths`" in told.value.hint
    found = check_endpoint(Policy(), f"file://{tmp_path}", [tmp_path])
    assert str(found.endpoint) == f"file://{tmp_path}"
    with pytest.raises(PolicyRefused) as told:
        check_endpoint(Policy(), "tcp://me:hush@127.0.0.1:1")
    assert "hush" not in str(told.value.failure())
    with pytest.raises(ValueError, match="absolute"):
        Policy(paths=(Path("run"),))


@pytest.mark.parametrize("host", ["127.0.1.1", "::1", "localhost"])
def test_a_machine_is_judged_by_its_addresses(host: str) -> None:
    check_host(Policy(), host)
    with pytest.raises(PolicyRefused, match="networks"):
        check_host(Policy(networks=(ipaddress.IPv4Network("10.0.0.0/8"),)), host)
