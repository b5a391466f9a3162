"""What is taken along from pages: pictures of one's own choice, and every list that is narrowed."""

import csv
import io
import re
import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect
from weighhouse_testing.platform import RunningPlatform

SVG = "{http://www.w3.org/2000/svg}"
HEADING = "Ours <b>against</b> theirs"
SOURCE = "Our team & friends"
ALTERNATIVE = "Redis leads Memcached in each cell."
SIGNATURE = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def dialog(page: Page, weighed: dict) -> Locator:
    """The picture of a comparison's first chart, with words of one's own."""
    page.goto(f"/compare?campaign={weighed['id']}")
    page.get_by_role("button", name=re.compile("^Export ")).first.click()
    page.get_by_role("menuitem", name=re.compile("of another size")).click()
    asked = page.get_by_role("dialog", name="Picture")
    asked.get_by_text("Page, 1200").click()
    asked.get_by_text("Dark", exact=True).click()
    asked.get_by_label("Title").fill(HEADING)
    asked.get_by_label("Source").fill(SOURCE)
    asked.get_by_label("Alternative text").fill(ALTERNATIVE)
    return asked


def saved(page: Page, dialog: Locator, form: str) -> bytes:
    with page.expect_download() as download:
        dialog.get_by_role("button", name=f"Save {form}").click()
    assert download.value.suggested_filename.endswith(f".{form.lower()}")
    return Path(download.value.path()).read_bytes()


def chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    """Of a PNG: kind and contents, each held against its checksum."""
    assert png.startswith(SIGNATURE)
    found, at = [], len(SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        whole = png[at + 4 : at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length)[0] == zlib.crc32(whole)
        found.append((whole[:4], whole[4:]))
        at += length + 12
    return found


def test_a_picture_is_as_wide_and_as_worded_as_was_chosen(page: Page, dialog: Locator) -> None:
    preview = dialog.get_by_alt_text(ALTERNATIVE)
    assert preview.evaluate("one => one.decode().then(() => one.naturalWidth)") == 1200
    drawn = ElementTree.fromstring(saved(page, dialog, "SVG").decode())
    assert drawn.get("width") == "1200"
    assert drawn.findtext(f"{SVG}title") == HEADING, "markup is text"
    assert (drawn.findtext(f"{SVG}desc") or "").startswith(ALTERNATIVE)
    said = " ".join(one.text or "" for one in drawn.iter(f"{SVG}text"))
    assert f"Source: {SOURCE}" in said
    assert "/compare?" in said, "the address of the view stays"
    assert drawn.find(f".//{SVG}b") is None


def test_a_png_has_twice_the_pixels_and_its_words(page: Page, dialog: Locator) -> None:
    found = chunks(saved(page, dialog, "PNG"))
    kind, header = found[0]
    assert kind == b"IHDR"
    assert struct.unpack_from(">I", header)[0] == 2400
    texts = dict(
        one.decode().split("\0\0\0\0\0", 1) for kind, one in found if kind == b"iTXt"
    )  # fmt: skip
    assert texts["Title"] == HEADING
    assert texts["Description"].startswith(ALTERNATIVE)
    assert SOURCE in texts["Source"]


def rows_of(text: str) -> list[dict[str, str]]:
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("# ")]
    return list(csv.DictReader(io.StringIO("".join(lines))))


def taken(page: Page, button: str, item: str) -> str:
    """A list, as a file."""
    page.get_by_role("button", name=button, exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=item).click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_the_list_of_series_is_taken_along_as_it_is_searched(page: Page, weighed: dict) -> None:
    page.goto("/history?find=redis 4 clients")
    shown = page.get_by_role("listitem").filter(has_text="4 clients")
    expect(shown.first).to_be_visible()
    text = taken(page, "Take away series", "All series, CSV")
    assert "text=redis 4 clients" in text.split("\n\n")[0]
    rows = rows_of(text)
    assert {(one["system"], one["load_level"]) for one in rows} == {("redis", "4 clients")}
    expect(page.locator(".list .one")).to_have_count(len(rows))


def test_runs_are_taken_along_beside_the_matrix(
    page: Page, weighed: dict, platform: RunningPlatform
) -> None:
    listed = platform.request("GET", "/runs", params={"campaign_id": weighed["id"], "limit": 200})
    page.goto(f"/campaigns/{weighed['id']}")
    rows = rows_of(taken(page, "Take away runs", "All runs, CSV"))
    assert {one["id"] for one in rows} == {one["id"] for one in listed["items"]}


def test_people_and_tokens_are_taken_along_from_the_settings(page: Page) -> None:
    for tab, button, item, column in (
        ("members", "Take away members", "All members, CSV", "email"),
        ("tokens", "Take away tokens", "All tokens, CSV", "prefix"),
    ):
        page.goto(f"/settings?tab={tab}")
        rows = rows_of(taken(page, button, item))
        assert rows
        assert all(one[column] for one in rows)
        page.get_by_role("button", name=button, exact=True).click()
        page.get_by_role("menuitem", name="Parquet, JSON lines…").click()
        asked = page.get_by_role("dialog", name="Take away")
        expect(asked.get_by_label("For whom")).to_have_count(0)
        asked.get_by_role("button", name="Cancel").click()
