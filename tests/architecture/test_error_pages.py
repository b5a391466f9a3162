"""Every error of the API links to a page that exists."""

import re

from weighhouse_testing.tree import REPOSITORY, text_of, tracked

SLUG = re.compile(r'^ +slug(?:: ClassVar\[str\])? = "([a-z-]+)"', re.MULTILINE)


def test_every_error_has_its_page():
    sources = [name for name in tracked(".py") if name.startswith("backend/weighhouse_backend/")]
    slugs = {slug for name in sources for slug in SLUG.findall(text_of(name))}
    assert slugs
    pages = REPOSITORY / "docs" / "problems"
    missing = [slug for slug in sorted(slugs) if not (pages / f"{slug}.md").exists()]
    assert not missing, f"docs/problems/ has no page about {', '.join(missing)}"
