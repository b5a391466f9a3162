"""A bundle is measured again by a second installation with a key of its own, and what that came to
counts on the first.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from weighhouse_protocol.bundles.archive import entries
from weighhouse_testing.builds import RATE, Builds, builds_of, paced_experiment
from weighhouse_testing.command import weighhouse
from weighhouse_testing.platform import RunningPlatform, running_platform

CLIENTS = (8, 16, 32)
AGAIN = ("balanced~8 clients", "balanced~16 clients")
MOST_ATTEMPTS = 3
"""Of a reproduction, where what else a machine does stops its runs, and nothing can be told."""
SLOWED = 3.0
"""How much longer a command takes then: far beyond what a reproduction may differ by."""


@dataclass(frozen=True)
class Other:
    """A second installation."""

    platform: RunningPlatform
    builds: Builds

    def measures_again(
        self, bundle: Path, kept: Path, *cells: str, tell: RunningPlatform | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Exit code and what is said of it, once something can be told."""
        for _ in range(MOST_ATTEMPTS):
            kept.unlink(missing_ok=True)
            done = weighhouse(
                self.platform, "reproduce", str(bundle), "--output", str(kept), "--json",
                *(word for cell in cells for word in ("--cells", cell)),
                *(("--tell", tell.url) if tell else ()),
                **({"WEIGHHOUSE_TELL_TOKEN": tell.token} if tell else {}),
            )  # fmt: skip
            assert done.returncode in {0, 1, 2}, done.stdout + done.stderr
            said: dict[str, Any] = json.loads(done.stdout)
            if said["outcome"] != "cannot_tell":
                break
        return done.returncode, said


def experiment() -> str:
    document = yaml.safe_load(paced_experiment("reproduced"))
    (level,) = document["load_levels"]
    document["load_levels"] = [{**level, "clients": clients} for clients in CLIENTS]
    return str(yaml.safe_dump(document, sort_keys=False))


@pytest.fixture(scope="module")
def campaign(platform: RunningPlatform) -> str:
    """Measured here, on a server that keeps its pace."""
    with builds_of(platform, "redis-server") as builds:
        builds.use(RATE)
        started = platform.start_campaign(experiment())
        assert platform.wait_for_campaign(started["id"])["status"] == "completed"
    return str(started["id"])


@pytest.fixture(scope="module")
def bundle(platform: RunningPlatform, campaign: str, tmp_path_factory: Any) -> Path:
    kept: Path = tmp_path_factory.mktemp("bundles") / "first.bundle.tar"
    done = weighhouse(platform, "bundle", campaign, "--output", str(kept))
    assert done.returncode == 0, done.stderr
    return kept


@pytest.fixture(scope="module")
def other() -> Iterator[Other]:
    with running_platform() as found, builds_of(found, "redis-server") as builds:
        yield Other(found, builds)


def brought(platform: RunningPlatform, campaign: str, content: bytes) -> httpx.Response:
    return httpx.post(
        f"{platform.url}/api/v1/campaigns/{campaign}/reproductions",
        content=content,
        headers={"Authorization": f"Bearer {platform.token}", "Content-Type": "application/x-tar"},
        timeout=120,
    )


def counts(platform: RunningPlatform, campaign: str) -> dict[str, int]:
    found = platform.request("GET", f"/campaigns/{campaign}/reproductions")
    return {name: found[name] for name in ("reproduced", "did_not_reproduce", "cannot_tell")}


def test_two_cells_are_measured_again_elsewhere_and_count_here(
    platform: RunningPlatform, campaign: str, bundle: Path, other: Other, tmp_path: Path
) -> None:
    kept = tmp_path / "again.bundle.tar"
    other.builds.use(RATE)
    code, said = other.measures_again(bundle, kept, *AGAIN)
    assert (code, said["outcome"]) == (0, "reproduced"), said
    assert [f"{one['workload']}~{one['load_level']}" for one in said["cells"]] == list(AGAIN)
    assert said["same_machines"] is True
    assert "redis, balanced, 32 clients: not measured again" in said["left_out"]
    checked = weighhouse(platform, "verify", str(kept), "--json")
    told = json.loads(checked.stdout)
    assert (checked.returncode, told["holds"]) == (0, True)
    assert told["reproduces"]["campaign_id"] == campaign
    keys = platform.request("GET", "/bundles/keys")
    assert told["key_sha256"] != keys["present"]["sha256"]
    bring = ("reproduction", "bring", str(kept))
    answer = weighhouse(platform, *bring, "--json")
    assert (answer.returncode, json.loads(answer.stdout)["outcome"]) == (0, "reproduced")
    said_again = weighhouse(platform, *bring)
    assert "told: reproduced, " in said_again.stdout, said_again.stderr
    assert f"/campaigns/{campaign}" in said_again.stdout
    listed = weighhouse(platform, "reproduction", "list", campaign)
    assert "other installations that reproduced it: 1" in listed.stdout, listed.stderr
    assert counts(platform, campaign) == {
        "reproduced": 1, "did_not_reproduce": 0, "cannot_tell": 0,
    }  # fmt: skip

    tampered = bytearray(kept.read_bytes())
    with kept.open("rb") as file:
        (place,) = (one for one in entries(file) if one.name == "comparison.json")
    tampered[place.begin + place.size // 2] ^= 1
    refused = brought(platform, campaign, bytes(tampered))
    assert refused.status_code == 422
    assert "comparison.json" in refused.json()["detail"]
    assert counts(platform, campaign)["reproduced"] == 1


def test_a_server_that_was_slowed_did_not_reproduce_it(
    platform: RunningPlatform, campaign: str, bundle: Path, other: Other, tmp_path: Path
) -> None:
    kept = tmp_path / "slowed.bundle.tar"
    other.builds.use(RATE / SLOWED)
    nobody = weighhouse(
        other.platform, "reproduce", str(bundle), "--tell", platform.url, WEIGHHOUSE_TELL_TOKEN=""
    )
    assert nobody.returncode == 4, "without a token nothing is even measured"
    assert "WEIGHHOUSE_TELL_TOKEN" in nobody.stderr
    code, said = other.measures_again(bundle, kept, AGAIN[0], tell=platform)
    assert (code, said["outcome"]) == (1, "did_not_reproduce"), said
    assert said["cells"][0]["relative"] < -0.5
    assert counts(platform, campaign)["did_not_reproduce"] == 1
