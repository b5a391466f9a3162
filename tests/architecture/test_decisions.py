"""Decisions are numbered without holes, each has a status, and their table lists all of them."""

import re

from weighhouse_testing.tree import REPOSITORY

FOLDER = REPOSITORY / "docs" / "adr"
LINK = r"\[\d{4}\]\(\d{4}-[a-z0-9-]+\.md\)"
STATUS = re.compile(
    rf"Status: (accepted((; amends |; amended by ){LINK})*|superseded by {LINK}|withdrawn)"
)
NAMED = re.compile(r"(superseded by|amends|amended by) \[(\d{4})\]")
ROW = re.compile(r"^\| \[(\d{4})\]\(([^)]+)\) \| (.+) \| (\w+) \|$", re.MULTILINE)


def pages() -> dict[str, tuple[str, list[str]]]:
    """Each decision by its number: the file's name, and its lines."""
    return {
        page.name[:4]: (page.name, page.read_text(encoding="utf-8").splitlines())
        for page in sorted(FOLDER.glob("[0-9]*.md"))
    }


def test_decisions_are_numbered_without_holes():
    names = sorted(page.name for page in FOLDER.glob("[0-9]*.md"))
    wanted = [f"{number:04}" for number in range(1, len(names) + 1)]
    assert [name[:4] for name in names] == wanted, (
        "docs/adr: a number is missing, or two pages have the same; "
        "the next page takes the number after the last one"
    )


def test_every_decision_begins_with_its_number_and_its_status():
    wrong = []
    for number, (name, lines) in pages().items():
        if not re.match(rf"# {number}: [^a-z]", lines[0]):
            wrong.append(f"{name}: begins with `# {number}: ` and a sentence, not {lines[0]!r}")
        if lines[1] or not STATUS.fullmatch(lines[2]):
            wrong.append(
                f"{name}: the third line is `Status: accepted`, `superseded by [NNNN](…)` or "
                f"`withdrawn` (docs/adr/README.md), not {lines[2]!r}"
            )
    assert not wrong, "\n".join(wrong)


def test_a_status_names_pages_that_are_there_and_amendments_stand_on_both():
    there = pages()
    wrong = []
    for number, (name, lines) in there.items():
        for word, other in NAMED.findall(lines[2]):
            if other not in there:
                wrong.append(f"{name}: there is no {other}")
            elif word != "superseded by" and f"[{number}]" not in there[other][1][2]:
                wrong.append(f"{name}: {word} {other}, whose status does not name {number}")
    assert not wrong, "\n".join(wrong)


def test_the_table_lists_every_decision_in_order_by_its_title():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    wanted = [
        (
            number,
            name,
            lines[0].removeprefix(f"# {number}: "),
            lines[2].removeprefix("Status: ").split(";")[0].split(" ")[0],
        )
        for number, (name, lines) in pages().items()
    ]
    assert ROW.findall(text) == wanted, "docs/adr/README.md: one row a page, as its head says"
