"""A machine brings a manifest that differs: it is seen and accepted, on the page or by command."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Page, expect
from typer.testing import CliRunner
from weighhouse_cli.whole import app
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_testing.browser import looked_at
from weighhouse_testing.platform import RunningPlatform

FACTS = {
    "hostname": "guest", "machine_id": "guest", "cpu_model": "cpu", "cores": 2,
    "memory_bytes": 1 << 30, "kernel": "6", "operating_system": "os", "architecture": "x86_64",
}  # fmt: skip


@pytest.fixture
def guest(platform: RunningPlatform) -> Iterator[str]:
    """A machine that has Redis with another summary; its name."""
    document = packaged_manifest("weighhouse_plugin_redis").model_dump(mode="json")
    document |= {"summary": f"Other words {uuid4().hex}."}
    made = platform.request(
        "POST", "/agent-registration-tokens", json={"labels": {"invented": "guest"}}
    )
    instance, name = str(uuid4()), f"guest-{uuid4().hex[:6]}"
    with httpx.Client(base_url=f"{platform.url}/agent/v1") as agent:
        registered = agent.post(
            "/register", json={"name": name, "instance_id": instance, "facts": FACTS},
            headers={"Authorization": f"Bearer {made['token']}"},
        ).raise_for_status().json()  # fmt: skip
        agent.put(
            "/session",
            json={
                "instance_id": instance, "process_id": str(uuid4()), "agent_version": "0.1.0",
                "manifests": [document], "facts": FACTS, "policy": {}, "resting": "it is a guest",
            },
            headers={"Authorization": f"Bearer {registered['agent_token']}"},
        ).raise_for_status()  # fmt: skip
    yield name
    platform.request("POST", f"/agents/{registered['agent_id']}/revoke")


def of(platform: RunningPlatform, name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = platform.request("GET", "/manifests")["items"]
    return next(one for one in found if name in {each["name"] for each in one["agents"]})


def test_a_manifest_that_differs_is_shown_and_accepted(
    page: Page, platform: RunningPlatform, guest: str
) -> None:
    page.goto("/systems")
    card = page.get_by_role("listitem").filter(has_text=guest)
    expect(card).to_contain_text("waits")
    card.get_by_text("1 difference from the manifest in force").click()
    expect(card).to_contain_text("summary")
    expect(card.locator("ins")).to_contain_text("Other words")
    expect(card.locator("del")).not_to_contain_text("Other words")
    looked_at(page, "manifests that wait")

    card.get_by_role("button", name="Accept").click()

    expect(card).to_have_count(0)
    assert of(platform, guest)["state"] == "accepted"
    page.goto("/agents")
    page.get_by_role("link", name=guest).click()
    page.get_by_role("button", name="Labels and projects").click()
    expect(page.get_by_text("Lending it takes a maintainer")).to_be_visible()
    looked_at(page, "lending")


def test_the_command_shows_what_differs_and_decides(platform: RunningPlatform, guest: str) -> None:
    access = {"WEIGHHOUSE_URL": platform.url, "WEIGHHOUSE_TOKEN": platform.token}

    def said(*arguments: str, status: int = 0) -> str:
        done = CliRunner().invoke(app, arguments, env=access)
        assert done.exit_code == status, done.output
        return done.output

    digest = of(platform, guest)["digest"]
    listed = said("manifest", "list")
    assert digest[:12] in listed
    assert '+ "Other words' in listed
    assert "refused" in said("manifest", "refuse", "redis", digest[:12])
    assert of(platform, guest)["state"] == "refused"
    assert "in force" in said("manifest", "accept", "redis", digest)
    assert of(platform, guest)["state"] == "accepted"
    assert guest in said("agent", "list")
