"""Where the platform connects to for a tenant: into the installation's own network by no name."""

import pytest
from weighhouse_backend.kit.addresses import AddressForbidden, look_up, split

PUBLIC = "93.184.216.34"


def answering(*addresses):
    return lambda host, port: addresses


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "100.64.0.1", "169.254.169.254", "0.0.0.0", "255.255.255.255", "224.0.0.1", "198.18.0.1",
        "240.0.0.1", "192.0.0.1", "192.0.2.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1",
        "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2002:7f00:1::", "2001:0:4136:e378::1",
        "2001:db8::1", "::7f00:1", "192.0.0.192", "192.0.0.9", "192.0.0.10", "192.0.0.170",
        "192.88.99.1", "192.31.196.1", "192.52.193.1", "192.175.48.1", "198.19.255.255",
        "198.51.100.1", "203.0.113.1", "239.1.1.1", "250.0.0.1", "100::1", "100:0:0:1::1",
        "2001:1::1", "2001:2::1", "2001:3::1", "2001:4:112::1", "2001:10::1", "2001:20::1",
        "2001:30::1", "2001:1ff::1", "2620:4f:8000::1", "3fff::1", "5f00::1", "fec0::1",
        "64:ff9b::c000:c0", "::ffff:192.0.0.192", "4000::1", "ff0e::1",
    ],
)  # fmt: skip
def test_what_is_not_on_the_internet_is_refused(address):
    with pytest.raises(AddressForbidden):
        look_up("https://hooks.example/x", own_networks=False, resolver=answering(address))
    with pytest.raises(AddressForbidden):
        look_up("https://hooks.example/x", own_networks=False, resolver=answering(PUBLIC, address))


@pytest.mark.parametrize(
    "address", [PUBLIC, "8.8.8.8", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_what_is_on_the_internet_is_sent_to(address):
    look_up("https://hooks.example/x", own_networks=False, resolver=answering(address))


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254", "fe80::1", "224.0.0.1", "0.0.0.0", "::", "100.100.100.200",
        "168.63.129.16", "64:ff9b::a83f:8110", "fd00:ec2::254", "fd20:ce::254",
    ],
)  # fmt: skip
def test_where_machines_are_told_secrets_nobody_may_send(address):
    with pytest.raises(AddressForbidden, match="where nothing is sent"):
        look_up("https://hooks.example/x", own_networks=True, resolver=answering(address))


def test_the_connection_goes_to_the_address_that_was_looked_at():
    asked = []

    def resolver(host, port):
        asked.append((host, port))
        return ["8.8.8.8", "8.8.4.4"] if len(asked) == 1 else ["127.0.0.1"]

    found = look_up("https://Hooks.example/a?b=c#d", own_networks=False, resolver=resolver)
    assert found.url == "https://8.8.8.8:443/a?b=c"
    assert (found.host, found.authority) == ("hooks.example", "hooks.example")
    assert asked == [("hooks.example", 443)]


def test_a_port_and_an_address_of_six_are_kept():
    found = look_up("https://hooks.example:8443/a", own_networks=False, resolver=answering(PUBLIC))
    assert (found.url, found.authority) == (f"https://{PUBLIC}:8443/a", "hooks.example:8443")
    six = "2606:2800:220:1::1"
    found = look_up(f"https://[{six}]/a", own_networks=False, resolver=answering(six))
    assert (found.url, found.authority) == (f"https://[{six}]:443/a", f"[{six}]")


def test_without_tls_only_this_machine_is_sent_to_and_only_where_it_may():
    for where in ("127.0.0.1", "::1"):
        look_up("http://it/x", own_networks=True, resolver=answering(where))
    for where, own in ((PUBLIC, True), ("10.0.0.1", True), ("127.0.0.1", False)):
        with pytest.raises(AddressForbidden):
            look_up("http://it/x", own_networks=own, resolver=answering(where))


@pytest.mark.parametrize(
    "address",
    [
        "", "hooks.example/x", "ftp://hooks.example/", "file:///etc/passwd", "https:///x",
        "https://me:secret@hooks.example/", "https://me@hooks.example/", "https://[::1",
        "https://hooks.example:99999/", "https://hooks.example:0/", "https://hooks.example/a b",
        "https://hooks.example/\x01", "https://hooks.example/\x7f", "https://hooks..example/",
        f"https://{'a' * 64}.example/",
        "https://2130706433/", "https://0x7f000001/", "https://127.1/", "https://0177.0.0.1/",
        "https://[fe80::1%25eth0]/", "https://hooks.example\\@127.0.0.1/",
        "https://hooks.exämple/", "gopher://127.0.0.1:6379/_FLUSHALL",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(address):
    with pytest.raises(AddressForbidden):
        split(address)
