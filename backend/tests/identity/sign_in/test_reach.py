"""Where a provider that an organization names may stand."""

import socket
import threading

import pytest
from weighhouse_backend.identity.errors import ProviderAway
from weighhouse_backend.sign_in.oidc import Reach, insist_on_safe, keys_of

INTERNET = Reach(loopback=False, own_networks=False)
OWN = Reach(loopback=False, own_networks=True)
NEVER = (
    "https://169.254.169.254/", "https://[fe80::1]/", "https://192.0.0.192/", "https://0.0.0.0/",
    "https://[::ffff:169.254.169.254]/", "https://2852039166/", "https://0xa9fea9fe/",
    "https://id.example:0/", "https://me:hush@id.example/", "https://id.example/#x",
    "http://id.example",
    "file:///etc/passwd", "javascript:alert(1)", "//id.example/", "https://id.example\\@10.0.0.1/",
)  # fmt: skip
PRIVATE = ("https://10.0.0.1/", "https://127.0.0.1:8443/", "https://[::1]/", "https://[fd00::1]/")


@pytest.mark.parametrize("address", NEVER)
@pytest.mark.parametrize("reach", [INTERNET, OWN, Reach(loopback=True, own_networks=True)])
def test_where_nobody_is_asked(address: str, reach: Reach) -> None:
    with pytest.raises(ValueError, match=r"."):
        insist_on_safe(address, reach)


@pytest.mark.parametrize("address", PRIVATE)
def test_private_networks_are_the_operators_to_open(address: str) -> None:
    with pytest.raises(ValueError, match="WEIGHHOUSE_PROVIDERS_IN_OWN_NETWORKS"):
        insist_on_safe(address, INTERNET)
    assert insist_on_safe(address, OWN) == address


def test_a_name_that_leads_there_is_not_asked() -> None:
    with pytest.raises(ProviderAway, match="private network"):
        keys_of("https://localhost:9", INTERNET)


@pytest.mark.parametrize(
    "variables",
    [
        {"HTTP_PROXY": "http://127.0.0.1:9"},
        {"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "localhost"},
    ],
)
def test_what_no_proxy_connects_to_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ProviderAway, match="private network"):
        keys_of("https://localhost:9", INTERNET)


def test_a_proxy_is_asked_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        asked: list[bytes] = []

        def take() -> None:
            connection, _ = proxy.accept()
            with connection:
                asked.append(connection.recv(4096))

        taking = threading.Thread(target=take)
        taking.start()
        # Without a scheme, as many write it.
        monkeypatch.setenv("HTTPS_PROXY", f"127.0.0.1:{proxy.getsockname()[1]}")
        with pytest.raises(ProviderAway):
            keys_of("https://id.example", INTERNET)
        taking.join()
    assert asked[0].startswith(b"CONNECT id.example:443 HTTP/1.1")
