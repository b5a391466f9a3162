"""Who meets whom in the composed platform, and what its proxy says that it is."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml
from cryptography import x509

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


@pytest.mark.parametrize(
    ("address", "names"),
    [
        ("https://localhost:8443", ["localhost", "127.0.0.1"]),
        ("https://weigh.internal:8443", ["localhost", "127.0.0.1", "weigh.internal"]),
        ("https://weigh.example", ["localhost", "127.0.0.1", "weigh.example"]),
        ("https://10.20.0.7:8443/", ["localhost", "127.0.0.1", "10.20.0.7"]),
        ("https://[fd00::7]:8443", ["localhost", "127.0.0.1", "fd00::7"]),
    ],
)
def test_the_certificate_is_for_the_address_that_people_use(tmp_path, address, names):
    nginx = tmp_path / "bin" / "nginx"
    nginx.parent.mkdir()
    nginx.write_text("#!/bin/sh\n", "utf-8")
    nginx.chmod(0o755)
    subprocess.run(
        [REPOSITORY / "infra" / "images" / "proxy-entrypoint.sh"],
        env={
            "PATH": f"{nginx.parent}{os.pathsep}{os.environ['PATH']}",
            "WEIGHHOUSE_TLS_DIRECTORY": str(tmp_path / "tls"), "WEIGHHOUSE_PUBLIC_URL": address,
        },
        check=True, capture_output=True,
    )  # fmt: skip
    made = x509.load_pem_x509_certificate((tmp_path / "tls" / "certificate.pem").read_bytes())
    told = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(each.value) for each in told] == names
    assert (tmp_path / "tls" / "key.pem").stat().st_mode & 0o077 == 0


def test_what_is_beside_it_names_services_and_volumes_that_are_there(composed):
    for path in (REPOSITORY / "infra" / "compose").glob("*.yml"):
        beside = yaml.safe_load(path.read_text("utf-8"))
        assert beside["version"] == composed["version"]
        for name, service in beside["services"].items():
            assert name in composed["services"], path
            for volume in service.get("volumes", ()):
                source = volume.partition(":")[0]
                assert source in composed["volumes"] or source.startswith(("$", ".")), volume
