"""What people write with `names in backticks` is drawn with them set as code."""

import re
from collections.abc import Iterator

from weighhouse_testing.tree import text_of, tracked

DRAWN = re.compile(r"\{\{[^}]*\b(?:description|hint)\b[^}]*\}\}")


def plainly(text: str) -> Iterator[str]:
    """Where a template draws a description as it is, instead of through `UiText`."""
    for number, line in enumerate(text.splitlines(), 1):
        if DRAWN.search(line):
            yield f"{number}: {line.strip()}"


def test_a_description_that_is_drawn_as_it_is_is_seen() -> None:
    assert list(plainly("<p>{{ row.description || row.slug }}</p>"))
    assert not list(plainly('<p><UiText :text="row.description || row.slug" /></p>'))


def test_no_page_shows_backticks() -> None:
    found = [f"{name}:{line}" for name in tracked(".vue") for line in plainly(text_of(name))]
    assert not found, "\n".join(found)
