"""Each check has its page with its formula and its picture, and each page its check."""

from pathlib import Path

import pytest
from weighhouse_judging.findings.checks import CHECKS, Check
from weighhouse_testing.finding_pictures import PICTURES, PLACE

DOCUMENTATION = Path(__file__).resolve().parents[2] / "docs" / "findings"


def words(text: str) -> str:
    return " ".join(text.split())


def test_every_check_has_a_page_and_every_page_a_check() -> None:
    pages = {page.stem for page in DOCUMENTATION.glob("*.md")} - {"README"}
    assert pages == {check.id for check in CHECKS}
    assert set(PICTURES) == pages
    assert {picture.stem for picture in PLACE.iterdir()} == pages


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_page_shows_the_formula_and_a_picture(check: Check) -> None:
    text = (DOCUMENTATION / f"{check.id}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {check.id}: ")
    assert words(check.formula) in words(text)
    formula = text[text.index("**Formula.**") :].split("\n\n")[0]
    assert "\n- " not in formula, "a line that begins with a minus is a list"
    assert f"](pictures/{check.id}.svg)" in text
    assert f"({check.id}.md)" in (DOCUMENTATION / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_as_it_is_drawn(name: str) -> None:
    """`python -m weighhouse_testing.finding_pictures` draws them anew."""
    drawing = PICTURES[name]()
    assert (PLACE / f"{name}.svg").read_text(encoding="utf-8") == drawing.svg()
    assert drawing.describes
    assert "prefers-color-scheme: dark" in drawing.svg()
