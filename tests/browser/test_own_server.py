"""From a server that somebody else runs to its first figure, by what its system's page says."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect
from weighhouse_sdk.machine.certificates import AUTHORITY
from weighhouse_testing.agents import policy_of
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.reticent_redis import reticent_redis


def test_a_redis_by_tls_with_few_rights_is_measured_by_its_page(
    page: Page, platform: RunningPlatform, tmp_path: Path
) -> None:
    with reticent_redis(tmp_path) as reticent:
        page.goto("/systems")
        page.get_by_role("link", name="Redis", exact=True).first.click()
        lines = page.get_by_label("Lines for the agent’s policy").inner_text()
        for before, after in (
            ("tls://HOST:6379", reticent.endpoint),
            ("/etc/weighhouse/our-redis.password", str(tmp_path / "password")),
            ("/etc/weighhouse/our-redis-ca.pem", str(tmp_path / AUTHORITY)),
        ):
            assert before in lines
            lines = lines.replace(before, after)
        with policy_of(platform, lines):
            page.get_by_role("link", name="Measure it").click()
            page.get_by_label("Endpoints").fill(reticent.endpoint.replace("tls://", "rediss://"))
            page.get_by_label("Credentials").fill("our-redis")
            page.get_by_role("button", name="Save the experiment").click()
            expect(page.get_by_role("heading", name="Our Redis")).to_be_visible()
            page.get_by_role("button", name="Run now").click()
            done = page.get_by_role("link", name=re.compile("repeat 1: Completed"))
            expect(done).to_be_visible(timeout=300_000)
            expect(page.get_by_text("op/s").first).to_be_visible()
            page.get_by_role("button", name="Cancel", exact=True).click()
            asked = page.get_by_role("dialog")
            asked.get_by_role("button", name="Cancel the campaign").click()
            expect(asked).to_be_hidden()
