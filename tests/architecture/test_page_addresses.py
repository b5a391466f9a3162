"""Addresses of the platform's pages: made in one place for Python, and each leads to a page."""

import inspect
import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from weighhouse_protocol import pages
from weighhouse_testing.tree import text_of, tracked

ROUTER = "frontend/src/app/router.ts"
COMPARE = "frontend/src/features/comparisons/view.ts"
PARTS = ("backend/weighhouse_backend", "worker/weighhouse_worker", "cli/weighhouse_cli")
ID = "0190c1d2-0000-7000-8000-000000000000"
MADE = {
    "kept": pages.kept("/alerts?alert=1"),
    "in_project": pages.in_project(pages.alert(ID), ID),
    "experiment": pages.experiment("nightly", "revisions"),
    "campaign": pages.campaign(ID),
    "run": pages.run(ID),
    "published_source": pages.published_source(ID),
    "agent": pages.agent(ID),
    "alert": pages.alert(ID),
    "public": pages.public(ID),
    "settings": pages.settings("usage"),
    "series": pages.series(ID, "p99_us"),
    "sides": pages.sides([f"{ID}~redis", f"{ID}~memcached"], 1),
    "comparison": pages.comparison(ID, ID),
    "cell_of_side": pages.cell_of_side(ID, "redis", "reads", "8 clients"),
}


def routes() -> list[str]:
    """Of the pages; what stands in a place is left open."""
    found = re.findall(r"(?:page|entrance)\(\s*'[^']*',\s*['`](/[^'`]*)['`]", text_of(ROUTER))
    return [re.sub(r":\w+(\$\{ID\})?", "[^/]+", path) for path in found if ":rest" not in path]


def literal(section: str) -> re.Pattern[str]:
    """An address of a page that somebody writes out behind the platform's own."""
    return re.compile(rf"url[^\s{{}}]*\}}/({section})(?=[/?#\"'])|PagePath\(")


SECTIONS = "|".join(sorted({path.split("/")[1] for path in routes()} - {""}))


def test_every_way_to_make_one_is_looked_at() -> None:
    functions = {
        name
        for name, one in vars(pages).items()
        if inspect.isfunction(one) and one.__module__ == pages.__name__ and name[0] != "_"
    }
    assert functions - {"at", "subject_of"} == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_an_address_leads_to_a_page(name: str) -> None:
    path = urlsplit(MADE[name]).path
    assert [one for one in routes() if re.fullmatch(one, path)] != []


OF_LINKS = {
    name: one for name, one in vars(pages).items() if name.isupper() and isinstance(one, str)
}


@pytest.mark.parametrize("path", OF_LINKS.values(), ids=OF_LINKS)
def test_a_page_of_a_link_is_there(path: str) -> None:
    assert path in routes()


@pytest.mark.parametrize("name", ["comparison", "sides", "cell_of_side"])
def test_the_comparison_reads_what_an_address_asks(name: str) -> None:
    query = dict(parse_qsl(urlsplit(MADE[name]).query))
    known = set(re.findall(r"^  (\w+): \w+Field\(", text_of(COMPARE), re.MULTILINE))
    assert query.keys() <= known
    assert query.get("cell", "reads~8 clients") == "reads~8 clients"


def test_nobody_else_writes_one_out() -> None:
    pattern = literal(SECTIONS)
    found = [
        f"{name}: {line.strip()}"
        for name in tracked(".py")
        if name.startswith(PARTS)
        for line in text_of(name).splitlines()
        if pattern.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        """page = f"{client.url}/campaigns/{campaign['id']}\"""",
        """f"{self.settings.public_url.rstrip('/')}/settings?tab=usage\"""",
        'path=PagePath("/alerts")',
    ],
)
def test_one_that_is_written_out_is_seen(line: str) -> None:
    assert literal(SECTIONS).search(line)
