"""Each check has its page, and each page its check."""

from pathlib import Path

from weighhouse_judging.findings.checks import CHECKS

DOCUMENTATION = Path(__file__).resolve().parents[2] / "docs" / "findings"


def test_every_check_has_a_page_and_every_page_a_check() -> None:
    pages = {page.stem for page in DOCUMENTATION.glob("*.md")} - {"README"}
    assert pages == {check.id for check in CHECKS}
