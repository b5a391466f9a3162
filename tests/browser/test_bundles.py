"""Bundles on pages: who measured a campaign again, and one dropped among results of others."""

import io
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect
from weighhouse_backend.bundles.opened import opened
from weighhouse_testing.browser import Sows, Window, looked_at
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.signing import changed, signed_by
from weighhouse_worker.seeding.plan import Sown

AGAIN = Sown(
    "invented-again", "Invented: measured again", ("redis", "memcached"), (1, 8), campaigns=3,
    shifts={"redis": {2: 0.5}},
)  # fmt: skip
"""The second campaign is like the first; in the third one side is half as fast."""


def bundle_of(platform: RunningPlatform, campaign: str, **reproduces: str) -> bytes:
    answer = httpx.get(
        f"{platform.url}/api/v1/campaigns/{campaign}/bundle", params=reproduces, timeout=300,
        headers={"Authorization": f"Bearer {platform.token}"},
    )  # fmt: skip
    assert answer.is_success, answer.text
    return answer.content


@pytest.fixture(scope="module")
def measured(sows: Sows, platform: RunningPlatform) -> list[str]:
    """Three campaigns, the oldest first."""
    sows(AGAIN)
    listed = platform.request("GET", "/campaigns", params={"limit": 200})["items"]
    mine = [one for one in listed if one["experiment"]["slug"] == AGAIN.slug]
    return [one["id"] for one in sorted(mine, key=lambda one: one["number"])]


@pytest.fixture(scope="module")
def bundles(
    measured: list[str], platform: RunningPlatform, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Of the first campaign, and of the others as two other installations measured it again."""
    folder = tmp_path_factory.mktemp("bundles")
    first = bundle_of(platform, measured[0])
    found = opened(io.BytesIO(first))
    asked = {
        "reproduces_manifest": found.manifest_sha256,
        "reproduces_signer": found.key_sha256,
        "reproduces_campaign": measured[0],
    }
    like = signed_by(bundle_of(platform, measured[1], **asked), "the secret of a second one")
    slowed = signed_by(bundle_of(platform, measured[2], **asked), "the secret of a third one")
    contents = {
        "first": first, "like": like, "slowed": slowed,
        "tampered": changed(like, "comparison.json"),
    }  # fmt: skip
    for name, content in contents.items():
        (folder / f"{name}.bundle.tar").write_bytes(content)
    return {name: folder / f"{name}.bundle.tar" for name in contents}


def drop(page: Page, file: Path, at: str) -> None:
    """Drop a file of the machine, as the browser tells of one that is dragged in from outside."""
    box = page.locator(at).bounding_box()
    assert box is not None
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {
            "type": kind, "x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2,
            "data": {"items": [], "files": [str(file)], "dragOperationsMask": 1},
        })  # fmt: skip
    session.detach()


def test_who_measured_it_again_stands_on_the_campaigns_page(
    window: Window, measured: list[str], bundles: dict[str, Path]
) -> None:
    page = window()
    page.goto(f"/campaigns/{measured[0]}")
    card = page.locator("section").filter(
        has=page.get_by_role("heading", name="Measured again", exact=True)
    ).last  # fmt: skip
    expect(card).to_contain_text("No bundle that measured it again was brought")
    field = page.get_by_label("Bundle that measured this campaign again")
    field.set_input_files(bundles["tampered"])
    expect(page.get_by_text("The bundle was not taken", exact=True)).to_be_visible()
    expect(card).to_contain_text("No bundle that measured it again was brought")
    field.set_input_files(bundles["like"])
    expect(card).to_contain_text("Reproduced by 1 other installation", ignore_case=True)
    field.set_input_files(bundles["slowed"])
    expect(card).to_contain_text("not reproduced by 1 other installation", ignore_case=True)
    for summary in card.get_by_text("Cell by cell").all():
        summary.click()
    worse = card.get_by_role("listitem").filter(has_text="Did not reproduce")
    expect(worse).to_contain_text("redis")
    looked_at(page, "measured again")


def test_a_bundle_is_dropped_among_results_of_others(
    window: Window, bundles: dict[str, Path]
) -> None:
    page = window()
    page.goto("/published-results/new")
    page.get_by_role("button", name="Choose files").wait_for()
    drop(page, bundles["tampered"], ".drop")
    expect(page.get_by_role("heading", name="Nothing was understood")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("comparison.json")
    looked_at(page, "a bundle that was changed")
    drop(page, bundles["like"], ".drop")
    expect(page.get_by_role("heading", name="What was understood")).to_be_visible()
    figures = page.get_by_role("table", name="Figures that were understood")
    expect(figures).to_contain_text("balanced")
    looked_at(page, "a bundle that was dropped")
    page.get_by_label("Title").fill("What a second installation measured")
    page.get_by_role("button", name="Keep").click()
    heading = page.get_by_role("heading", level=1, name="What a second installation measured")
    expect(heading).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("Published by others, not measured here")
