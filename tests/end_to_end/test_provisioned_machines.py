"""Machines are made for a campaign by the shipped example, measure it, and are gone: two network
namespaces, with an agent in each.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
import yaml
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import ENDED, RunningPlatform, running_platform
from weighhouse_testing.waits import until

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "infra" / "provisioners" / "namespaces"


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """While it is there, whoever makes machines waits once it has made half of them."""
    return tmp_path_factory.mktemp("gate") / "shut"


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory, gate: Path) -> Iterator[RunningPlatform]:
    state = tmp_path_factory.mktemp("provisioner")
    program = state.parent / f"{state.name}-program"
    slow = (
        f"[ ! -e {gate} ] || {{ touch {gate}.reached; while [ -e {gate} ]; do sleep 0.1; done; }}"
    )
    program.write_text(
        "#!/bin/sh\nrequest=$(cat)\n"
        f'case "$request" in *\'"action":"make"\'*) {slow} ;; esac\n'
        f'printf %s "$request" | exec {sys.executable} {EXAMPLE}\n'
    )
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PROVISIONER_STATE", str(state / "there"))
        patched.setenv("PROVISIONER_PYTHON", sys.executable)
        if drivers := os.environ.get("WEIGHHOUSE_DRIVERS"):
            patched.setenv("PROVISIONER_AGENT_DRIVERS", drivers)
        with running_platform(PROVISIONER=str(program), PROVISIONED_MACHINES="3") as running:
            until("the provisioner is asked", lambda: offered(running)["kinds"])
            yield running


def offered(platform: RunningPlatform) -> dict[str, Any]:
    found: dict[str, Any] = platform.request("GET", "/provisioner")
    return found


def two_machines(slug: str, **provision: Any) -> str:
    """Redis on one machine, the load from another."""
    document = yaml.safe_load(small_experiment(slug, "redis", repetitions=1, clients=(4,)))
    document["placement"] = {
        "apart": "required", "provision": {"machine": "namespace", **provision},
    }  # fmt: skip
    return str(yaml.safe_dump(document, sort_keys=False))


def provision(platform: RunningPlatform, campaign_id: str) -> dict[str, Any]:
    found: dict[str, Any] = platform.request("GET", f"/campaigns/{campaign_id}/provision")
    return found


def left_of(provision_id: str) -> list[str]:
    """Programs and namespaces that are there for some machines."""
    short = provision_id.replace("-", "")[-8:]
    listed = subprocess.run(["ip", "link"], capture_output=True, text=True, check=True).stdout
    listed += subprocess.run(
        ["ip", "netns", "list"], capture_output=True, text=True, check=True
    ).stdout
    marked = [
        str(one.info["cmdline"])
        for one in psutil.process_iter(["cmdline", "environ"])
        if (one.info["environ"] or {}).get("WEIGHHOUSE_PROVISION") == provision_id
    ]
    return [*marked, *(line for line in listed.splitlines() if short in line)]


def test_a_gang_runs_on_machines_that_are_made_for_it_and_gone_afterwards(
    platform: RunningPlatform,
) -> None:
    text = two_machines("made-for-it")
    asked = platform.request("POST", "/provisioner/estimate", json={"yaml": text})
    assert (asked["machines"], asked["minutes"]) == (2, 120)
    assert asked["at_most"] == {"amount": 0, "currency": "EUR"}
    started = platform.start_campaign(text)
    campaign = platform.wait_for_campaign(started["id"])
    ((run,),) = [cell["runs"] for cell in campaign["cells"]]
    read = platform.request("GET", f"/runs/{run['id']}")
    assert campaign["status"] == "completed", read["failure"]
    members = platform.request("GET", f"/runs/{run['id']}")["members"]
    assert len({one["agent"]["name"] for one in members}) == 2
    made = until(
        "the machines are gone",
        lambda: (one := provision(platform, started["id"])) and one["state"] == "ended" and one,
    )
    assert left_of(made["id"]) == []
    agents = platform.request("GET", "/agents")["items"]
    names = {one["agent"]["name"] for one in members}
    assert {one["status"] for one in agents if one["name"] in names} == {"revoked"}


def test_a_worker_that_is_killed_while_they_are_made_leaves_nothing(
    platform: RunningPlatform, gate: Path
) -> None:
    gate.touch()
    reached = Path(f"{gate}.reached")
    started = platform.start_campaign(two_machines("cut-off"))
    until("it is being made", reached.exists)
    found = provision(platform, started["id"])
    assert found["state"] == "making"
    worker = psutil.Process(platform.pid("worker"))
    for one in [*worker.children(), worker]:  # what it has started is not its child, but a child's
        one.kill()
    until("it is given up", lambda: provision(platform, started["id"])["state"] == "failed")
    campaign = platform.wait_for_campaign(started["id"])
    assert campaign["status"] == "failed"
    ((run,),) = [cell["runs"] for cell in campaign["cells"]]
    failure = platform.request("GET", f"/runs/{run['id']}")["failure"]
    assert "whoever made them was ended meanwhile" in failure["message"]
    gate.unlink()  # what the worker had started goes on only now, and is seen by the next sweep
    until("it was made all the same", lambda: left_of(found["id"]))
    until("nothing is left", lambda: not left_of(found["id"]))


def test_what_is_left_of_a_platform_that_was_set_back_is_ended(platform: RunningPlatform) -> None:
    unknown = "01890000-0000-7000-8000-0123456789ab"
    request = {
        "version": 1, "action": "make", "provision": unknown, "machine": "namespace",
        "ends_at": "2027-01-01T00:00:00Z", "platform": platform.url, "machines": [],
    }  # fmt: skip
    subprocess.run([EXAMPLE], input=json.dumps(request), text=True, check=True)
    assert left_of(unknown)
    until("the sweep has ended it", lambda: not left_of(unknown))


def test_what_cannot_be_made_is_refused_at_the_start(platform: RunningPlatform) -> None:
    def refusal(text: str) -> str:
        kept = platform.request(
            "POST", "/experiments", params={"upsert": "true"}, json={"yaml": text}
        )
        answer = httpx.post(
            f"{platform.url}/api/v1/campaigns", json={"experiment_id": kept["id"]},
            headers={"Authorization": f"Bearer {platform.token}"}, timeout=60,
        )  # fmt: skip
        assert answer.status_code == 422, answer.text
        return answer.text

    text = two_machines("cannot-be-made")
    assert "makes no palace; it makes namespace" in refusal(
        text.replace("machine: namespace", "machine: palace")
    )
    document = yaml.safe_load(text)
    document["placement"]["drivers"] = {"machines": 3}
    many = refusal(yaml.safe_dump(document))
    assert "4 machines are asked for, and 0 of the 3" in many
    listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
    assert {one["status"] for one in listed} <= ENDED
