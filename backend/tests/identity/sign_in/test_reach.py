"""Where a provider that an organization names may stand."""

import pytest
from weighhouse_backend.identity.errors import ProviderAway
from weighhouse_backend.identity.oidc import Reach, insist_on_safe, keys_of

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
