"""Every error of the API links to a page that exists."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

import weighhouse_backend
from weighhouse_backend.kit.problems import Problem
from weighhouse_testing.tree import REPOSITORY


def kinds(base: type[Problem] = Problem) -> Iterator[type[Problem]]:
    """An error and all that are kinds of it."""
    yield base
    for one in base.__subclasses__():
        yield from kinds(one)


def test_every_error_has_its_page():
    for module in pkgutil.walk_packages(weighhouse_backend.__path__, "weighhouse_backend."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    slugs = {kind.slug for kind in kinds()}
    assert slugs
    pages = REPOSITORY / "docs" / "problems"
    missing = [slug for slug in sorted(slugs) if not (pages / f"{slug}.md").exists()]
    assert not missing, f"docs/problems/ has no page about {', '.join(missing)}"
