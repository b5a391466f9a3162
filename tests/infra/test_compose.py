"""Who meets whom in the composed platform."""

from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def composed() -> dict:
    return yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text("utf-8"))


def neighbours(composed: dict, name: str) -> set[str]:
    """The other services on any network of one; one that names none is on the default."""
    networks = {
        each: set(service.get("networks", ["default"]))
        for each, service in composed["services"].items()
    }
    return {each for each, found in networks.items() if found & networks[name]} - {name}


def test_an_agent_meets_the_api_alone(composed):
    assert neighbours(composed, "agent") == {"backend"}


def test_what_has_no_password_is_met_by_the_platform_alone(composed):
    for store in ("redis", "postgres"):
        (network,) = composed["services"][store]["networks"]
        assert composed["networks"][network] == {"internal": True}
        assert not neighbours(composed, store) & {"agent", "proxy"}


def test_every_service_says_where_it_is(composed):
    for name, service in composed["services"].items():
        assert set(service["networks"]) <= set(composed["networks"]), name
