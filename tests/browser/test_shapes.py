"""Whole distributions on a comparison's page: chosen, drawn, read as a table, taken along."""

from pathlib import Path

from playwright.sync_api import Page, expect


def test_distributions_are_chosen_read_and_taken_along(
    page: Page, weighed: dict, tmp_path: Path
) -> None:
    page.goto(f"/compare?campaign={weighed['id']}")
    page.get_by_role("tab", name="Distribution").click()
    card = page.get_by_role("region", name="Distribution")
    spectra = card.get_by_role("figure").filter(has_text="Percentile spectra")
    expect(spectra).to_contain_text("all operations")
    card.get_by_role("combobox", name="Operation").click()
    page.get_by_role("option", name="read", exact=True).click()
    expect(spectra).to_contain_text("Percentile spectra: read")
    spectra.get_by_role("button", name="Table of Percentile spectra").click()
    expect(spectra.get_by_role("table")).to_contain_text("p50")
    shift = card.get_by_role("figure").filter(has_text="Shift")
    shift.get_by_role("button", name="Table of Shift").click()
    expect(shift.get_by_role("table")).to_contain_text("against")
    spectra.get_by_role("button", name="Export").click()
    with page.expect_download() as taken:
        page.get_by_role("menuitem", name="Histogram of Redis, .hgrm").click()
    assert taken.value.suggested_filename.endswith("-all-repeats-read.hgrm")
    path = tmp_path / "kept.hgrm"
    taken.value.save_as(path)
    text = path.read_text(encoding="utf-8")
    assert "# operation: read, measured phase" in text
    assert "# caveats: " in text
